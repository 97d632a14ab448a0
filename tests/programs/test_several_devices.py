"""A program that works on several devices: which ones OCL_DEVICE names, on machines that a layer pretends; that devices of
several implementations, which have no context in common, each do a part; and that where one of these fails in
the middle, the others do it.

The implementations are PoCL and, of Intel's runtime and Oclgrind, those that are there; without either, that part is
skipped by name.
"""

import pathlib
import re

import pytest

from tests import running
from tests.systems import test_implementations as implementations

CHAPTERS = [CHAPTER := "23-several-devices"]
pytestmark = pytest.mark.thorough
POCL = pathlib.Path("/etc/OpenCL/vendors/pocl.icd")
SIZE = ["1280", "9", "7"]  # ten strips of rows
LEFT_OUT = r"^(.*): \w+ \(-5\), left out; the others compute its rows"
# The machine, OCL_DEVICE, and the devices that work; None: refused. As in test_hostile.py.
LISTS = [
    ("cpu,gpu/gpu", "all", ["cpu-0-0", "gpu-0-1", "gpu-1-0"]),
    ("cpu,gpu/gpu", "1:0,0:0", ["cpu-0-0", "gpu-1-0"]),
    ("cpu,gpu/gpu", "gpu,", ["gpu-0-1", "gpu-1-0"]),
    ("cpu,gpu/gpu", "u-0-0,GPU,1:0", ["cpu-0-0", "gpu-0-1", "gpu-1-0"]),
    ("cpu,gpu,gpu", "gpu", ["gpu-0-1"]),
    ("cpu,gpu,gpu", None, ["gpu-0-1"]),
    ("cpu,gpu/gpu", "0:0,cpu,u-0-0", ["cpu-0-0"]),
    ("cpu", "ALL", ["cpu-0-0"]),
    ("cpu,gpu", "gpu,1:0", None),
    ("cpu", "gpu,", None),
    ("cpu", ",", None),
    ("/", "all", None),
]


def devices(ended):
    return re.findall(r"^device    (.*) \(.*\)$", ended[1], re.MULTILINE)


def rows(ended):
    return re.findall(r"^time      rows (\d+ to \d+): kernel", ended[1], re.MULTILINE)


def on(**env):
    return running.run([running.program(CHAPTER), *SIZE], env=env)


def with_layer(**settings):
    """On the known clock, whose devices are about as fast."""
    return running.under_layer([running.program(CHAPTER), *SIZE], clock=1, **settings)


def numbers_of(account, function):
    return [n for n, name in enumerate(account.calls, 1) if name == function]


def test_several_devices(report, chapter, tmp_path, monkeypatch):
    for machine, wish, working in LISTS:
        ended = on(**{**running.as_device(types=machine), "OCL_DEVICE": wish})
        said = [] if working else ["no OpenCL device "]
        report.ends(f"{machine} with OCL_DEVICE={wish}", ended, int(not working), *said)
        report.must(f"those that work: {working}", devices(ended) == (working or []), str(ended))
    profile = tmp_path / "profile"
    for ways, workers in [("equally", 1), ("by_counts", 2), ("equally by_counts", 2), ("neither", 1)]:
        profile.write_text(f"partition {ways}\n")
        ended = on(**running.as_device(profile))
        report.ends(f"a device that can be divided {ways}", ended, 0)
        report.must(f"{workers} at work", len(devices(ended)) == workers, str(ended))
    with monkeypatch.context() as patched:
        patched.setenv("POCL_MAX_PTHREAD_COUNT", "3")
        patched.setenv("POCL_CPU_MAX_CU_COUNT", "3")  # the newer name
        *ended, account = with_layer()
        divided = re.findall(r"^CreateSubDevices .*\[4231 1 2\].*", account.text, re.MULTILINE)
        report.must("three compute units are divided into one and two", divided, account.text)

    # Both halves of PoCL fail: it ends as after any failing call, with that call's message.
    launches = numbers_of(with_layer()[3], "clEnqueueNDRangeKernel")
    settings = {"fail": launches[len(launches) // 2], "code": -5, "function": "clEnqueueNDRangeKernel"}
    report.ends("all devices fail", with_layer(timeout=20, **settings), 1, "OpenCL error CL_OUT_OF_RESOURCES ")
    monkeypatch.setenv("OCL_DEVICE", "all")
    paper = {"types": "gpu", "on_paper": 1, "beside": 1}
    first = numbers_of(with_layer(**paper)[3], "clGetDeviceInfo")[0]  # of the device on paper
    report.ends("one does not answer: the others", with_layer(fail=first, code=-5, **paper), 0, " is passed over\n")
    profile.write_text("times first\n")
    ended = on(**running.layered(profile, "cpu,gpu"))
    report.must("one of two reports no times: half of the rows", rows(ended) == ["0 to 639", "640 to 1279"], str(ended))

    # One of three fails at its first launch, or at the last one of all. The two that are left must have been measured all the
    # same: the clock knows one as faster, so they do not have halves.
    machine = {"types": "cpu,gpu/gpu"}
    launches = numbers_of(with_layer(**machine)[3], "clEnqueueNDRangeKernel")
    for number, launch in [*enumerate(launches[:3]), (2, launches[-1])]:
        ended = with_layer(fail=launch, code=-5, **machine)
        report.ends(f"of three devices, number {number} fails", ended, 0)
        left_out = re.findall(LEFT_OUT, ended[2], re.MULTILINE) == devices(ended)[number : number + 1]
        report.must(f"the others have {rows(ended)}", left_out and rows(ended)[:1] != ["0 to 639"], str(ended))


@pytest.mark.parametrize("name", ["intel", "oclgrind"])
def test_together(report, chapter, name, tmp_path, monkeypatch):
    """PoCL and another implementation, each with its part; then one of them fails."""
    for key, value in {**implementations.environment(name, tmp_path), "OCL_DEVICE": "all"}.items():
        monkeypatch.setenv(key, value)
    (tmp_path / "vendors" / "pocl.icd").write_text(POCL.read_text(encoding="utf-8"))
    *ended, account = with_layer()
    report.ends(f"PoCL and {name}", ended, 0)
    report.must("a context each", len(set(devices(ended))) == account.calls.count("clCreateContext") == 2, str(ended))
    if name == "oclgrind":  # by the real clock the simulator is a thousand times slower, so that PoCL does all of it
        ended = on()
        report.must("by the real clock PoCL does all", rows(ended) == ["0 to 1279"], str(ended))
    for function in ["clEnqueueNDRangeKernel", "clFlush", "clWaitForEvents", "clEnqueueReadBuffer"]:
        numbers = numbers_of(account, function)
        ended = with_layer(fail=numbers[len(numbers) // 2], code=-5)
        report.ends(f"{function} fails", ended, 0)
        left_out = re.findall(LEFT_OUT, ended[2], re.MULTILINE)
        good = len(left_out) == 1 and left_out[0] in devices(ended) and rows(ended) == ["0 to 1279"]
        report.must(f"{left_out} left out, the other does all", good, str(ended))
