"""Through each ICD loader of this machine: every chapter passes, and the layer is loaded. With a loader in front that
knows no layers, as CUDA's, the checks that need the layer find another, or are skipped by name.

Debian's is ocl-icd; Khronos' own comes with Intel's runtime (tools/install_intel.sh). The one that knows no layers is a
copy of the first in which the variable that it would read has another name.
"""

import pathlib
import tempfile

import pytest

from tests import chapter_facts, running


def passes_through(report, loader):
    """Every chapter's shortest run."""
    for chapter in running.built():
        program, env = running.program(chapter), running.through_loader(loader)
        with tempfile.TemporaryDirectory() as folder:
            remembered = running.remembering(folder)
            wrong = running.not_passed(
                *running.run([program, *chapter_facts.of(chapter).TINY_SIZE], env={**env, **remembered})
            )
        used = running.loader_of(program, env)
        if used is None or not used.samefile(loader):
            wrong.append(f"it goes through {used}")
        report.failed(f"{chapter} through {loader}", wrong)
        report.count("runs of chapters")


def checks_with(report, what, code, said, **env):
    """`released` is a check that needs the layer."""
    got, out, err = running.run_test(
        "programs/test_released.py", "01", env={"LOADERS": None, "BUILD_DIR": str(running.BUILD), **env}
    )
    report.must(what, got == code and said in out + err, f"exit code {got}: {out}{err}")


@pytest.mark.thorough
def test_loaders(report):
    program = running.program(running.CHAPTERS[0])
    own = running.loader_of(program)
    if own is None:
        pytest.skip("ldd does not say which ICD loader the programs go through")
    here = list({path.resolve(): path for path in [own, *running.loaders()]})
    if not any(map(running.knows_layers, here)):
        pytest.skip(f"no ICD loader here knows layers: {', '.join(map(str, here))}")
    for loader in here:
        passes_through(report, loader)
        checks_with(report, f"{loader}: the layer's checks", 0, "1 passed", **running.through_loader(loader))
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "libOpenCL.so.1"
        copy.write_bytes(own.read_bytes().replace(b"OPENCL_LAYERS", b"OPENCL_NOBODY"))
        env = {"LD_LIBRARY_PATH": folder}
        first = running.loader_of(program, env)
        report.must("a loader that knows no layers is in front", first == copy, str(first))
        checks_with(report, "the checks find a loader that knows layers", 0, "1 passed", **env)
        none = "no ICD loader that knows layers"
        checks_with(report, "without any they are skipped by name", 0, none, LOADERS="", **env)
        gone = "did not load the layer"
        checks_with(report, "a layer that is not there is a failure", 1, gone, LAYER=f"{folder}/none.so", **env)
