"""Are the times and the rates that a chapter prints those of its commands? And is everything released, finished, unmapped and
closed at the end?

The layer answers for the device's clock (`clock`), from a table that is in its account of the run, and for the
host's, on which the same commands take the same time. So what a chapter must print can be computed from the
account, by times() in the chapter's facts: which commands it takes the time of, from which moment to which, the
median of the runs without the warm-up, and the rate from the bytes or operations that its lesson states. On
the host's clock, each piece must take what its commands do, and nothing else: a wait that is missing, or that is
for something else as well, shows. Every "time" line must be accounted for.
"""

import re

from tests import chapter_facts, running

# With the first, the times are short and the rates have two digits and more. With the second, each warm-up lasts so long
# that only one run follows. With the third, the first run of a series is the fastest.
CLOCKS = [{"clock": 1}, {"clock": 58, "warm_up": 20000}, {"clock": 2, "warm_up": 1}]


class Wrong(Exception):
    """What the program did is not what its times can be computed from."""


def median(values):
    return sorted(values)[len(values) // 2]


def more_runs(times):
    """common/timing.h: a warm-up and five runs, or a warm-up and one, if they took two seconds in all."""
    return len(times) < 2 or (len(times) < 6 and sum(times) < 2000)


class Times(list):
    """The times of all runs, in ms, the warm-up first. `last`: the commands of the last run; `pack`: of each run, until its last
    command starts; `host`: on the host's clock, until it has waited for the last command; `after`: the same of what follows."""

    def __init__(self):
        super().__init__()
        self.pack, self.last, self.host, self.after = [], [], [], []


class Commands:
    """The commands of a run, taken one by one: `left`. Each knows when the host's clock came to its call (`before`), and to the
    end of the last wait before that (`waited`)."""

    def __init__(self, account):
        self.left, self.call, self.reading = [], account.call_ns / 1e6, account.reading_ns / 1e6  # in ms
        now, waited, idle, events, commands = 0, 0, {}, {}, iter(account.commands)
        for what, it in account.notes:
            if what == "call":
                call, before, now = it, now, now + self.call
            elif what == "command":
                self.left.append(next(commands))
                self.left[-1].before, self.left[-1].waited = before, waited
                idle[call.arguments[0]] = max(idle.get(call.arguments[0], 0), now) + self.left[-1].whole
            elif what == "done":
                events.update({made: idle[it.arguments[0]] for made in it.made if it.name.startswith("Enqueue")})
                ends = []
                if it.name == "WaitForEvents":
                    ends = [events[event] for event in it.arguments[1].strip("[]").split()]
                elif it.name == "Finish" or re.match("Enqueue(Read|Write|Map)", it.name) and it.arguments[2] == "1":
                    ends = [idle.get(it.arguments[0], 0)]
                now = max([now, *ends])
                waited = now if ends else waited

    def take(self, name):
        if not self.left or self.left[0].name != name:
            found = self.left[0].name if self.left else "the end"
            raise Wrong(f"where {name} was expected among the commands comes {found}")
        return self.left.pop(0)

    def runs(self, *names, runs=None, before=(), after=None, add=False, by_host=False):
        """Takes runs, each of them the commands `names`, after the commands `before` and before the one `after` that do not count:
        as many as common/timing.h says (with `by_host` on the host's clock), or `runs`. Timed from the first one's start to the
        last one's end, or with `add`, the time of each of them."""
        times = Times()
        taken = times.host if by_host else times
        while (len(times) < runs) if runs else more_runs(taken):
            for name in before:
                self.take(name)
            now = times.last = [self.take(name) for name in names]
            times.append(sum(c.took for c in now) if add else now[-1].ended - now[0].started if now else 0)
            times.pack.append(now[-1].started - now[0].started if now else 0)
            times.host.append(sum(c.whole for c in now) + self.call + self.reading)
            if after:
                times.after.append(self.on_host(after))
        return times

    def on_host(self, name):
        """What a single command takes on the host's clock, in ms."""
        return self.runs(name, runs=1).host[0]


class Expected:
    """The "time" lines that are expected: a regular expression and what stands in its groups, each with the digits that are
    printed, and by how much it may be off. `out`: what the run says."""

    def __init__(self, out):
        self.out, self.lines = out, []

    def line(self, pattern, *numbers):
        self.lines.append((pattern, numbers))

    def rate(self, what, times, work, unit, best=False, slack=0):
        """A line of print_time, of the median of the runs without the warm-up, or the best of all: `work` is in bytes or
        operations. Returns what it does a second, in 10^9."""
        ms = min(times) if best else median(times[1:])
        if not ms:
            self.line(rf"{what} ([\d.]+) ms", (0, 3))
            return 0
        rate = work / ms / 1e6
        self.line(rf"{what} ([\d.]+) ms, ([\d.]+) {unit}", (ms, 3, slack), (rate, 1, rate * slack / ms))
        return rate


def matmul_times(commands, expected, m, n, k):
    """times() of a chapter whose product is one kernel."""
    times = commands.runs("matmul")
    commands.take("clEnqueueReadBuffer")
    expected.rate("kernel", times, 2 * m * n * k, "GFLOP/s")


def packed_times(commands, expected, what, m, n, k, by_host=False):
    """The same of three kernels, of which two pack."""
    times = commands.runs("pack_a", "pack_b", "matmul", by_host=by_host)
    commands.take("clEnqueueReadBuffer")
    expected.rate(what, times, 2 * m * n * k, "GFLOP/s")
    expected.line(r"of which packing ([\d.]+) ms", (median(times.pack[1:]), 3))
    return times


def compare(line, pattern, numbers):
    """What is wrong with a printed line: a list of sentences."""
    match = re.fullmatch(pattern, line)
    if match is None:
        return [f"it prints {line!r}, where this was expected: {pattern}"]
    return [
        f"it prints {text} in {line!r}; by the account it is {value:.{digits}f}"
        for text, (value, digits, *slack) in zip(match.groups(), numbers)
        if len(text.partition(".")[2]) != digits
        or abs(float(text) - value) > 0.5 * 10**-digits + 1e-9 * value + sum(slack)
    ]


def wrong_times(known, arguments, out, account):
    """What is wrong with what a run says of times: a list of sentences."""
    lines = [line for line in out.splitlines() if line.startswith("time ")]
    if known.times is None:
        asks = lines or account.readings or "clGetEventProfilingInfo" in account.calls
        return [f"it asks a clock for times, and has no times() in {chapter_facts.file_of(known.chapter)}"] * bool(asks)
    expected, commands = Expected(out), Commands(account)
    try:
        known.times(commands, expected, *map(int, arguments))
    except Wrong as what:
        return [str(what)]
    wrong = [f"at its end it enqueues {commands.left[0].name} besides"] if commands.left else []
    if len(lines) != len(expected.lines):
        wrong += [f"it prints {len(lines)} lines with times, where {len(expected.lines)} were expected"]
    for line, (pattern, numbers) in zip(lines, expected.lines):
        wrong += compare(line, "time {6}" + pattern, numbers)
    return wrong


def test_printed_times(report, chapter, tmp_path):
    known = chapter_facts.of(chapter)

    def run(arguments, clock):
        command = [running.program(chapter), *arguments]
        cache = tmp_path / "-".join(["cache", *arguments])
        *ended, account = running.under_layer(command, floor=known.TIME_FLOOR, cache=cache, **clock)
        wrong = running.not_passed(*ended) or wrong_times(known, arguments, ended[1], account) + account.left_behind()
        report.failed(f"{chapter} {arguments}, {clock}", wrong)
        report.count("runs on a clock with known times")
        return cache, ended[2]

    for arguments in known.TIME_SIZES:
        for clock in CLOCKS:
            cache, err = run(arguments, clock)
            for way in known.WAYS if clock == CLOCKS[0] else []:  # each of them, whichever it chose
                winner = way(cache, err)
                if winner and f"remembered: {winner}" not in run(arguments, clock)[1]:
                    report.failed(chapter, [f"it does not take {winner} from its memory"])
