"""On Oclgrind, which reports reads and writes outside buffers, uninitialised values, data races between
work-items, and API calls that break the rules: there must be no report.

With "full" also at all sizes, and all work-groups, where that takes long.
"""

import itertools
import re

import pytest

from tests import chapter_facts, running
from tests.kernels import forced_copy

AS_WRITTEN = ["--build-options", "-cl-opt-disable"]  # the optimizer may leave out a read that nothing needs
# So that of what is read in fours one, two and three are left over, of rows and of columns.
REMAINDERS = [["5", "6", "7"], ["6", "7", "5"], ["7", "5", "6"]]
OPTIONS = ["--data-races", "--uninitialized", "--check-api"]  # memory errors are always reported


def wrong_on_oclgrind(command, options, quick):
    """What is wrong with a command that is to pass on Oclgrind without a report: a list. `quick` runs
    the first and the last work-group of each launch only; the result is wrong then, and not looked at."""
    code, out, err, log = running.on_oclgrind(command, *OPTIONS, *options, *["--quick"] * quick)
    wrong = running.crashed(code, err) if quick else running.not_passed(code, out, err)
    if quick and not re.search("^(PASSED|FAILED)$", out, re.MULTILINE):
        wrong.append(f"it does not get to its verdict, exit code {code}")
    if "Oclgrind" not in out:
        wrong.append("it did not run on Oclgrind's device")
    lines = [line.strip() for line in (log + err).splitlines()]
    reports = [line for line in lines if line and not line.startswith("search ")]  # there a program says what it tries
    return wrong + ["Oclgrind reports: " + " / ".join(reports[:6])] * bool(reports)


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_oclgrind(report, chapter, full, tmp_path):
    known = chapter_facts.of(chapter)
    large = known.LARGE_LAUNCHES and not full
    quick = large and not known.READ_LATER  # else a launch needs all of the one before
    sizes = known.OCLGRIND_SIZES[-2:] if large else known.OCLGRIND_SIZES
    remainders = REMAINDERS * (known.IS_MATRIX and not known.WHOLE_TILES)
    runs = [*itertools.product([None, *known.FORCED], sizes), *((None, size) for size in remainders)]
    for number, (change, arguments) in enumerate(runs):
        program = forced_copy(chapter, tmp_path / str(number), change)
        wrong = wrong_on_oclgrind([program, *arguments], AS_WRITTEN * (not large or known.IS_MATRIX), quick)
        report.failed(" ".join([chapter, *arguments, *("".join(change or "").split("\n")[1:2])]), wrong)
        report.count("runs on Oclgrind")
