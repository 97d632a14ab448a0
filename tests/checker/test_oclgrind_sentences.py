"""Are Oclgrind's reports understood, whichever version wrote them?

tests/checker/oclgrind_reports/kernel.cl does one thing wrong at a time, in chapter 01's program. What the Oclgrinds of this
machine say of it, the one that the checks use and the one from PyPI, must give the sentences below. So must
oclgrind_reports/VERSION.txt, what a version said that no system has as a package; --record adds that of the one that the
checks use.
"""

import pathlib
import re
import shutil
import tempfile

from checker import oclgrind_messages
from checker.machine import PYPI_OCLGRIND
from tests import running

FOLDER = running.ROOT / "tests" / "checker" / "oclgrind_reports"
OPTIONS = ["--data-races", "--uniform-writes", "--uninitialized", "--max-errors", "100"]
ROOM = [256, 256, 256]  # bytes of the three buffers
QUESTION = ". Is the index wrong, or should something keep it out?"
UNWRITTEN = "work-item {0} computes with a value that nobody has written, line {1}, and puts it into c[{0}]. Who "
UNWRITTEN += "should have written that value?"
EXPECTED = {
    "LOCAL_RACE": ["work-items 2 and 3 of group 0 race on sums[2], lines 15 and 16: which barrier is missing?"],
    "GLOBAL_RACE": [
        "work-items 2 and 3 race on c[1], line 20: both write it. Which work-item should this element belong to?"
    ],
    "OUTSIDE_READ": [
        "work-item 63 reads a[64], outside its global memory, line 22: that buffer has 64 elements" + QUESTION,
        UNWRITTEN.format(63, 22),
    ],
    "OUTSIDE_WRITE": [
        "work-item 63 writes c[64], outside its global memory, line 24: that buffer has 64 elements" + QUESTION
    ],
    "OUTSIDE_LOCAL": [
        "work-item 63 writes sums[64], outside its local memory, line 26" + QUESTION,
        UNWRITTEN.format(63, 28),
    ],
    "IN_FRONT": ["work-item 0 reads in front of a, line 30: can the index be negative?", UNWRITTEN.format(0, 30)],
    "DIVERGENCE": [
        "only 32 of 64 work-items of a group reach the barrier, line 34: all of them have to. Is it inside an `if`, behind "
        "a `return`, or in a loop that not all go through equally often?"
    ],
    "UNINITIALIZED": [UNWRITTEN.format(0, 39)],
}


def said_by(tool):
    """{case: what this Oclgrind says of it}."""
    with tempfile.TemporaryDirectory() as name:
        program = shutil.copy(running.program("01-vector-add"), name)
        shutil.copy(FOLDER / "kernel.cl", name)
        said = {}
        for case in EXPECTED:
            code, out, err = running.run([tool, *OPTIONS, "--build-options", f"-D {case}", program, "64"])
            said[case] = (out + err).strip("\n")
        return said


def version(tool):
    return re.search(r"Oclgrind ([\d.]+)", running.run([tool, running.program("02-device-query")])[1]).group(1)


def judge(report, whose, said):
    kernel = (FOLDER / "kernel.cl").read_text()
    for case, expected in EXPECTED.items():
        text = said.get(case, "")
        got = [sentence for _, sentence in oclgrind_messages.translate(text, kernel, ROOM)]
        report.must(f"{whose}: {case}", got == expected, f"understood: {got}\nexpected:   {expected}\nof:\n{text}")


def test_oclgrind_sentences(report, record):
    if record:
        tool = running.need_oclgrind()
        text = "".join(f"== {case}\n{said}\n\n" for case, said in said_by(tool).items())
        (FOLDER / f"{version(tool)}.txt").write_text(text)
        return report.count("reports recorded", len(EXPECTED))
    for path in sorted(FOLDER.glob("*.txt")):
        parts = re.split(r"^== (\w+)\n", path.read_text(), flags=re.MULTILINE)
        judge(report, f"recorded, {path.stem}", dict(zip(parts[1::2], parts[2::2])))
    for tool in sorted({running.find_oclgrind(), shutil.which(PYPI_OCLGRIND)} - {None}):
        judge(report, f"today, {version(tool)}, {pathlib.Path(tool).parent.parent.name}", said_by(tool))
