import re

from checker import behaviour, references
from checker.behaviour import Trial, beside
from checker.shared_checks import bytes_in_32_bits, fields
from checker.timing import launches_median, timed_lines


def check(attempt):
    """15/1: the bytes and operations of a = b + s * c, and the rate that follows from its own events."""
    if complaints := behaviour.one_item(attempt) or bytes_in_32_bits(attempt):
        return complaints
    for args in [*attempt.exercise.sizes, [str(2**24 // 3 + 2)]]:  # of the last, no float holds the bytes
        run = attempt.plain(args)
        bytes_moved = 12 * int(args[0])
        said = (fields(run, "moved") or ["nothing"])[0]
        if said != f"{bytes_moved} bytes":
            return [
                f"with N = {args[0]}, {bytes_moved} bytes at least come from memory or go there, and the program says "
                f"{said!r}"
            ]
        said = (fields(run, "intensity") or ["nothing"])[0]
        if said != "0.167 FLOP per byte":
            return [f"2 operations for each 12 bytes are 0.167 FLOP per byte, and the program says {said!r}"]
    return other_factor(attempt) or triad_once(attempt) or triad_once(attempt, durations="1 9 5 8 6 7")


def other_factor(attempt):
    """The kernel multiplies by the s that it is given."""
    trial = Trial(attempt, ["1000"], floats="3=2.5")
    given = next((call for call in trial.run.calls if call.startswith("with ")), "")
    if not re.search(r" 3=[0-9a-f]{8}\b", given):
        return []  # its arguments come in another order
    inputs = zip(trial.given(1), trial.given(2))
    expected = [(x + 2.5 * y, 2 * references.U * (abs(x) + abs(2.5 * y))) for x, y in inputs]
    return beside("with N = 1000 and 2.5 in place of s", trial.left(2), expected)


def triad_once(attempt, **settings):
    """Its time and rate in one run."""
    n = 400000
    run = attempt.pocl([str(n)], layer=settings)
    if behaviour.unwaited(run):
        return behaviour.unwaited(run)
    complaints, right = launches_median(run, "ms, ... GB/s")
    if complaints:
        return complaints
    rate = timed_lines(run, "kernel")[-1][1]
    if rate is None:
        return ["there is no GB/s on the line `time`"]
    right_rate = 12 * n / (right * 1e6)
    if abs(rate - right_rate) > 0.06 + 0.01 * right_rate:
        return [f"{12 * n} bytes in {right:.3f} ms are {right_rate:.1f} GB/s, and the program prints {rate:.1f} GB/s"]
    return behaviour.released(run)
