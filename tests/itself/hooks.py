"""Can the fault layer make every call of the chapters fail? What it has no HOOK for, it never fails.

    python3 tests/itself/hooks.py
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import chapters  # noqa: E402

LAYER = chapters.ROOT / "tests" / "faults" / "layer.cpp"


def without_comments(text):
    return re.sub(r"//.*|/\*.*?\*/", "", text)


def main():
    hooked = set(re.findall(r"^\s*HOOK\((cl[A-Z]\w+),\s*[-\w]", without_comments(LAYER.read_text()), re.MULTILINE))
    called = {}  # the function: the first file that calls it
    for pattern in ("[0-9][0-9]-*/host.cpp", "[0-9][0-9]-*/*.h", "common/*.h"):
        for path in sorted(chapters.ROOT.glob(pattern)):
            for name in re.findall(r"\b(cl[A-Z]\w+)\s*\(", without_comments(path.read_text())):
                called.setdefault(name, path.relative_to(chapters.ROOT))
    for name in sorted(set(called) - hooked):
        print(f"FAILED  {called[name]} calls {name}, for which tests/faults/layer.cpp has no HOOK")
    print(f"{len(set(called) & hooked)} of {len(called)} OpenCL functions that the chapters call can be made to fail")
    return 1 if not called or set(called) - hooked else 0


sys.exit(main())
