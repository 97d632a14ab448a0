"""Through each ICD loader of this machine: every chapter passes, and the layer is before it. Where it is not, the tests
that need it fail.

Debian's is ocl-icd; Khronos' own comes with Intel's runtime (tools/install_intel.sh), and CUDA has one.
"""

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
    for loader in here:
        passes_through(report, loader)
        checks_with(report, f"{loader}: the layer is before it", 0, "1 passed", **running.through_loader(loader))
    checks_with(report, "a layer that is not there is a failure", 1, "was not loaded", LAYER="/no/such/liblayer.so")
