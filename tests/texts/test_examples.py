"""The programs of docs/beyond.md: does each do what the page says, and is each one that the page shows run?

A program ends with PASSED; or, where the device lacks what it shows, with a sentence that begins with SKIPPED and with
exit code 77: then the test is skipped. What the page shows must be a listing of a file in examples/. Where the page's table
says "yes", a program must not skip.
"""

import os
import re
import sys

import pytest

from tests import running
from tests.kernels import changed_copy
from tests.texts import test_pages as pages

FOLDER = running.ROOT / "examples"
PAGE = running.ROOT / "docs" / "beyond.md"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.cpp"))
# Its column in the page's table, by how a device's line ends.
COLUMNS = {"(Portable Computing Language)": 3, "(Intel(R) OpenCL)": 4, "(NVIDIA CUDA)": 5}


def runs_of(name, program, folder):
    """(command, environment, what it must say) of each run of a program, one after the other."""
    if name == "scalapack":
        for count in ["1", "2", "3", "6"]:
            yield ["mpirun", "-n", count, program], running.MPIRUN, "0 of 60000 elements differ"
    elif name == "profile":
        kernel = running.ROOT / "09-matmul-tiled" / "kernel.cl"
        yield [program, kernel, "-D TILE=16", "5 4", "16 16", "64", "80", "33"], {}, ""
    elif name != "binary":
        yield [program], {}, ""
    else:
        file, empty = folder / "binary", {"POCL_CACHE_DIR": f"{folder}/empty"}  # what PoCL keeps itself would hide it
        yield [program, file], {"POCL_CACHE_DIR": f"{folder}/first"}, "from the source"
        yield [program, file], empty, "from the binary"
        file.write_bytes(b"x" + file.read_bytes()[1:])  # as another driver's would be
        yield [program, file], empty, "from the source"
        file.write_bytes(file.read_bytes()[:100])  # cut off
        yield [program, file], empty, "from the source"
        yield [program, folder], empty, "from the source"  # a folder in its place


def promised(name, out):
    """Does the page say that a program runs on the device that is named in its output?"""
    rows = [row.split("|") for row in PAGE.read_text().splitlines() if f"(../examples/{name}.cpp)" in row]
    device = "".join(re.findall("^device .*", out, re.MULTILINE))
    return any(device.endswith(end) and rows[0][column].strip() == "yes" for end, column in COLUMNS.items())


@pytest.mark.thorough
def test_examples_page(report):
    text = PAGE.read_text()
    for block in pages.blocks_of(text):
        if block.language in ("c", "cpp"):
            of_a_file = block.kind == "code" and block.text.startswith("../")  # of an example, or of a chapter
            report.must(f"line {block.line} is of a file", of_a_file)
    for name in PROGRAMS:
        report.must(f"{name} is linked, and shown", text.count(f"../examples/{name}.cpp") > 1)


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", PROGRAMS)
def test_examples(report, name, tmp_path):
    left_out = running.BUILD / "examples" / f"{name}.left-out"
    if left_out.exists():
        pytest.skip(f"{name}: {left_out.read_text().strip()}")
    program = running.BUILD / "examples" / name
    assert program.exists(), "the examples are not built: cmake --build build --target examples"
    for command, env, words in runs_of(name, program, tmp_path):
        code, out, err = running.run(command, env=env, timeout=400)
        report.count("runs")
        skipped = re.findall(r"(?m)^SKIPPED: (.*)$", out)
        if code == running.SKIPPED and len(skipped) == 1 and "PASSED" not in out and not err:
            report.must("docs/beyond.md does not say that it runs here", not promised(name, out), skipped[0])
            pytest.skip(f"{name}: {skipped[0]}")
        wrong = running.not_passed(code, out, err) + ["a skip that is none"] * len(skipped)
        report.failed(name, wrong + [f"it does not say {words!r}: {out}{err}"] * (words not in out))


def test_register_tile(tmp_path):
    """The kernel of docs/gpu.md computes what chapter 17's does, in its place."""
    own = running.ROOT / "17-matmul-register-tiled" / "kernel.cl"
    program = changed_copy(own.parent.name, tmp_path, {own: (FOLDER / "register_tile.cl").read_text()})
    assert not running.not_passed(*running.run([program, "300", "200", "100"]))


def test_pyopencl():
    """The kernels of 06, 08 and 09 run from Python as they are, as docs/setup.md says."""
    pytest.importorskip("pyopencl", reason="PyOpenCL is missing (on Debian and Ubuntu: apt install python3-pyopencl)")
    code, out, err = running.run([sys.executable, FOLDER / "pyopencl_kernels.py"], env=dict(os.environ))
    assert code == 0 and out.endswith("\nPASSED\n"), out + err
