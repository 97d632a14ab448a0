from checker import behaviour
from checker.command_order import in_order, one_by_one, too_early


def little_memory(run):
    """A complaint where all of the data fits into the buffers: it was to come in pieces."""
    made = sum(int(call.split()[2]) for call in run.calls if call.startswith("create buffer"))
    if made > 4 * int(run.args[0]):
        return [
            f"the buffers have {made} bytes, and all of the data has {4 * int(run.args[0])}: two pieces are to be there at a time"
        ]
    return []


def check(attempt):
    """22/1: no two commands of the two queues meet in a buffer by luck, and the host waits only at the end."""
    run = attempt.noted(attempt.exercise.sizes[-1])
    complaints, commands, waits = in_order(run)
    if len({command.queue for command in commands}) < 2:
        return ["all commands are in one queue: nothing can be copied while something is computed"]
    return (
        complaints
        or little_memory(run)
        or too_early(run, commands, waits)
        or one_by_one(commands)
        or behaviour.released(run)
    )
