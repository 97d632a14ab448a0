"""Can the fault layer make every call of the chapters fail? What it has no HOOK for, it never fails."""

import re

import harness

LAYER = harness.ROOT / "tests" / "native" / "fault_layer" / "layer.cpp"


def without_comments(text):
    return re.sub(r"//.*|/\*.*?\*/", "", text)


def check(report):
    hooked = set(re.findall(r"^\s*HOOK\((cl[A-Z]\w+),\s*[-\w]", without_comments(LAYER.read_text()), re.MULTILINE))
    called = {}  # the function: the first file that calls it
    for pattern in ("[0-9][0-9]-*/host.cpp", "[0-9][0-9]-*/*.h", "common/*.h"):
        for path in sorted(harness.ROOT.glob(pattern)):
            for name in re.findall(r"\b(cl[A-Z]\w+)\s*\(", without_comments(path.read_text())):
                called.setdefault(name, path.relative_to(harness.ROOT))
    report.count("OpenCL functions that the chapters call", len(called))
    report.failed(
        "fault_layer/layer.cpp",
        [f"no HOOK for {name}, which {called[name]} calls" for name in sorted(set(called) - hooked)],
    )
