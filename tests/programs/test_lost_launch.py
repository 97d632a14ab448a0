"""Does a program notice that its kernels, or copies, did not run at all?

The layer reports success for a series of launches and does nothing (LAYER_DROP), one series after the
other. All memory that the program does not fill begins as an unharmed run left it (LAYER_STALE), so with the
right results: only an output that was poisoned, with NaN or the like, before these very launches tells that
they did not run. The clock is the layer's too (LAYER_CLOCK): by the device's, a kernel whose work is doubled
until it takes 4 ms would never end when it does nothing.
"""

import tempfile

import pytest

from tests import chapter_facts, running


def series_of(account):
    """The series of kernels and copies in a run: their numbers and names."""
    series = {}
    for line in account.lines.get("command", []):
        _, function, kernel, _, number, *_ = line.split()
        if function in ("clEnqueueNDRangeKernel", "clEnqueueCopyBuffer"):
            series[int(number)] = function if kernel == "-" else kernel
    return series


def wrong_with(report, known, arguments):
    """Returns what is wrong when the chapter runs with these arguments: a list."""
    command = [running.program(known.chapter)] + arguments
    wrong = []
    with tempfile.TemporaryDirectory() as stale, tempfile.TemporaryDirectory() as cache:
        if known.DROPPED_WAY:  # without a search it is the results that count
            tried = running.under_layer(command, cache=cache, clock=1, floor=known.TIME_FLOOR)[2]
            known.DROPPED_WAY(cache, tried)
        code, out, err, account = running.under_layer(
            command, cache=cache, clock=1, floor=known.TIME_FLOOR, stale=stale
        )
        if code != 0 or "PASSED" not in out.splitlines():
            return [f"unharmed, it does not pass, exit code {code}\n{out}{err}"]
        for number, name in series_of(account).items():
            if known.DROPPED_WAY:  # the search after the last one may have found another
                known.DROPPED_WAY(cache, tried)
            memory = {} if name in known.NOT_POISONED else {"stale": stale}
            code, out, err, _ = running.under_layer(
                command, cache=cache, clock=1, floor=known.TIME_FLOOR, drop=number, **memory
            )
            what = f"without series {number} of its commands, {name}, "
            wrong += [what + how for how in running.crashed(code, err)]
            noticed = code == 1 and "FAILED" in out.splitlines() and "PASSED" not in out + err
            passed = code == 0 and "PASSED" in out.splitlines()
            if known.DROPPED_WAY:  # what it remembered is wrong: it says so, and searches for another
                noticed = passed and ": WRONG at " in err
            reason = known.UNNOTICED.get(name)
            if passed if reason else noticed:
                report.count("series dropped that may be, with a reason" if reason else "series dropped and noticed")
            else:
                wrong.append(
                    what
                    + f"it ends with exit code {code} and says "
                    + ("PASSED" if passed else "FAILED" if noticed else "neither PASSED nor FAILED")
                    + (f"; UNNOTICED says it has no effect: {reason}" if reason else "")
                )
    return wrong


@pytest.mark.thorough
def test_lost_launch(report, chapter):
    known = chapter_facts.of(chapter)
    if not running.has_kernel(chapter):
        return report.nothing_to_do("it has no kernel")
    for arguments in known.DROP_SIZES:
        report.failed(" ".join([chapter, *arguments]), wrong_with(report, known, arguments))
    if not report.counts.get("series dropped and noticed"):
        report.failed(chapter, ["it has a kernel, and no launch that was dropped was noticed"])
