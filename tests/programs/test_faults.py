"""Makes each OpenCL call of a chapter's program fail, with each code that is plausible for it.

A failed call must end the program with exit code 1, no signal, no sanitizer report, nothing that
says PASSED, and a message with the file, the line and the name of the code. Where a program goes on after a failure, in
a search, it must release what that left behind.

Every call fails in a child process that the layer splits off (checker/layer/faults.cpp); the first call of each function fails in
a process of its own too. With `full` there are more sizes.
"""

import os
import re
import signal
import tempfile
from pathlib import Path

import pytest

from tests import chapter_facts, running

NAMES = running.code_names()
PASSED_OVER = ["clGetPlatformInfo", "clGetDeviceIDs"]  # where they fail, and there is another platform
ASKS = [*PASSED_OVER, "clGetDeviceInfo"]


def wrong_end(code, out, err, failed):
    """What is wrong with how the program ended after the call `failed` = (function, code): a list."""
    wrong = running.crashed(code, err)
    wrong += [f"exit code {code}, where 1 was expected"] * (code != 1)
    wrong += ["it says PASSED"] * ("PASSED" in out + err)
    if not re.search(rf"^\S.*\.(cpp|h):\d+: .*\b{NAMES[failed[1]]}\b", err, re.MULTILINE):
        wrong.append(f"no line on standard error with file:line: and {NAMES[failed[1]]}")
    return wrong


class Run:
    """One chapter at one size."""

    def __init__(self, report, chapter, arguments):
        self.report, self.known = report, chapter_facts.of(chapter)
        self.survivable = [*self.known.SEARCH_CALLS, *self.known.TRIED_CALLS, *PASSED_OVER]
        self.command, self.what = [running.program(chapter), *arguments], " ".join([chapter, *arguments])

    def wrong(self, code, out, err, failed):
        """The same, where the failure of some functions only leaves a candidate, a way or a device out."""
        function, name = failed[0], NAMES[failed[1]]
        left_out = function in self.known.SEARCH_CALLS and f"{name} ({failed[1]}), left out" in err
        left_out |= function in self.known.TRIED_CALLS and "\nrefused " in out
        left_out |= function in ASKS and " is passed over\n" in err
        return [] if left_out and not running.not_passed(code, out, err) else wrong_end(code, out, err, failed)

    def judge(self, n, function, code, wrong, err):
        said = [f"{'; '.join(wrong)}{running.indented('standard error: ' + err)}"] * bool(wrong)
        self.report.failed(f"{self.what}: call {n}, {function} with {NAMES[code]}", said)
        self.report.count("failures")

    def split(self):
        """Fails every call with each of its codes in a child process; the parent must pass. Returns [(number, function,
        code)]."""
        children = []
        with tempfile.TemporaryDirectory() as folder:
            settings = {"fork": folder, "alone": " ".join(self.survivable)}
            *ended, account = running.under_layer(self.command, timeout=600, **settings)
            for line in (Path(folder) / "log").read_text().splitlines():
                n, function, code, status = (int(word) if word[-1].isdigit() else word for word in line.split())
                children.append((n, function, code))
                if status == -1:
                    continue
                out, err = ((Path(folder) / f"{n}.{code}.{end}").read_text(errors="replace") for end in ("out", "err"))
                end = os.waitstatus_to_exitcode(status)
                if end == -signal.SIGALRM:  # a lock of another thread, or the program's own doing: see faults.cpp
                    self.alone(n, code)
                else:
                    self.judge(n, function, code, self.wrong(end, out, err, (function, code)), err)
        missing = set(range(1, len(account.calls) + 1)) - {n for n, *_ in children}
        self.report.failed(self.what, running.not_passed(*ended))
        self.report.failed(self.what, [f"calls that were never failed: {sorted(missing)}"] * bool(missing))
        return children

    def alone(self, n, code):
        """Fails one call in a process of its own."""
        exit_code, out, err, account = running.under_layer(self.command, fail=n, code=code)
        if account.failed is None:  # the number of calls may depend on the times measured
            return self.judge(n, "no call", code, running.not_passed(exit_code, out, err), err)
        wrong = self.wrong(exit_code, out, err, account.failed)
        if exit_code == 0 and not wrong and account.exited:  # it went on, and tidies up at its end, unless by _Exit
            wrong = account.left_behind()
        if exit_code == 1 and account.exited and " is passed over" not in err:  # nothing is at work yet
            wrong.append("it ended by exit, which tidies up under a device that may still be at work: _Exit does not")
        return self.judge(n, account.failed[0], code, wrong, err)

    def singly(self, children):
        """The first call of each function. The program goes on after one that it survives, which a child of a split
        cannot: its first and last call, with each code."""
        for function in {function: None for _, function, _ in children}:
            calls = [(n, code) for n, name, code in children if name == function]
            ends = (calls[0][0], calls[-1][0])
            for n, code in calls if function in self.survivable else calls[:1]:
                if n in ends:
                    self.alone(n, code)


@pytest.mark.thorough
def test_faults(report, chapter, full):
    known = chapter_facts.of(chapter)
    if running.uses_mpi(running.program(chapter)):
        # A child of this process that passes over a device would go on, and MPI's threads are not there.
        pytest.skip("what fails in a program with MPI, test_processes.py makes fail in real processes")
    for arguments in [known.TINY_SIZE, *(known.SMALL_SIZES if full else [])]:
        run = Run(report, chapter, arguments)
        children = run.split()
        if arguments == known.TINY_SIZE:
            run.singly(children)
