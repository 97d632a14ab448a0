from checker import behaviour
from checker.command_order import in_order, one_by_one, too_early


def check(attempt):
    """22/2: three queues, ordered by events, and the host waits only when everything has been enqueued."""
    run = attempt.noted(attempt.exercise.sizes[-1])
    complaints, commands, waits = in_order(run)
    if early := too_early(run, commands, waits):
        return early
    queues = {
        what: {command.queue for command in commands if command.what == what} for what in ["copy", "launch", "read"]
    }
    if any(len(used) != 1 for used in queues.values()) or len(set.union(*queues.values())) != 3:
        return ["the copies, the kernels and the results are to have a queue each"]
    return complaints or one_by_one(commands) or behaviour.released(run)
