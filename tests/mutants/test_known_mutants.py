"""Tries deliberate defects (NN-topic.mutants) on copies of a chapter, and says which check noticed each.

A mutant goes through the checks in this order until one notices it: its results on the default
device (the chapter's own tests), other inputs, Oclgrind, the counts of loads and barriers, what a run releases,
failing calls; a host's through the quicker ones first, and through `search` if it searches. One that
no check notices is a failure, unless the file says why it changes nothing that can be observed; and one
said to change nothing must not be noticed. A kernel without mutants is a failure. A check that breaks, and says of
nothing that it failed, has noticed nothing: that is a failure, too. What hangs is known by the time that it
computes, and not by the clock on the wall, which a busy machine would spoil.

Without "full", the chapters whose facts say ALL_TYPICAL_MUTANTS try those that are marked as
typical, and every other chapter the first of these only. All of them are applied in any case, so
that none gets lost when a file changes.
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

# The checks in their order; the results are those of the chapter's own tests.
RESULTS = "results"
COMPARE = "compare"  # only where one of COMPARES is another one
COMPARES = ("common/compare.h", "21-matmul-matrix-units/check_rows.h")
CHECKS = [
    RESULTS,
    "other-inputs",
    "narrowing",
    "costs",
    "recorded-calls",
    "oclgrind",
    "sizes",
    "access-order",
    "released",
    "small-devices",
    "faults",
]
HOST_CHECKS = [
    RESULTS,
    COMPARE,
    "released",
    "recorded-calls",
    "command-order",
    "other-inputs",
    "narrowing",
    "printed-values",
    "printed-times",
    "wrong-element",
    "oclgrind",
    "costs",
    "bad-input",
    "lost-launch",
    "sizes",
    "small-devices",
    "faults",
    "build-ways",
]
# For how long a program may compute, of all its threads, before it counts as hanging: no run of the checks takes
# a third of that. One that waits for ever computes nothing, and is given PATIENCE times as long as usual.
CPU_SECONDS = 240
PATIENCE = 10


class Broken(Exception):
    """A check that did not end as checks do; its text says which one, and how."""


def own_tests(chapter):
    """The chapter's own tests, from its CMakeLists.txt, small ones first: [(environment, arguments)]."""
    text = (running.ROOT / chapter / "CMakeLists.txt").read_text()
    listed = re.search(r"add_chapter\([^)]*?TEST ([^)]*?)(?:FULL|\))", text)
    if listed is None:
        raise SystemExit(f"FAILED  {chapter}/CMakeLists.txt lists no tests")
    lists = [
        quoted.split() if quoted else plain.split() for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', listed.group(1))
    ]
    lists = [[] if arguments == ["default"] else arguments for arguments in lists]
    tests = []
    for words in lists:
        env = dict(word.split("=", 1) for word in words if "=" in word)
        tests.append((env, [word for word in words if "=" not in word]))
    return sorted(tests, key=lambda test: (not test[1], sum(int(a) for a in test[1])))


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
    for other in running.CHAPTERS:  # that a check may compare it with
        if other != chapter:
            (folder / other).symlink_to(running.BUILD / other)
    for name, text in texts.items():
        defects.place_of(name, home).write_text(text)
    if all(name.endswith(".cl") for name in texts):
        shutil.copy(running.program(chapter), home)
        return ""
    compiler = [chapter_facts.of(chapter).COMPILER, "-std=c++17", *os.environ.get("CXX_FLAGS", "").split()]
    code, _, err = running.run([*compiler, "-o", home / chapter, home / "host.cpp", "-lOpenCL"])
    return err if code else ""


def results_wrong(chapter, program):
    """Do the chapter's own tests notice the mutant? Says how, or returns an empty string."""
    for env, arguments in own_tests(chapter):
        size = " ".join([*(f"{name}={value}" for name, value in env.items()), *arguments]) or "default size"
        try:
            with tempfile.TemporaryDirectory() as cache:  # 16 remembers there, and would not search again
                command, more = running.launched([program] + arguments, env)
                # Processes that wait for each other compute all the while, and nobody's clock is known: a minute each.
                patience = 1 if "PROCESSES" in env else PATIENCE
                code, out, err = running.run(
                    command,
                    timeout=60 * patience,
                    env={**running.remembering(cache), **more},
                    preexec_fn=limit_resources,
                )
        except subprocess.TimeoutExpired:
            return f"waits for ever at {size}"
        if code == -signal.SIGXCPU:
            return f"hangs at {size}"
        if code < 0:
            return f"signal {-code} at {size}"
        if code != 0:
            return f"wrong at {size}" if "FAILED" in out else f"error at {size}"
        wrong = running.not_passed(code, out, err)
        if wrong:
            return f"{wrong[0].splitlines()[0]} at {size}"
    return ""


def comparisons_wrong(folder):
    """Does the test of COMPARES notice another one? Says how, or returns an empty string."""
    paths = {name: folder / name if (folder / name).exists() else running.ROOT / name for name in COMPARES}
    if all(path.read_text() == (running.ROOT / name).read_text() for name, path in paths.items()):
        return ""
    test = folder / "compared" / "tests" / "common" / "compare_test.cpp"
    for path, copy in [(running.ROOT / "tests/common" / test.name, test)] + [
        (path, folder / "compared" / name) for name, path in paths.items()
    ]:
        copy.parent.mkdir(parents=True)
        shutil.copy(path, copy)
    code, _, err = running.run([os.environ.get("CXX", "c++"), "-std=c++17", "-O2", "-o", test.with_suffix(""), test])
    for part in ["inputs", "numbers", "rows", "counts", "small-matrices"] if code == 0 else []:
        code, _, err = running.run([test.with_suffix(""), part], timeout=300, preexec_fn=limit_resources)
        if code:
            break
    return (err.splitlines() or [f"exit code {code}"])[0][:110] if code else ""


def limit_resources():
    """A mutant may run wild: what it, and all that is started with it, can take of the machine is limited."""
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))


def noticed_by(chapter, folder, checks):
    """The check that notices the mutant in the folder, and how; two empty strings if none does."""
    alone = chapter_facts.of(chapter).OWN_CHECKS
    if alone and checks is HOST_CHECKS:
        checks = [RESULTS, alone[0], *HOST_CHECKS[1:], *alone[1:]]
    own = {
        RESULTS: lambda: results_wrong(chapter, folder / chapter / chapter),
        COMPARE: lambda: comparisons_wrong(folder),
    }
    for name in checks:
        if name in own:
            how = own[name]()
            if how:
                return name, how
            continue
        code, out, err = running.run_test(
            f"programs/test_{name.replace('-', '_')}.py",
            chapter,
            env={
                "BUILD_DIR": str(folder),
                "LAYER": running.LAYER,
                "MPI_LAYER": running.MPI_LAYER,
                "INPUTS_LAYER": running.INPUTS_LAYER,
                "DEVICE_LAYER": running.DEVICE_LAYER,
                "QUEUES_LAYER": running.QUEUES_LAYER,
                "PAPER_PLATFORM": running.PAPER,
                "RECORDER_BUILD": str(running.BUILD),
                "PATIENCE": str(PATIENCE),
            },
            timeout=600 * PATIENCE,
            preexec_fn=limit_resources,
        )
        if code != 0:
            said = re.findall(r"^(?:E +SystemExit: )?FAILED  (.*)", out + err, re.MULTILINE)
            if not said:
                raise Broken(f"check {name} breaks, exit code {code}{running.indented(out + err)}")
            return name, said[-1].strip()[:110]
        if " passed" not in out:
            print(out.strip())  # it was skipped
    return "", ""


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_known_mutants(report, chapter, full):
    running.need_oclgrind()  # without it, missing barriers survive
    listed = running.ROOT / "tests" / "mutants" / f"{chapter}.mutants"
    mutants = defects.read(listed) if listed.exists() else []
    if running.has_kernel(chapter) and not any(file.endswith(".cl") for mutant in mutants for file, _ in mutant.diffs):
        report.failed(chapter, [f"it has a kernel but no mutants of it: add some to tests/mutants/{listed.name}"])
    tried, let_through = 0, []
    for mutant in mutants:
        try:  # always, so that none is lost unnoticed
            texts = defects.changed(mutant, running.ROOT / chapter)
        except defects.Unfit as unfit:
            report.failed(chapter, [str(unfit)])
            continue
        what = f"{chapter} {' '.join(texts)}: {mutant.name}"
        if mutant.words or mutant.attributes.keys() - {"typical", "equivalent"}:
            report.failed(what, [f"not understood: {' '.join([*mutant.words, *mutant.attributes])}"])
        if not full and (
            "typical" not in mutant.attributes or tried and not chapter_facts.of(chapter).ALL_TYPICAL_MUTANTS
        ):
            continue
        tried += 1
        reason = mutant.attributes.get("equivalent", "")
        with tempfile.TemporaryDirectory() as folder:
            errors = build(chapter, pathlib.Path(folder), texts)
            checks = CHECKS if all(name.endswith(".cl") for name in texts) else HOST_CHECKS
            try:
                by, how = ("", "") if errors else noticed_by(chapter, pathlib.Path(folder), checks)
            except Broken as broken:
                report.failed(what, [str(broken)])
                continue
        if errors:
            report.failed(what, ["it does not compile, so it tests nothing: " + errors])
        elif by and reason:
            report.failed(what, [f"said to change nothing, but {by}: {how}"])
        elif not by and not reason:
            report.failed(what, ["SURVIVES every check"])
        else:
            print(f"ok      {what}: {f'changes nothing: {reason}' if reason else f'{by}: {how}'}", flush=True)
            report.count("mutants that change nothing observable" if reason else "mutants killed")
        if by and by != RESULTS:
            let_through.append(f"{what}: {by}: {how}")
    if let_through:
        print("The results alone would have let these through:\n" + "\n".join(let_through))
        report.count("of them let through by the results alone", len(let_through))
    if not tried:
        report.nothing_to_do("it has no mutants")
