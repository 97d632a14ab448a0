"""What no test runs, and may not: coverage/not-run.txt, held against what was found.

    ## No machine here reports this              the reason, for the lines below it
    common/timing.h kernel_ms: status == CL_PROFILING_INFO_NOT_AVAILABLE -> true

A line names a file, a function and what is never run there: a side of a condition, or a piece of code by how
it begins. What is not run and does not stand there is a failure; so is what stands there and is run after all, or is
there no longer.
"""

import re

from tests import running

LISTED = running.ROOT / "tests" / "coverage" / "not-run.txt"


def listed(files):
    """{what is not run: the reason}, of the files that a regular expression describes."""
    found, reason = {}, ""
    for line in LISTED.read_text().splitlines():
        if line.startswith("## "):
            reason = line[3:]
        elif re.match(files, line):
            found[line] = reason
    return found


def compare(report, files, not_run):
    """Fails for what is not run and not listed, and for what is listed and not among it; returns how many are listed."""
    known = listed(files)
    for what in sorted(set(not_run) - set(known)):
        report.failed("not run", [what])
    for what in sorted(set(known) - set(not_run)):
        report.failed(LISTED.name, [f"it is run, or is there no longer: {what}"])
    named = len(set(known) & set(not_run))
    report.count("named with the reason", named)
    return named
