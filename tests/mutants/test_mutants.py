"""Deliberate defects, on copies of a chapter: which test notices each?

Those of NN-topic.mutants are the typical ones, of launches, barriers, comparisons. A mutant goes through the tests in the
order below until one notices it; what none notices is a failure. A test that breaks, and says of nothing that it failed, has
noticed nothing: that is a failure, too. What hangs is known by the time that it computes, and not by the clock on the wall,
which a busy machine would spoil. Without --release, the first or the second of each table, a kernel's or a host's.
"""

import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile

import pytest

from tests import chapter_facts, defects, running

# The tests of programs/ in their order, after the program's own results; behind these come those that name the chapter.
CHECKS = "other_inputs narrowing costs recorded_calls oclgrind sizes small_devices faults".split()
HOST_CHECKS = "recorded_calls command_order other_inputs narrowing printed_values printed_times wrong_element".split()
HOST_CHECKS += "oclgrind costs bad_input sizes small_devices faults build_ways hostile".split()
# For how long a program may compute, of all its threads, before it counts as hanging: no run of the checks takes
# a third of that. One that waits for ever computes nothing, and is given PATIENCE times as long as usual.
CPU_SECONDS = 240
PATIENCE = 10


def limit_resources():
    """A mutant may run wild: what it, and all that is started with it, can take of the machine is limited."""
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))


def build(chapter, folder, texts):
    """Puts a copy of the chapter with some of its files changed into the folder; its program is built there, or
    taken from the build when only kernels change. Returns the compiler's errors."""
    home = folder / chapter
    folder.chmod(0o755)  # or a sandbox, which is an ordinary user's, does not work there, and its checks are left out
    home.mkdir()
    for pattern in ("*.cl", "*.h", "host.cpp"):
        for path in (running.ROOT / chapter).glob(pattern):
            shutil.copy(path, home)
    shutil.copytree(running.ROOT / "common", folder / "common")
    for name, text in texts.items():
        defects.place_of(name, home).write_text(text)
    if all(name.endswith(".cl") for name in texts):
        shutil.copy(running.program(chapter), home)
        return ""
    compiler = [running.compiler(chapter), "-std=c++17", *os.environ.get("CXX_FLAGS", "").split()]
    code, _, err = running.run([*compiler, "-o", home / chapter, home / "host.cpp", "-lOpenCL"])
    return err if code else ""


def results_wrong(chapter, program):
    """Does the program itself notice the mutant? Says how, or returns an empty string."""
    for arguments in [*chapter_facts.of(chapter).SMALL_SIZES, []]:
        size = " ".join(arguments) or "its default size"
        with tempfile.TemporaryDirectory() as cache:
            try:
                options = {"timeout": 60 * PATIENCE, "preexec_fn": limit_resources}
                ended = running.run([program, *arguments], env=running.remembering(cache), **options)
            except subprocess.TimeoutExpired:
                return f"waits for ever at {size}"
        if ended[0] == -signal.SIGXCPU:
            return f"hangs at {size}"
        for wrong in running.not_passed(*ended):
            return f"{wrong.splitlines()[0]} at {size}"
    return ""


def noticed_by(chapter, folder, kernels):
    """The test that notices the mutant in the folder, and how; two empty strings if none does."""
    how = results_wrong(chapter, folder / chapter / chapter)
    if how:
        return "results", how
    programs = running.ROOT / "tests" / "programs"
    names_it = [path.stem[5:] for path in programs.glob("test_*.py") if f'"{chapter}"' in path.read_text()]
    env = {"BUILD_DIR": str(folder), "LAYER": running.LAYER, "MPI_LAYER": running.MPI_LAYER, "PATIENCE": str(PATIENCE)}
    options = {"timeout": 600 * PATIENCE, "preexec_fn": limit_resources}
    for name in dict.fromkeys(CHECKS if kernels else HOST_CHECKS + sorted(names_it)):
        code, out, err = running.run_test(f"programs/test_{name}.py", chapter, env=env, **options)
        said = re.findall(r"^(?:E +SystemExit: )?FAILED  (.*)", out + err, re.MULTILINE)
        if code not in (0, 5) and not said:
            return "", f"test_{name}.py breaks, exit code {code}{running.indented(out + err)}"
        if code not in (0, 5):  # 5: it knows nothing of this chapter
            return name, said[-1].strip()[:110]
        if " passed" not in out:
            print(out.strip())  # it was skipped
    return "", "SURVIVES every test"


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_known_mutants(report, chapter, full):
    running.need_oclgrind()  # without it, missing barriers survive
    table = running.ROOT / "tests" / "mutants" / f"{chapter}.mutants"
    if not report.must(f"tests/mutants/{table.name} is there", table.is_file()):
        return
    mutants = defects.read(table)
    today = mutants[(int(chapter[:2]) + 1) % 2 % len(mutants)]
    for mutant in mutants:
        try:  # always, so that none is lost unnoticed
            texts = defects.changed(mutant, running.ROOT / chapter)
        except defects.Unfit as unfit:
            report.failed(chapter, [str(unfit)])
            continue
        what = f"{chapter} {' '.join(texts)}: {mutant.name}"
        report.failed(what, [f"not understood: {word}" for word in [*mutant.words, *mutant.attributes]])
        if not full and mutant is not today:
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            if report.must(f"{what} compiles", not build(chapter, folder, texts)):
                by, how = noticed_by(chapter, folder, all(file.endswith(".cl") for file in texts))
                report.must(f"{what}: {by}: {how}", by)
