from checker import behaviour
from checker.shared_checks import bytes_in_32_bits, fields
from checker.timing import commands, milliseconds, near, starting


def check(attempt):
    """07/1: the time of the write, from its own event."""
    return (
        bytes_in_32_bits(attempt)
        or transfers_once(attempt)
        or transfers_once(attempt, durations="9000 5000 7000 6000")
        or transfers_once(attempt, 4000, durations="0.001999 0.001499 0.001999 0.001499")
        or transfers_once(attempt, 4000, durations="0.0003")
    )


def transfers_once(attempt, n=400000, **settings):
    """The same in one run."""
    run = attempt.pocl([str(n)], layer=settings)
    if behaviour.unwaited(run):
        return behaviour.unwaited(run)
    lines = [milliseconds(text) for text in fields(run, "time")]
    lines = [(ms, rate) for ms, rate in lines if ms is not None and rate is not None]
    if not lines:
        return ["there is no line `time      write ... ms, ... GB/s`"]
    writes = commands(run, "EnqueueWriteBuffer")
    if len(writes) < 2 or writes[-1] is None:
        return ["nobody asked for the start and the end of the second clEnqueueWriteBuffer: ask its event"]
    warm_up = sum(int(call.split()[3]) for call in starting(run, "EnqueueWriteBuffer ")[:-1])
    if warm_up < 4 * n and not starting(run, "EnqueueFillBuffer"):
        return [
            f"before the write that is timed, {warm_up} of {4 * n} bytes were written: it pays for the memory of the rest"
        ]
    right = writes[-1]
    fit = [rate for ms, rate in lines if near(ms, right)]
    if not fit:
        shown = min((ms for ms, _ in lines), key=lambda ms: abs(ms - right))
        return [f"the write took {right:.3f} ms from start to end by its event, and the program prints {shown:.3f} ms"]
    right_rate = 4 * n / (right * 1e6)
    if not any(abs(rate - right_rate) <= 0.1 + 0.05 * right_rate for rate in fit):
        return [f"{4 * n} bytes in {right:.4f} ms are {right_rate:.1f} GB/s, and the program prints {fit[0]:.1f} GB/s"]
    return behaviour.released(run)
