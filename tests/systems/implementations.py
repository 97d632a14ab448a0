"""The chapters on other OpenCL implementations than the one that everything else runs on.

    python3 tests/run.py implementations rusticl [06 ...] [full]

Each chapter's own tests (label `chapters`) at all their sizes, and the runs that its facts name. Where an implementation
ends loops early, which layers/implementation.cpp tells, the tests that LONG_LOOPS names must fail: once it does so no
longer, they must pass. With `full` also the slow ones. Of all chapters there is a record for the README's table.
"""

import glob
import json
import math
import os
import pathlib
import re
import tempfile

from tests import chapter_facts, running
from tests.texts import support_table

# Where its library or .icd file may be, and how to come by it.
IMPLEMENTATIONS = {
    "intel": ([f"{running.INTEL}/lib/libintelocl.so"], "tools/install_intel.sh fetches it, 280 MB"),
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
# It simulates every work-item: there, tests whose sizes have at most this product.
OCLGRIND_AT_MOST = 40_000


def environment(name, folder):
    """The environment in which programs see this implementation alone. In the folder will be the file that names it."""
    if name not in IMPLEMENTATIONS:
        raise SystemExit(f"no such implementation: {name}; there are {', '.join(IMPLEMENTATIONS)}")
    patterns, how = IMPLEMENTATIONS[name]
    there = [path for pattern in patterns for path in glob.glob(pattern)]
    if not there:
        raise running.Skip(f"{name} is missing, no {patterns[0]} ({how})")
    path, vendors = pathlib.Path(there[0]), pathlib.Path(folder) / "vendors"
    vendors.mkdir()
    named = path.suffix == ".icd"
    (vendors / f"{name}.icd").write_text(path.read_text() if named else f"{path}\n")
    more = {"RUSTICL_ENABLE": "llvmpipe"} if named else {"LD_LIBRARY_PATH": str(path.parent)}
    return {"OCL_ICD_VENDORS": f"{vendors}/", "OCL_DEVICE": "", **more}


def too_large(known, size):
    """For a simulator; `size` is the end of a test's name: "17x33x65"."""
    numbers = [int(number) for number in re.findall(r"\d+", size)]
    product = math.prod(numbers * 3 if known.IS_MATRIX and len(numbers) == 1 else numbers)
    return bool(known.PARAMETERS) and (not numbers or product > OCLGRIND_AT_MOST)


def tests_on(name, chapter, full):
    """The chapter's tests that are run there."""
    ctest = [os.environ.get("CTEST", "ctest"), "--show-only=json-v1", "-LE", "^full$", "-R", f"^{chapter}\\."]
    tests = [test["name"] for test in json.loads(running.run(ctest, cwd=running.BUILD)[1])["tests"]]
    known, sizes = chapter_facts.of(chapter), {test: test.partition(".")[2] for test in tests}
    if name == "oclgrind":
        tests = [test for test in tests if not too_large(known, sizes[test])]
        return tests[:1] if known.LARGE_LAUNCHES and not full else tests
    return [test for test in tests if full or known.SLOW_ELSEWHERE in (None, sizes[test])]


def not_on(name, printed):
    """What is wrong with the output of a program that passes, as texts."""
    device = re.search("^device .*", printed, re.MULTILINE)
    if not device or name not in device.group().lower():
        yield f"it did not run on a device of {name}"
    for line in printed.splitlines():  # Rusticl's times are no times: a rate made of them must not be printed
        if any(float(rate) > 1e4 for rate in re.findall(r"([\d.]+) G(?:B|FLOP)/s", line)):
            yield f"a rate that no CPU reaches: {line}"


def check(report, words):
    name, *words = words or [""]
    full = words[-1:] == ["full"]
    named = running.named(words[: len(words) - full])[0]
    chapters = [c for c in running.built() if c in named]
    with tempfile.TemporaryDirectory() as folder:
        env = environment(name, folder)
        called, rounds, of = support_table.probe(env)
        early = rounds < of
        print(f"{called}: of {of} rounds of its loops, a work-item makes {rounds}")
        tests = sum([tests_on(name, chapter, full) for chapter in chapters], [])
        wrong_there = {f"{c}.{size}" for c in chapters for size in chapter_facts.of(c).LONG_LOOPS} if early else set()
        junit = pathlib.Path(folder) / "junit.xml"
        command = [os.environ.get("CTEST", "ctest"), "-R", f"^({'|'.join(map(re.escape, tests))})$"]
        command += ["--output-junit", junit, "--test-output-size-passed", 100_000]
        out = running.run(command, env=env, cwd=running.BUILD, timeout=7200)[1]
        results = support_table.tests_of(junit) if junit.exists() else {}
        missing = [test for test in tests if test not in results]
        report.failed("CTest", [f"it did not run {', '.join(missing)}: {out}"] if missing else [])
        for test, (status, printed) in results.items():
            if test in wrong_there:
                wrong = (
                    [] if status == "fail" else ["it passes, although its loops are longer than those that end early"]
                )
            elif status == "run":
                wrong = list(not_on(name, printed))
            else:
                wrong = [f"it does not pass: {status}{running.indented(printed)}"]
            report.failed(test, wrong)
            report.count(f"tests on {called}" + " that its loops make fail" * (test in wrong_there))
        for chapter in chapters:
            for arguments, said in chapter_facts.of(chapter).RUNS_ON.get(name, []):
                program = [running.program(chapter), *arguments]
                code, out, err = running.run(program, env={**env, **running.remembering(folder)})
                wrong = [*running.not_passed(code, out, err), *not_on(name, out)]
                report.failed(
                    " ".join([chapter, *arguments]), wrong + [f"it does not say {said!r}"] * (said not in out)
                )
                report.count("runs that the facts name")
        if named == running.CHAPTERS and not report.failures:
            sizes = {"oclgrind": ", small sizes"}.get(name, "")
            support_table.write(
                name, results, f"tests/run.py implementations {name}{sizes}", called + ", ends loops early" * early
            )
