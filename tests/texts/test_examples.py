"""The programs of docs/beyond.md: does each do what the page says, and is each one that the page shows run?

A program ends with PASSED; or, where the device lacks what it shows, with a sentence that begins with SKIPPED and with
exit code 77: then the test is skipped. What the page shows must be a listing of a file in examples/, and there is
nothing in that folder that the page does not show and no test runs. Where the page's table says "yes", a program must not
skip. On a device that has OpenCL 1.2 and no more
(tests/devices/minimum-1.2.txt), each program passes or says what is missing, too, and makes no call that such a device
need not have.
"""

import pathlib
import re
import tempfile

import pytest

from tests import running
from tests.systems import test_implementations as implementations
from tests.texts import test_pages as pages

FOLDER = running.ROOT / "examples"
PAGE = running.ROOT / "docs" / "beyond.md"
MINIMUM = running.ROOT / "tests" / "devices" / "minimum-1.2.txt"
NO_OPENCL = ["kokkos", "scalapack", "sycl"]  # other ways to a device, or to several
TOO_LARGE = ["clblast"]  # its kernels' work-groups, for the least device
# What the least device lacks, so that these must not pass there.
NOT_THERE = ["versions", "spirv", "svm", "half-arithmetic"]
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.cpp"))
SHARED = [
    "beyond.h",
    "scale.h",
    "CMakeLists.txt",
    "README.md",
    "pyopencl_kernels.py",
]  # the page names them, and shows no part of them


def runs_of(name, program, folder):
    """[(what it is, command, environment, what it must say, what happens before it)] of a program."""
    if name == "scalapack":
        return [
            (
                f"{count} processes",
                *running.launched([program], {"PROCESSES": count}),
                "0 of 60000 elements differ",
                None,
            )
            for count in ["1", "2", "3", "6"]
        ]
    if name != "binary":
        return [("", [program], {}, "", None)]
    file = pathlib.Path(folder) / "binary"

    def cut_off():
        there = file.read_bytes()
        file.write_bytes(there[: len(there) - len(there) // 2])

    def of_another_driver():
        file.write_bytes(b"x" + file.read_bytes()[1:])

    command, empty = [program, file], {"POCL_CACHE_DIR": f"{folder}/empty"}  # what PoCL keeps itself would hide it
    return [
        ("the first start", command, {"POCL_CACHE_DIR": f"{folder}/first"}, "from the source", None),
        ("the second start", command, empty, "from the binary", None),
        ("another driver's", command, empty, "from the source", of_another_driver),
        ("after that", command, empty, "from the binary", None),
        ("one that is cut off", command, empty, "from the source", cut_off),
        ("a folder in the file's place", [program, folder], empty, "from the source", None),
    ]


def has_it(name, out):
    """Does the page say that a program runs on the device that is named in its output?"""
    rows = [row.split("|") for row in PAGE.read_text().splitlines() if f"(../{FOLDER.name}/{name}.cpp)" in row]
    device = "".join(re.findall("^device .*", out, re.MULTILINE))
    columns = {"(Portable Computing Language)": 3, "(Intel(R) OpenCL)": 4, "(NVIDIA CUDA)": 5}
    places = [column for platform, column in columns.items() if device.endswith(platform)]
    return any(rows[0][column].strip() == "yes" for column in places)


def said(code, out, err, words):
    """("passed", []), ("skipped", why) or ("failed", wrong) of a run."""
    lines = [line for line in out.splitlines() if line.startswith("SKIPPED: ")]
    if code == running.SKIPPED and len(lines) == 1 and "PASSED" not in out and not err:
        return "skipped", lines[0].removeprefix("SKIPPED: ")
    wrong = running.not_passed(code, out, err)
    if lines:
        wrong.append(f"it says that it was skipped, and ends with {code}")
    if words not in out:
        wrong.append(f"it does not say {words!r}{running.indented(out + err)}")
    return ("failed", wrong) if wrong else ("passed", [])


def run_all(report, name, where, env):
    """All runs of a program; returns why it was skipped, if it was."""
    program, skipped = running.BUILD / "examples" / name, ""
    if not program.exists():
        raise SystemExit(f"FAILED  {program} is not there: build first (cmake --build --preset default)")
    with tempfile.TemporaryDirectory() as folder:
        for what, command, more, words, before in runs_of(name, program, folder):
            if before:
                before()
            ended = running.run(command, env={**env, **more}, timeout=400)
            how, why = said(*ended, words)
            if how == "skipped":
                skipped = why
                least = "LAYER_SETTINGS" in env
                if not least and has_it(name, ended[1]):
                    report.failed(name, [f"it is skipped where docs/beyond.md says that it runs: {why}"])
                break
            report.failed(" ".join(filter(None, [name, what, where])), why)
            report.count("runs" + where)
    return skipped


@pytest.mark.thorough
def test_examples_page(report):
    text, shown = PAGE.read_text(), set()
    for block in pages.blocks_of(text.splitlines()):
        if block.language in ("c", "cpp"):
            path = (PAGE.parent / block.text.split(" ")[0]).resolve()
            if block.kind == "code" and path.parent == FOLDER:
                shown.add(path.name)
                report.count("listings")
            else:
                report.failed(f"docs/beyond.md:{block.first}", ["a listing that is of no file in examples/"])
    files = {path.name for path in FOLDER.iterdir()} - set(SHARED)
    report.failed("docs/beyond.md", [f"shows nothing of {name}" for name in sorted(files - shown)])
    for name in sorted(files):
        if name.endswith(".cpp"):
            report.failed(name, ["docs/beyond.md does not link it"] * (f"(../examples/{name})" not in text))
            report.count("programs")
        used = [p.name for p in FOLDER.glob("*.cpp") if re.search(rf'"{re.escape(name)}"', p.read_text())]
        if name.endswith(".cl") and not used:
            report.failed(name, ["no program uses it"])


def need(name):
    left_out = running.BUILD / "examples" / f"{name}.left-out"
    if left_out.exists():
        pytest.skip(f"{name}: {left_out.read_text().strip()}")


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", PROGRAMS)
def test_examples(report, name):
    need(name)
    skipped = run_all(report, name, "", {})
    if name not in [*NO_OPENCL, *TOO_LARGE]:
        least = run_all(report, name, " on the least device", running.as_device(MINIMUM))
        if least:
            print(f"on a device with OpenCL 1.2: {least}")
        report.must(
            f"on a device with OpenCL 1.2 it {'says what is missing' if name in NOT_THERE else 'says of nothing that it is missing'}",
            bool(least) == (name in NOT_THERE),
        )
    if skipped:
        pytest.skip(f"{name}: {skipped}")


@pytest.mark.release
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in NO_OPENCL])
def test_examples_on_intel(report, name):
    need(name)
    with tempfile.TemporaryDirectory() as folder:
        skipped = run_all(report, name, " on Intel's", implementations.environment("intel", folder))
    if skipped:
        pytest.skip(f"{name}: {skipped}")
