"""Can the fault layer make every call of the chapters fail? What it has no HOOK for, it never fails. Nor does the
layer of other inputs know of a command, or of a wait, that it does not stand in for."""

import re

from tests import running

NATIVE = running.ROOT / "tests" / "layers"


def without_comments(text):
    return re.sub(r"//.*|/\*.*?\*/", "", text)


def check(report):
    faults = without_comments((NATIVE / "fault_layer" / "layer.cpp").read_text())
    hooked = set(re.findall(r"^\s*HOOK\((cl[A-Z]\w+),\s*[-\w]", faults, re.MULTILINE))
    inputs = without_comments((NATIVE / "inputs_layer.cpp").read_text())
    replaced = set(re.findall(r"^\s*table\.(cl[A-Z]\w+) = ", inputs, re.MULTILINE))
    called = {}  # the function: the first file that calls it
    for pattern in ("[0-9][0-9]-*/host.cpp", "[0-9][0-9]-*/*.h", "common/*.h"):
        for path in sorted(running.ROOT.glob(pattern)):
            for name in re.findall(r"\b(cl[A-Z]\w+)\s*\(", without_comments(path.read_text())):
                called.setdefault(name, path.relative_to(running.ROOT))
    report.count("OpenCL functions that the chapters call", len(called))
    report.failed(
        "fault_layer/layer.cpp",
        [f"no HOOK for {name}, which {called[name]} calls" for name in sorted(set(called) - hooked)],
    )
    commands = {name for name in called if re.match("clEnqueue|clWait|clFinish", name)}
    report.failed(
        "inputs_layer.cpp",
        [f"no function for {name}, which {called[name]} calls" for name in sorted(commands - replaced)],
    )
