"""A program that works on several devices: which ones OCL_DEVICE names, on machines that a layer pretends; that devices of
several implementations, which have no context in common, each do a part; and that where one of these fails in
the middle, the others do it.

The implementations are PoCL and, of Intel's runtime and Oclgrind, those that are there; without either, that part is
skipped by name.
"""

import os
import pathlib
import re
import tempfile
import unittest.mock

import pytest

from tests import running
from tests.programs.test_faults import NAMES
from tests.systems import test_implementations as implementations

CHAPTER = "23-several-devices"
POCL = pathlib.Path("/etc/OpenCL/vendors/pocl.icd")
SIZE = ["1280", "9", "7"]  # ten strips of rows
# The machine, OCL_DEVICE, and the devices that work; None: refused. As in device_choice.py.
LISTS = [
    ("cpu,gpu/gpu", "all", ["cpu-0-0", "gpu-0-1", "gpu-1-0"]),
    ("cpu,gpu/gpu", "ALL", ["cpu-0-0", "gpu-0-1", "gpu-1-0"]),
    ("cpu,gpu/gpu", "1:0,0:0", ["cpu-0-0", "gpu-1-0"]),
    ("cpu,gpu/gpu", "gpu,", ["gpu-0-1", "gpu-1-0"]),
    ("cpu,gpu/gpu", "u-0-0,GPU,1:0", ["cpu-0-0", "gpu-0-1", "gpu-1-0"]),
    ("cpu,gpu,gpu", "gpu", ["gpu-0-1"]),
    ("cpu,gpu,gpu", None, ["gpu-0-1"]),
    ("cpu,gpu/gpu", "0:0,cpu,u-0-0", ["cpu-0-0"]),
    ("cpu", "all", ["cpu-0-0"]),
    ("cpu,gpu", "gpu,1:0", None),
    ("cpu", "gpu,", None),
    ("cpu", ",", None),
    ("/", "all", None),
]


def devices_in(out):
    return re.findall(r"^device    (.*) \(.*\)$", out, re.MULTILINE)


def lists(report):
    for machine, wish, working in LISTS:
        env = {**running.as_device(types=machine), "OCL_DEVICE": wish}
        code, out, err = running.run([running.program(CHAPTER), *SIZE], env=env)
        if working is None:
            good = code == 1 and "no OpenCL device " in err and "PASSED" not in out
        else:
            good = not running.not_passed(code, out, err) and devices_in(out) == working
        report.must(f"{machine} with OCL_DEVICE={wish}: {working}", good, f"{code}\n{out}{err}")


def without_times(report, folder):
    """Two devices of which one reports no times: nothing is known of how fast they are, so each has half of the rows."""
    profile = folder / "profile"
    profile.write_text("times first\n")
    env = {**running.as_device(profile, "cpu,gpu"), "OCL_DEVICE": "all"}
    code, out, err = running.run([running.program(CHAPTER), *SIZE], env=env)
    parts = re.findall(r"^time      rows (\d+ to \d+): kernel", out, re.MULTILINE)
    good = code == 0 and out.endswith("PASSED\n") and len(devices_in(out)) == 2 and parts == ["0 to 639", "640 to 1279"]
    report.must(
        "one of two devices reports no times: it has half of the rows all the same", good, f"{code}\n{out}{err}"
    )


def silent(report):
    """A device that does not answer is passed over; it exists on paper only."""
    paper = running.layered(types="gpu", on_paper=1, beside=1, paper_fails="clGetDeviceInfo -5")
    env = {**paper, "OCL_DEVICE": "all"}
    code, out, err = running.run([running.program(CHAPTER), *SIZE], env=env)
    good = not running.not_passed(code, out, err) and " is passed over\n" in err
    report.must("a device that does not answer, and OCL_DEVICE=all: the others", good, f"{code}\n{out}{err}")


def in_the_middle(calls, function):
    """The number of the middle one of the calls of this function."""
    numbers = [n for n, name in enumerate(calls, 1) if name == function]
    return numbers[len(numbers) // 2]


def together(report, name, folder):
    """PoCL and another implementation, each with its part; then one of them fails. On the known clock, whose devices are
    about as fast: a simulator would have nothing to do."""
    other = implementations.environment(name, folder)
    (folder / "vendors" / "pocl.icd").write_text(POCL.read_text(encoding="utf-8"))
    os.environ.update({**other, "OCL_DEVICE": "all"})
    command = [running.program(CHAPTER), *SIZE]
    code, out, err, account = running.under_layer(command, clock=1)
    contexts = account.calls.count("clCreateContext")
    parts = re.findall(r"^time      (rows .*): kernel", out, re.MULTILINE)
    good = not running.not_passed(code, out, err) and len(set(devices_in(out))) == contexts == 2 and parts
    report.must(f"PoCL and {name}: {' and '.join(parts)}", good, f"{code}\n{out}{err}")
    if name == "oclgrind":  # by the real clock the simulator is a thousand times slower, so that PoCL does all of it
        code, out, err = running.run(command)
        parts = re.findall(r"^time      rows (.*): kernel", out, re.MULTILINE)
        good = not running.not_passed(code, out, err) and parts == ["0 to 1279"]
        report.must(f"PoCL and {name} by the real clock: {parts}", good, f"{code}\n{out}{err}")
    for function in ["clEnqueueNDRangeKernel", "clFlush", "clWaitForEvents", "clEnqueueReadBuffer"]:
        if not report.must(f"PoCL and {name}: it calls {function}", function in account.calls, str(set(account.calls))):
            continue
        code, out, err, now = running.under_layer(
            command, clock=1, fail=in_the_middle(account.calls, function), code=-5
        )
        said = re.findall(rf"^(.*): {NAMES[-5]} \(-5\), left out; the others compute its rows", err, re.MULTILINE)
        good = now.failed and not running.not_passed(code, out, err) and len(said) == 1 and said[0] in devices_in(out)
        good = good and re.findall(r"^time      rows (\d+ to \d+): kernel", out, re.MULTILINE) == ["0 to 1279"]
        report.must(f"PoCL and {name}, {function} fails: {said} left out", good, f"{code}\n{out}{err}")


def halves(report):
    """PoCL with three compute units: both halves together have all of them."""
    with unittest.mock.patch.dict(os.environ, POCL_MAX_PTHREAD_COUNT="3", POCL_CPU_MAX_CU_COUNT="3"):  # the newer name
        code, out, err, account = running.under_layer([running.program(CHAPTER), *SIZE])
    divided = re.findall(r"^CreateSubDevices .*", account.text, re.MULTILINE)
    good = not running.not_passed(code, out, err) and divided and "[4231 1 2]" in divided[0]
    report.must("three compute units are divided into one and two", good, f"{divided}\n{out}{err}")


def ways_to_divide(report, folder):
    """A device is divided by counts if it says that this can be done, whatever else it says; else it works whole."""
    profile = folder / "profile"
    for ways, workers in [("equally", 1), ("by_counts", 2), ("equally by_counts", 2), ("neither", 1)]:
        profile.write_text(f"partition {ways}\n")
        code, out, err = running.run([running.program(CHAPTER), *SIZE], env=running.as_device(profile))
        good = not running.not_passed(code, out, err) and len(devices_in(out)) == workers
        report.must(f"a device that can be divided {ways}: {workers} at work", good, f"{code}\n{out}{err}")


def none_left(report):
    """Both halves of PoCL fail: it ends as after any failing call, with that call's message."""
    command = [running.program(CHAPTER), *SIZE]
    *_, account = running.under_layer(command, clock=1)
    first = in_the_middle(account.calls, "clEnqueueNDRangeKernel")
    code, out, err, _ = running.under_layer(
        command, timeout=20, clock=1, fail=first, code=-5, onward=1, function="clEnqueueNDRangeKernel"
    )
    good = code == 1 and "PASSED" not in out and len(re.findall(rf"OpenCL error {NAMES[-5]} ", err)) == 1
    report.must("all devices fail: it ends with the last one's error", good, f"{code}\n{out}{err}")


def two_left(report):
    """One of three fails at its first launch. On the known clock each device takes another time: so the two that are
    left must have been measured all the same, since they do not have halves."""
    with unittest.mock.patch.dict(os.environ, OCL_DEVICE="all"):
        command, machine = [running.program(CHAPTER), *SIZE], {"types": "cpu,gpu/gpu", "clock": 1}
        *_, account = running.under_layer(command, **machine)
        launches = [n for n, name in enumerate(account.calls, 1) if name == "clEnqueueNDRangeKernel"][:3]
        for device, launch in enumerate(launches):
            code, out, err, _ = running.under_layer(command, fail=launch, code=-5, **machine)
            parts = re.findall(r"^time      rows (\d+ to \d+): kernel", out, re.MULTILINE)
            left_out = re.findall(r"^(.*): .* left out; the others", err, re.MULTILINE)
            good = not running.not_passed(code, out, err) and left_out == devices_in(out)[device : device + 1]
            good = good and parts[:1] != ["0 to 639"]  # the clock knows one as faster, however much it has to do
            report.must(
                f"of three devices, number {device} fails: the others have {parts}", good, f"{code}\n{out}{err}"
            )


@pytest.mark.thorough
@pytest.mark.parametrize("chapter", [CHAPTER])
def test_several_devices(report, chapter):
    lists(report)
    none_left(report)
    two_left(report)
    with tempfile.TemporaryDirectory() as folder:
        without_times(report, pathlib.Path(folder))
        silent(report)
        halves(report)
        ways_to_divide(report, pathlib.Path(folder))
    kept, missing = dict(os.environ), []
    for name in ["intel", "oclgrind"]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                together(report, name, pathlib.Path(folder))
            except pytest.skip.Exception as why:
                missing.append(str(why))
            finally:
                os.environ.clear()
                os.environ.update(kept)
    if len(missing) == 2 and not report.failures:
        pytest.skip("; ".join(missing))
