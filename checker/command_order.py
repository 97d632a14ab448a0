"""What must happen before what: commands in several queues, ordered by events and waits."""

from checker import behaviour


class Ordered:
    """A command of a program with several queues; `before`: the numbers of all that have ended before it begins."""

    def __init__(self, number, words, before):
        self.number, self.what, self.queue, self.before = number, words[1], words[2], before
        self.uses, self.waits = (set(word.split(",")[1:]) for word in words[3:5])

    def __str__(self):
        return f"the {self.what} that comes as command {self.number + 1}"


def in_order(run):
    """Of each two commands that use the same buffer, one must wait for the other: by its queue (if that keeps an order), by
    events, or since the host has waited in between. Complaints; and the commands, with the number of times that the
    host had waited before."""
    loose = {call.split()[1] for call in run.calls if call.startswith("on ") and call.endswith("without order")}
    barriers = {}  # of each of these queues, the last one: what comes later waits for it
    commands, giver, ended, waits, unflushed = [], {}, set(), [], []
    last, flushed = {}, {}  # of each queue: its last command; how many commands there were at its last flush
    complaints, run_blocks = [], False

    def finish(number):
        """The host has waited for it, which hands over what its queue holds, and nothing else."""
        flushed[commands[number].queue] = len(commands)
        ended.update({number} | commands[number].before)
        for one, other in unflushed:
            if flushed.get(commands[other].queue, 0) <= other and one in ended and not complaints:
                complaints.append(
                    f"{commands[one]} waits for {commands[other]}, whose queue was never flushed: it may wait for ever"
                )

    for call in run.calls:
        words = call.split()
        if words[0] == "order":
            now = Ordered(len(commands), words, set(ended))
            own = [last.get(now.queue)]
            if now.queue in loose:
                all_before = now.what in ("Barrier", "Marker") and not now.waits
                own = [command.number for command in commands if command.queue == now.queue] if all_before else []
                own.append(barriers.get(now.queue))
                if now.what == "Barrier":
                    barriers[now.queue] = now.number
            for other in [*own, *(giver.get(event) for event in now.waits)]:
                if other is not None:
                    now.before |= {other} | commands[other].before
            unflushed += [
                (now.number, giver[event])
                for event in now.waits
                if event in giver and commands[giver[event]].queue != now.queue and giver[event] not in ended
            ]
            for other in commands:
                shared = other.uses & now.uses and not {other.what, now.what} <= {"read", "map"}
                if shared and other.number not in now.before and not complaints:
                    complaints.append(
                        f"{now} may run before {other} has ended: both use the same buffer, and no event orders them"
                    )
            last[now.queue] = now.number
            giver[words[6]] = now.number
            commands.append(now)
            waits.append(len(ended))
            if run_blocks:
                finish(now.number)
        elif words[0] == "Flush":
            flushed[words[1]] = len(commands)
        elif words[0] in ("Finish", "WaitForEvents"):
            targets = [giver.get(event) for event in words[2:]]
            if words[0] == "Finish":
                targets = [command.number for command in commands if command.queue == words[1]]
            for number in [number for number in targets if number is not None]:
                finish(number)
        if words[0].startswith("Enqueue"):  # "order", which says more of it, comes a line or two later
            run_blocks = behaviour.blocks(call)
    late = next(
        (command for command in commands if command.what in ("read", "map") and command.number not in ended), None
    )
    if late and not complaints:
        complaints.append(f"nothing waits for {late}: the host looks at data that may not be there")
    return complaints, commands, waits


def between_queues(attempt, honest):
    """Two commands of different queues, or of one that keeps no order, that use the same buffer are ordered, in whatever
    exercise."""
    queues = {call.split()[1] for call in honest.calls if call.startswith("on ")}
    loose = any(call.startswith("on ") and call.endswith("without order") for call in honest.calls)
    return in_order(honest)[0] if len(queues) > 1 or loose else []


def too_early(run, commands, waits):
    """A complaint where the host has waited, or has asked whether it need not, before everything was enqueued."""
    names = [call.split()[0] for call in run.calls]
    if "PollEvent" in names and "order" in names[names.index("PollEvent") :]:
        return ["the host asks whether a command has ended before everything is enqueued: that is a wait, too"]
    if not waits or waits[-1] == 0:
        return []
    first = next(number for number, ended in enumerate(waits) if ended)
    return [
        f"the host waits before it has enqueued {commands[first]}, of {len(commands)}: let the commands wait for each "
        "other"
    ]


def one_by_one(commands):
    """A complaint where no copy, of those after the first launch, may run beside a launch."""
    launches = [command for command in commands if command.what == "launch"]
    copies = [command for command in commands if command.what == "copy" and command.number > launches[0].number]
    for copy in copies:
        if any(launch.number not in copy.before and copy.number not in launch.before for launch in launches):
            return []
    return ["each copy waits, by queues or events, for all the launches before it: nothing happens at the same time"]
