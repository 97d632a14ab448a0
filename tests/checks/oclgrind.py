"""On Oclgrind, which reports reads and writes outside buffers, uninitialised values, data races between
work-items, and API calls that break the rules: there must be no report.

With "full" also at all sizes, and all work-groups, where that takes long.
"""

import re

import facts
import harness

OPTIONS = ["--data-races", "--uninitialized", "--check-api"]  # memory errors are always reported


def wrong_on_oclgrind(command, options, quick):
    """What is wrong with a command that is to pass on Oclgrind without a report: a list. `quick` runs
    the first and the last work-group of each launch only; the result is wrong then, and not looked at."""
    code, out, err, log = harness.on_oclgrind(command, *OPTIONS, *options, *["--quick"] * quick)
    wrong = harness.crashed(code, err)
    if "Oclgrind" not in out:
        wrong.append("it did not run on Oclgrind's device")
    reports = [
        line.strip() for line in (log + err).splitlines() if line.strip() and not line.startswith("search ")
    ]  # there a program says what it tries
    if reports:
        wrong.append("Oclgrind reports: " + " / ".join(reports[:6]))
    if not quick and (code != 0 or "PASSED" not in out.splitlines()):
        wrong.append(f"it does not pass, exit code {code}")
    if quick and not re.search("^(PASSED|FAILED)$", out, re.MULTILINE):
        wrong.append(f"it does not get to its verdict, exit code {code}")
    return wrong


def check(report, chapter, full):
    known = facts.of(chapter)
    large = known.LARGE_LAUNCHES and not full
    for arguments in known.OCLGRIND_SIZES[-1:] if large else known.OCLGRIND_SIZES:
        wrong = wrong_on_oclgrind(
            [harness.program(chapter)] + arguments, known.OCLGRIND_OPTIONS, large and not known.WHOLE_LAUNCHES
        )
        if not report.failed(" ".join([chapter, *arguments]), wrong):
            print(f"ok      {' '.join([chapter, *arguments])}")
        report.count("runs on Oclgrind")
