"""Makes each OpenCL call of a chapter's program fail, with each code that is plausible for it.

A failed call must end the program with exit code 1, no signal, no sanitizer report, nothing that
says PASSED, and a message with the file, the line and the name of the code. Two codes are no reason
to stop, and are tested as such: a platform without devices is passed over, and where a device has no
times to report, the program says so.

Every call fails in a child process that the layer splits off (LAYER_FORK in fault_layer/faults.cpp); the first
call of each function fails in a process of its own too. With "full" each child is tried once more
with all later calls failing as well, as on a device that is lost; and there are more sizes.
"""

import os
import pathlib
import re
import tempfile

import facts
import harness

NAMES = harness.code_names()
TOLERATED = {"clGetDeviceIDs": -1, "clGetEventProfilingInfo": -7}


def wrong_end(code, out, err, failed):
    """What is wrong with how the program ended after the call `failed` = (function, code)."""
    wrong = harness.crashed(code, err)
    if code != 1:
        wrong.append(f"exit code {code}, where 1 was expected")
    if "PASSED" in out + err:
        wrong.append("it says PASSED")
    if not re.search(rf"^\S.*\.(cpp|h):\d+: .*\b{NAMES[failed[1]]}\b", err, re.MULTILINE):
        wrong.append(f"no line on standard error with file:line: and {NAMES[failed[1]]}")
    return wrong


def wrong_tolerance(code, out, err, function):
    """The same after a status that is no reason to stop."""
    wrong = harness.crashed(code, err)
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
        self.report, self.known = report, facts.of(chapter)
        self.command = [harness.program(chapter)] + arguments
        self.what = " ".join([chapter] + arguments)
        self.children = []  # (number of the call, function, code)
        self.calls = []

    def wrong_end_in_search(self, code, out, err, failed):
        """The same, where the failure of some functions in a search only leaves a candidate out."""
        wrong = wrong_end(code, out, err, failed)
        left_out = f"{NAMES[failed[1]]} ({failed[1]}), left out" in err
        if failed[0] in self.known.SEARCH_CALLS and left_out and not harness.not_passed(code, out, err):
            return []
        return wrong

    def judge(self, n, function, code, wrong, err, survived=True):
        self.report.count("failures survived", survived and not wrong)
        if wrong:
            self.report.failed(
                f"{self.what}: call {n}, {function} with {NAMES[code]}",
                ["; ".join(wrong) + harness.indented("standard error: " + err)],
            )

    def split(self, **settings):
        """Fails every call with each of its codes in a child process; the parent must pass."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            code, out, err, account = harness.under_layer(
                self.command, timeout=600, fork=folder, alone=f",{','.join(self.known.SEARCH_CALLS)},", **settings
            )
            self.calls = account.calls
            wrong = harness.not_passed(code, out, err)
            for line in (folder / "log").read_text().splitlines():
                n, function, failed_code, status = line.split()
                self.children.append((int(n), function, int(failed_code)))
                if int(status) == -1:
                    continue
                child_out = (folder / f"{n}.{failed_code}.out").read_text(errors="replace")
                child_err = (folder / f"{n}.{failed_code}.err").read_text(errors="replace")
                end = os.waitstatus_to_exitcode(int(status))
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

    def alone(self, n, function, failed_code):
        """Fails one call in a process of its own."""
        code, out, err, account = harness.under_layer(self.command, fail=n, code=failed_code)
        if account.failed is None:  # the number of calls may depend on the times measured
            self.judge(n, function, failed_code, harness.not_passed(code, out, err), err, survived=False)
        else:
            wrong = self.wrong_end_in_search(code, out, err, account.failed)
            if code == 1 and "exited" in account.lines:
                wrong.append(
                    "it ended by exit, which tidies up under a device that may still be at work: _Exit does not"
                )
            self.judge(n, *account.failed, wrong, err)

    def first_of_each(self):
        """The first call of each function, in processes of their own. The program goes on after one that is part
        of a search, which a child of a split cannot: its first and last call, with each code."""
        seen = set()
        for n, function, code in self.children:
            if function not in seen and function not in self.known.SEARCH_CALLS:
                self.alone(n, function, code)
            seen.add(function)
        for function in self.known.SEARCH_CALLS:
            calls = [(n, code) for n, name, code in self.children if name == function]
            for n, code in calls:
                if n in (calls[0][0], calls[-1][0]):
                    self.alone(n, function, code)

    def tolerated(self):
        """Gives the statuses that are no reason to stop to the calls that may have them."""
        for n, function in enumerate(self.calls, 1):
            if function not in TOLERATED or (function in self.calls[: n - 1] and function != "clGetDeviceIDs"):
                continue
            only = {} if function == "clGetDeviceIDs" else {"function": function}
            code, out, err, account = harness.under_layer(self.command, fail=n, code=TOLERATED[function], **only)
            wrong = ["the call was not reached"] if account.failed is None else []
            self.judge(n, function, TOLERATED[function], wrong + wrong_tolerance(code, out, err, function), err)


def check(report, chapter, full):
    known = facts.of(chapter)
    run = Run(report, chapter, known.TINY_SIZE)
    run.split()
    run.first_of_each()
    run.tolerated()
    if full:
        Run(report, chapter, known.TINY_SIZE).split(onward=1)
        for arguments in known.SMALL_SIZES:
            Run(report, chapter, arguments).split()
