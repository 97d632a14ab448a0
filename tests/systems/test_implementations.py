"""The chapters on other OpenCL implementations than the one that everything else runs on.

On an implementation each chapter at its small sizes (a program that searches, and one on Oclgrind, which simulates every
work-item, at one of them), and the runs that its facts name. Small: Rusticl's loops end after some tens of thousands of
rounds. Debian's ICD loader is ocl-icd; Khronos' own comes with Intel's runtime, and is the one that programs go through there.
"""

import glob
import pathlib
import re

import pytest

from tests import chapter_facts, running

# Where its library or .icd file may be, and how to come by it.
IMPLEMENTATIONS = {
    "intel": ([f"{running.ROOT}/build-intel/lib/libintelocl.so"], "tools/install_intel.sh fetches it, 280 MB"),
    "rusticl": (["/etc/OpenCL/vendors/rusticl.icd"], "on Debian and Ubuntu: apt install mesa-opencl-icd"),
    "oclgrind": (
        [
            "/usr/lib/oclgrind/liboclgrind-rt-icd.so",
            "/usr/lib/*/oclgrind/liboclgrind-rt-icd.so",
            f"{running.ROOT}/build-oclgrind/lib/python3*/site-packages/pyopencl/.libs/liboclgrind-rt-icd*.so",
        ],
        "on Debian 12: apt install oclgrind",
    ),
}


def environment(name, folder):
    """The environment in which programs see this implementation alone. In the folder will be the file that names it."""
    patterns, how = IMPLEMENTATIONS[name]
    there = [path for pattern in patterns for path in glob.glob(pattern)]
    if not there:
        pytest.skip(f"{name} is missing, no {patterns[0]} ({how})")
    path, vendors = pathlib.Path(there[0]), pathlib.Path(folder) / "vendors"
    vendors.mkdir()
    named = path.suffix == ".icd"
    (vendors / f"{name}.icd").write_text(path.read_text(encoding="utf-8") if named else f"{path}\n")
    more = {"RUSTICL_ENABLE": "llvmpipe"} if named else {"LD_LIBRARY_PATH": str(path.parent)}
    return {"OCL_ICD_VENDORS": f"{vendors}/", "OCL_DEVICE": "", **more}


def not_on(name, printed):
    """What is wrong with the output of a program that passes, as texts."""
    if not re.search(f"(?mi)^device .*{name}", printed):
        yield f"it did not run on a device of {name}"
    # Rusticl's times are no times: a rate made of them must not be printed.
    if any(float(rate) > 1e4 for rate in re.findall(r"([\d.]+) G(?:B|FLOP)/s", printed)):
        yield "a rate that no CPU reaches"


@pytest.mark.release
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_implementations(report, name, chapter, tmp_path):
    known = chapter_facts.of(chapter)
    sizes = [known.TINY_SIZE] if known.SEARCH_SIZE else known.SMALL_SIZES
    runs = [(size, "PASSED") for size in (sizes[:1] if name == "oclgrind" else sizes)]
    env = {**environment(name, tmp_path), **running.remembering(tmp_path)}
    for arguments, said in [*runs, *known.RUNS_ON.get(name, [])]:
        code, out, err = running.run([running.program(chapter), *arguments], env=env, timeout=600)
        wrong = [*running.not_passed(code, out, err), *not_on(name, out)]
        report.failed(" ".join([chapter, *arguments]), wrong + [f"it does not say {said!r}"] * (said not in out))
        report.count("runs")
