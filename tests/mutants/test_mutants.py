"""Deliberate defects, on copies of a chapter: which test notices each?

Those of NN-topic.mutants are the typical ones, of launches, barriers, comparisons; others are made by rule
(generator.py), the first few of a fixed order. A mutant goes through the tests in the order below until one notices it;
what none notices is a failure. A test that breaks, and says of nothing that it failed, has noticed nothing: that is a
failure, too. What hangs is known by the time that it computes, and not by the clock on the wall, which a busy machine
would spoil. Without --release, the first two of each table.
"""

import importlib
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile

import pytest

from tests import chapter_facts, defects, running, syntax
from tests.mutants import generator

# The checks in their order; the results are those of the chapter's own tests.
RESULTS = "results"
COMPARE = "compare"  # only where one of COMPARES is another one
COMPARES = ("common/compare.h", "common/check_rows.h")
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
    "sizes",
    "small-devices",
    "faults",
    "build-ways",
]
# For how long a program may compute, of all its threads, before it counts as hanging: no run of the checks takes
# a third of that. One that waits for ever computes nothing, and is given PATIENCE times as long as usual.
CPU_SECONDS = 240
PATIENCE = 10
SAMPLE = 2  # generated mutants of a chapter
# Generated mutants that change nothing that can be observed: the smaller of two numbers is the same in either order (04);
# how much of a small device's largest buffer the default takes is a choice (15).
NOTHING = {"557c83bd", "6f49f662"}


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
    compiler = [running.compiler(chapter), "-std=c++17", *os.environ.get("CXX_FLAGS", "").split()]
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
    if code == 0:
        code, _, err = running.run([test.with_suffix("")], timeout=300, preexec_fn=limit_resources)
    return (err.splitlines() or [f"exit code {code}"])[0][:110] if code else ""


def limit_resources():
    """A mutant may run wild: what it, and all that is started with it, can take of the machine is limited."""
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))


def own_checks(chapter):
    """The tests of this chapter and few others: those of programs/ that are parametrized with it."""
    found = []
    for path in sorted((running.ROOT / "tests" / "programs").glob("test_*.py")):
        test = getattr(importlib.import_module(f"tests.programs.{path.stem}"), path.stem, None)
        marks = [mark.args for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
        if any(names == "chapter" and chapter in values for names, values, *_ in marks):
            found.append(path.stem.removeprefix("test_").replace("_", "-"))
    return found


def noticed_by(chapter, folder, checks):
    """The check that notices the mutant in the folder, and how; two empty strings if none does."""
    alone = own_checks(chapter)
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


class Judge:
    """Has a mutant judged by the tests, and reports it."""

    def __init__(self, report, chapter):
        self.report, self.chapter = report, chapter

    def judge(self, what, texts, same=lambda folder: False):
        """Returns whether it is one at all: one that does not compile, or is the same to a compiler, is none."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            if build(self.chapter, folder, texts) or same(folder):
                return False
            kernels = all(file.endswith(".cl") for file in texts)
            try:
                by, how = noticed_by(self.chapter, folder, CHECKS if kernels else HOST_CHECKS)
            except Broken as broken:
                self.report.failed(what, [str(broken)])
                return True
        if by:
            print(f"ok      {what}: {by}: {how}", flush=True)
        self.report.failed(what, [] if by else ["SURVIVES every test"])
        self.report.count("mutants")
        return True


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_known_mutants(report, chapter, full):
    running.need_oclgrind()  # without it, missing barriers survive
    listed = running.ROOT / "tests" / "mutants" / f"{chapter}.mutants"
    mutants = defects.read(listed) if listed.exists() else []
    report.failed(chapter, [f"it has no mutants: add some to tests/mutants/{listed.name}"] * (not mutants))
    for number, mutant in enumerate(mutants):
        try:  # always, so that none is lost unnoticed
            texts = defects.changed(mutant, running.ROOT / chapter)
        except defects.Unfit as unfit:
            report.failed(chapter, [str(unfit)])
            continue
        what = f"{chapter} {' '.join(texts)}: {mutant.name}"
        report.failed(what, [f"not understood: {word}" for word in [*mutant.words, *mutant.attributes]])
        if (full or number < 2) and not Judge(report, chapter).judge(what, texts):
            report.failed(what, ["it does not compile, so it tests nothing"])


def compiled(path, chapter, builds):
    """The code that compilers make of a file, for comparison; None where it does not compile."""
    if path.suffix == ".cl":
        text = path.read_text()
        clang = running.need_tool("clang", "clang")
        outputs = [
            running.run([clang, *syntax.kernel_options(text, options), "-O2", "-S", "-emit-llvm", "-o", "-", path])
            for options in builds
        ]
    else:
        compiler = [os.environ.get("CXX", "c++"), *syntax.host_options(path), "-O2", "-S", "-o", "-"]
        outputs = [running.run([*compiler, path.parent / "host.cpp"])]
    if any(code for code, _, _ in outputs):
        return None
    code = "".join(out for _, out, _ in outputs).replace(str(path.parent.parent), "")
    return re.sub(r"^(; ModuleID|source_filename|\s*\.(file|ident)).*", "", code, flags=re.MULTILINE)


@pytest.mark.release
@pytest.mark.timeout(1800)
def test_generated_mutants(report, chapter):
    running.need_oclgrind()
    running.need_tool("clang", "clang")
    builds, originals, judge = {}, {}, Judge(report, chapter)
    if running.has_kernel(chapter):
        with tempfile.TemporaryDirectory() as cache:
            for source, options in syntax.builds_of(chapter_facts.of(chapter), cache):
                builds.setdefault(source, []).append(options)
    for mutant in generator.mutants_of(chapter):
        if report.counts.get("mutants", 0) >= SAMPLE:
            break
        path = running.ROOT / chapter / mutant.file
        options = builds.get(path.read_text(), [])
        if path not in originals:  # compiled from a copy, as the mutants are: paths stand in the code
            with tempfile.TemporaryDirectory() as name:
                build(chapter, pathlib.Path(name), {})
                originals[path] = compiled(pathlib.Path(name) / chapter / mutant.file, chapter, options)

        def same(folder, file=mutant.file, path=path, options=options):
            return compiled(folder / chapter / file, chapter, options) in (None, originals[path])

        if mutant.name not in NOTHING:
            judge.judge(f"{mutant.name} {mutant.text}", {mutant.file: mutant.made(path.read_bytes())}, same)
