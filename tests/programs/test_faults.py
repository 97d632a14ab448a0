"""Makes each OpenCL call of a chapter's program fail, with each code that is plausible for it.

A failed call must end the program with exit code 1, no signal, no sanitizer report, nothing that
says PASSED, and a message with the file, the line and the name of the code. Where a program goes on after a failure, in
a search, it must release what that left behind. Two codes are no reason to stop, and are tested as such: a platform
without devices is passed over, and where a device has no times to report, the program says so.

Every call fails in a child process that the layer splits off (checker/layer/faults.cpp); the first
call of each function fails in a process of its own too. With `full` each child is tried once more
with all later calls failing as well, as on a device that is lost; and there are more sizes.
"""

import os
import pathlib
import re
import signal
import tempfile

import pytest

from tests import chapter_facts, running

NAMES = running.code_names()
PASSED_OVER = ["clGetPlatformInfo", "clGetDeviceIDs"]  # where they fail, and there is another platform
TOLERATED = {"clGetDeviceIDs": -1, "clGetEventProfilingInfo": -7}


def wrong_end(code, out, err, failed):
    """What is wrong with how the program ended after the call `failed` = (function, code)."""
    wrong = running.crashed(code, err)
    if code != 1:
        wrong.append(f"exit code {code}, where 1 was expected")
    if "PASSED" in out + err:
        wrong.append("it says PASSED")
    if not re.search(rf"^\S.*\.(cpp|h):\d+: .*\b{NAMES[failed[1]]}\b", err, re.MULTILINE):
        wrong.append(f"no line on standard error with file:line: and {NAMES[failed[1]]}")
    return wrong


def wrong_tolerance(code, out, err, function):
    """The same after a status that is no reason to stop."""
    wrong = running.crashed(code, err)
    passed = "PASSED" in out.splitlines()
    if (
        function == "clGetDeviceIDs"
        and code == 1
        and not passed
        and re.search(r"no OpenCL device|CL_DEVICE_NOT_FOUND", err)
    ):
        return wrong  # the only platform, or one that said before that it had devices
    if code != 0 or not passed:
        wrong.append(f"exit code {code}, where the program was to go on")
    if function == "clGetEventProfilingInfo" and not re.search(r"reports no times|nan|no time", out):
        wrong.append("it does not say that there are no times")
    return wrong


class Run:
    """One chapter at one size: the calls it makes, and those that were made to fail."""

    def __init__(self, report, chapter, arguments):
        self.report, self.known = report, chapter_facts.of(chapter)
        self.survivable = [*self.known.SEARCH_CALLS, *self.known.TRIED_CALLS, *PASSED_OVER]
        self.command = [running.program(chapter)] + arguments
        self.what = " ".join([chapter] + arguments)
        self.children = []  # (number of the call, function, code)
        self.calls = []

    def wrong_end_in_search(self, code, out, err, failed):
        """The same, where the failure of some functions in a search only leaves a candidate out."""
        wrong = wrong_end(code, out, err, failed)
        left_out = f"{NAMES[failed[1]]} ({failed[1]}), left out" in err
        left_out |= failed[0] in self.known.TRIED_CALLS and "\nrefused " in out
        left_out |= failed[0] in [*PASSED_OVER, "clGetDeviceInfo"] and " is passed over\n" in err
        survivable = failed[0] in [*self.survivable, "clGetDeviceInfo"]  # of a device that is not the only one
        if survivable and left_out and not running.not_passed(code, out, err):
            return []
        return wrong

    def judge(self, n, function, code, wrong, err, survived=True):
        self.report.count("failures survived", survived and not wrong)
        if wrong:
            self.report.failed(
                f"{self.what}: call {n}, {function} with {NAMES[code]}",
                ["; ".join(wrong) + running.indented("standard error: " + err)],
            )

    def split(self, **settings):
        """Fails every call with each of its codes in a child process; the parent must pass."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            code, out, err, account = running.under_layer(
                self.command, timeout=600, fork=folder, alone=" ".join(self.survivable), **settings
            )
            self.calls = account.calls
            wrong = running.not_passed(code, out, err)
            for line in (folder / "log").read_text().splitlines():
                n, function, failed_code, status = line.split()
                self.children.append((int(n), function, int(failed_code)))
                if int(status) == -1:
                    continue
                child_out = (folder / f"{n}.{failed_code}.out").read_text(errors="replace")
                child_err = (folder / f"{n}.{failed_code}.err").read_text(errors="replace")
                end = os.waitstatus_to_exitcode(int(status))
                if end == -signal.SIGALRM:
                    # A lock of another thread, or the program's own doing: see split in faults.cpp.
                    self.alone(int(n), function, int(failed_code), **settings)
                    continue
                self.judge(
                    n,
                    function,
                    int(failed_code),
                    self.wrong_end_in_search(end, child_out, child_err, (function, int(failed_code))),
                    child_err,
                )
        missing = set(range(1, len(self.calls) + 1)) - {n for n, _, _ in self.children}
        if missing or not self.calls:
            wrong.append(f"calls that were never failed: {sorted(missing)} of {len(self.calls)}")
        self.report.failed(self.what, wrong)
        self.report.count("calls", len(self.calls))

    def alone(self, n, function, failed_code, **settings):
        """Fails one call in a process of its own."""
        code, out, err, account = running.under_layer(self.command, fail=n, code=failed_code, **settings)
        if account.failed is None:  # the number of calls may depend on the times measured
            self.judge(n, function, failed_code, running.not_passed(code, out, err), err, survived=False)
        else:
            wrong = self.wrong_end_in_search(code, out, err, account.failed)
            # It went on, and tidies up at its end, also after the failure. (By _Exit it leaves that to the system.)
            if code == 0 and not wrong and account.exited:
                wrong = account.left_behind()
            if code == 1 and account.exited and " is passed over" not in err:  # nothing is at work yet
                wrong.append(
                    "it ended by exit, which tidies up under a device that may still be at work: _Exit does not"
                )
            self.judge(n, *account.failed, wrong, err)

    def first_of_each(self):
        """The first call of each function, in processes of their own. The program goes on after one that is part
        of a search, which a child of a split cannot: its first and last call, with each code."""
        seen = set()
        for n, function, code in self.children:
            if function not in seen and function not in self.survivable:
                self.alone(n, function, code)
            seen.add(function)
        for function in self.survivable:
            calls = [(n, code) for n, name, code in self.children if name == function]
            if not calls:
                self.report.failed(self.what, [f"it never calls {function}, whose failure it is said to survive"])
            for n, code in calls:
                if n in (calls[0][0], calls[-1][0]):
                    self.alone(n, function, code)

    def tolerated(self):
        """Gives the statuses that are no reason to stop to the calls that may have them. Of a command's times only one
        end may be missing, and of two commands only the second's."""
        host = (running.ROOT / self.known.chapter / "host.cpp").read_text()
        ends = 4 if "kernels_ms(" in host else 2
        for n, function in enumerate(self.calls, 1):
            if function not in TOLERATED:
                continue
            if function == "clGetEventProfilingInfo" and self.calls[: n - 1].count(function) >= ends:
                continue
            only = {} if function == "clGetDeviceIDs" else {"function": function}
            code, out, err, account = running.under_layer(self.command, fail=n, code=TOLERATED[function], **only)
            wrong = ["the call was not reached"] if account.failed is None else []
            self.judge(n, function, TOLERATED[function], wrong + wrong_tolerance(code, out, err, function), err)


@pytest.mark.thorough
def test_faults(report, chapter, full):
    known = chapter_facts.of(chapter)
    if running.uses_mpi(running.program(chapter)):
        # A child of this process that passes over a device would go on, and MPI's threads are not there.
        pytest.skip("what fails in a program with MPI, test_processes.py makes fail in real processes")
    run = Run(report, chapter, known.TINY_SIZE)
    run.split()
    run.first_of_each()
    run.tolerated()
    if full:
        Run(report, chapter, known.TINY_SIZE).split(onward=1)
        for arguments in known.SMALL_SIZES:
            Run(report, chapter, arguments).split()
