from checker import behaviour
from checker.mpi import MANY_PROCESSES, mpi_logs


def check(attempt):
    """24/1: of five processes, each sends to the next one only, and passes on four parts."""
    args, processes = ["17", "33", "64"], 5
    run, logs = mpi_logs(attempt, args, processes)
    for rank in range(processes):
        if rank not in logs:
            return [f"with {processes} processes, process {rank} does not get as far as MPI_Finalize: {run.err[-200:]}"]
        calls = logs[rank]
        others = [call[0] for call in calls if call[0] in ("Bcast", "Ibcast")]
        sends = [int(call[1]) for call in calls if call[0] == "send"]
        if others or any(to != (rank + 1) % processes for to in sends):
            how = f"process {rank} calls MPI_{others[0]}" if others else f"process {rank} sends to {sends[0]}"
            return [f"in a ring each process sends to the next one only: {how}"]
        if any(call[0] == "overwritten" for call in calls):
            return [
                f"process {rank} writes to a part that is on its way to the next process: wait for its MPI_Isend first"
            ]
        if not sends:  # by persistent or one-sided calls, which mpi_probe.cpp does not know
            return behaviour.missing(
                attempt, f"how the parts go round: process {rank} makes no call to send that is known"
            )
        if len(sends) > processes - 1:
            return [f"each process passes a part on {len(sends)} times, where {processes - 1} are enough"]
    cases = [(processes, {"MPI_LAYER_CHANGE": 1}), (MANY_PROCESSES, {})]
    changed, many = attempt.at_once(lambda case: mpi_logs(attempt, args, case[0], **case[1])[0], cases)
    if changed.passed():
        return ["all numbers are changed on their way round, and C is still right: nobody computes with what arrives"]
    return [] if many.passed() else [attempt.broken(many) or attempt.first_wrong(many)]
