"""Makes each OpenCL call of a chapter's program fail, with each code that is plausible for it.

    python3 tests/faults/faults.py 06-dot-product-reduction
    python3 tests/faults/faults.py 06-dot-product-reduction full
    python3 tests/faults/faults.py total [full]

A failed call must end the program with exit code 1, no signal, no sanitizer report, nothing that
says PASSED, and a message with the file, the line and the name of the code. Two codes are no reason
to stop, and are tested as such: a platform without devices is passed over, and where a device has no
times to report, the program says so.

Every call fails in a child process that the layer splits off (LAYER_FORK in layer.cpp); the first
call of each function fails in a process of its own too. With "full" each child is tried once more
with all later calls failing as well, as on a device that is lost; and there are more sizes.
"""
import os
import pathlib
import re
import tempfile

import layer  # beside this file
from layer import chapters

NAMES = layer.code_names()
TOLERATED = {"clGetDeviceIDs": -1, "clGetEventProfilingInfo": -7}


def wrong_end(code, out, err, failed):
    """What is wrong with how the program ended after the call `failed` = (function, code)."""
    wrong = chapters.crashed(code, err)
    if code != 1:
        wrong.append(f"exit code {code}, where 1 was expected")
    if "PASSED" in out + err:
        wrong.append("it says PASSED")
    if not re.search(rf"^\S.*\.(cpp|h):\d+: .*\b{NAMES[failed[1]]}\b", err, re.MULTILINE):
        wrong.append(f"no line on standard error with file:line: and {NAMES[failed[1]]}")
    return wrong


def wrong_tolerance(code, out, err, function):
    """The same after a status that is no reason to stop."""
    wrong = chapters.crashed(code, err)
    passed = "PASSED" in out.splitlines()
    if function == "clGetDeviceIDs" and code == 1 and not passed and \
            re.search(r"no OpenCL device|CL_DEVICE_NOT_FOUND", err):
        return wrong  # the only platform, or one that said before that it had devices
    if code != 0 or not passed:
        wrong.append(f"exit code {code}, where the program was to go on")
    if function == "clGetEventProfilingInfo" and not re.search(r"reports no times|nan|no time", out):
        wrong.append("it does not say that there are no times")
    return wrong


def passes(code, out, err):
    """What is wrong with a run that nothing was done to."""
    wrong = chapters.crashed(code, err)
    if code != 0 or "PASSED" not in out.splitlines():
        wrong.append(f"unharmed, it does not pass: exit code {code}")
    return wrong


class Run:
    """One chapter at one size: the calls it makes, how often one was failed, what went wrong."""

    def __init__(self, chapter, arguments):
        self.command = [chapters.program(chapter)] + arguments
        self.what = " ".join([chapter] + arguments)
        self.survived = 0
        self.failures = 0
        self.children = []  # (number of the call, function, code)
        self.calls = []

    def report(self, n, function, code, wrong, err):
        self.survived += not wrong
        self.failures += bool(wrong)
        if wrong:
            print(f"FAILED  {self.what}: call {n}, {function} with {NAMES[code]}: " + "; ".join(wrong))
            print("        standard error: " + err.strip().replace("\n", "\n        "))

    def split(self, **settings):
        """Fails every call with each of its codes in a child process; the parent must pass."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            code, out, err, account = layer.run(self.command, timeout=600, fork=folder, **settings)
            self.calls = account.calls
            wrong = passes(code, out, err)
            for line in (folder / "log").read_text().splitlines():
                n, function, failed_code, status = line.split()
                self.children.append((int(n), function, int(failed_code)))
                child_out = (folder / f"{n}.{failed_code}.out").read_text(errors="replace")
                child_err = (folder / f"{n}.{failed_code}.err").read_text(errors="replace")
                end = os.waitstatus_to_exitcode(int(status))
                self.report(n, function, int(failed_code),
                            wrong_end(end, child_out, child_err, (function, int(failed_code))), child_err)
        missing = set(range(1, len(self.calls) + 1)) - {n for n, _, _ in self.children}
        if missing or not self.calls:
            wrong.append(f"calls that were never failed: {sorted(missing)} of {len(self.calls)}")
        if wrong:
            self.failures += 1
            print(f"FAILED  {self.what}: " + "; ".join(wrong) + "\n" + err)

    def alone(self, n, function, failed_code):
        """Fails one call in a process of its own."""
        code, out, err, account = layer.run(self.command, fail=n, code=failed_code)
        if account.failed is None:  # the number of calls may depend on the times measured
            self.report(n, function, failed_code, passes(code, out, err), err)
            self.survived -= 1
        else:
            self.report(n, *account.failed, wrong_end(code, out, err, account.failed), err)

    def first_of_each(self):
        """The first call of each function, in processes of their own."""
        seen = set()
        for n, function, code in self.children:
            if function not in seen:
                self.alone(n, function, code)
            seen.add(function)

    def tolerated(self):
        """Gives the statuses that are no reason to stop to the calls that may have them."""
        for n, function in enumerate(self.calls, 1):
            if function not in TOLERATED or (function in self.calls[:n - 1] and function != "clGetDeviceIDs"):
                continue
            only = {} if function == "clGetDeviceIDs" else {"function": function}
            code, out, err, account = layer.run(self.command, fail=n, code=TOLERATED[function], **only)
            wrong = ["the call was not reached"] if account.failed is None else []
            self.report(n, function, TOLERATED[function], wrong + wrong_tolerance(code, out, err, function), err)


def check(chapter, full=""):
    runs = [Run(chapter, chapters.tiny_size(chapter))]
    runs[0].split()
    runs[0].first_of_each()
    runs[0].tolerated()
    if full:
        lost = Run(chapter, chapters.tiny_size(chapter))
        lost.split(onward=1)
        others = [Run(chapter, arguments) for arguments in chapters.small_sizes(chapter)]
        for one in others:
            one.split()
        runs += [lost, *others]
    calls = sum(len(one.calls) for one in runs)
    survived = sum(one.survived for one in runs)
    failures = sum(one.failures for one in runs)
    print(f"{chapter}: {calls} calls, {survived} failures survived, {failures} not")
    return failures, {"calls": calls, "survived": survived}


chapters.test("faults", check, "{chapters} chapters, {calls} calls, {survived} failures survived", full=True)
