"""On Oclgrind, which reports reads and writes outside buffers, uninitialised values, data races between
work-items, and API calls that break the rules: there must be no report.

With "full" also at all sizes, and all work-groups, where that takes long. Of a search, kernels that it has for other
devices only are run by a host that is changed for it (ON_OTHER_DEVICES).
"""

import itertools
import pathlib
import re
import tempfile

import pytest

from tests import chapter_facts, defects, running
from tests.mutants import test_mutants as mutants
from tests.syntax import changed_copy, forced, kernel_files

AS_WRITTEN = ["--build-options", "-cl-opt-disable"]  # the optimizer may leave out a read that nothing needs
# So that of what is read in fours one, two and three are left over, of rows and of columns.
REMAINDERS = [["5", "6", "7"], ["6", "7", "5"], ["7", "5", "6"]]
OPTIONS = ["--data-races", "--uninitialized", "--check-api"]  # memory errors are always reported


def wrong_on_oclgrind(command, options, quick):
    """What is wrong with a command that is to pass on Oclgrind without a report: a list. `quick` runs
    the first and the last work-group of each launch only; the result is wrong then, and not looked at."""
    code, out, err, log = running.on_oclgrind(command, *OPTIONS, *options, *["--quick"] * quick)
    wrong = running.crashed(code, err) if quick else running.not_passed(code, out, err)
    if "Oclgrind" not in out:
        wrong.append("it did not run on Oclgrind's device")
    reports = [
        line.strip() for line in (log + err).splitlines() if line.strip() and not line.startswith("search ")
    ]  # there a program says what it tries
    if reports:
        wrong.append("Oclgrind reports: " + " / ".join(reports[:6]))
    if quick and not re.search("^(PASSED|FAILED)$", out, re.MULTILINE):
        wrong.append(f"it does not get to its verdict, exit code {code}")
    return wrong


def built_with(chapter, change, folder):
    """The chapter's program, or the mutant's, with a change of its host in the notation of defects.py."""
    home = running.sources(chapter)
    texts = {path.name: path.read_text() for path in home.glob("*.*") if path.suffix in (".h", ".cpp", ".cl")}
    texts |= {f"common/{path.name}": path.read_text() for path in (home.parent / "common").glob("*.h")}
    [defect] = defects.parse(f"## other devices\n{change}", f"the facts of {chapter}")
    errors = mutants.build(chapter, pathlib.Path(folder), texts | defects.changed(defect, home))
    return None if errors else pathlib.Path(folder) / chapter / chapter


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_oclgrind(report, chapter, full):
    known = chapter_facts.of(chapter)
    for change, arguments in known.ON_OTHER_DEVICES:
        with tempfile.TemporaryDirectory() as folder:
            program = built_with(chapter, change, folder)
            wrong = (
                wrong_on_oclgrind([program, *arguments], AS_WRITTEN, False)
                if program
                else ["its host does not compile with the change"]
            )
        report.failed(" ".join([chapter, *arguments, "as on other devices"]), wrong)
        report.count("runs on Oclgrind")
    large = known.LARGE_LAUNCHES and not full
    sizes = known.OCLGRIND_SIZES[-2:] if large else known.OCLGRIND_SIZES
    runs = [*itertools.product([None, *known.FORCED], sizes), *((None, size) for size in REMAINDERS * known.IS_MATRIX)]
    for change, arguments in runs:
        with tempfile.TemporaryDirectory() as folder:
            texts = {path: forced(path.read_text(), change) for path in kernel_files(chapter)}
            program = changed_copy(chapter, pathlib.Path(folder), texts)
            quick = large and not known.NOT_POISONED  # else a launch needs all of the one before
            wrong = wrong_on_oclgrind([program, *arguments], AS_WRITTEN * (not large or known.IS_MATRIX), quick)
        what = " ".join([chapter, *arguments, *("".join(change or "").split("\n")[1:2])])
        if not report.failed(what, wrong):
            print(f"ok      {what}")
        report.count("runs on Oclgrind")
