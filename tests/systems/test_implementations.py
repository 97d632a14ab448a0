"""The chapters on other OpenCL implementations than the one that everything else runs on.

Each chapter's own tests (CTest's) at all their sizes, and the runs that its facts name. Where an implementation
ends loops early, which layers/implementation.cpp tells, the tests that LONG_LOOPS names must fail: once it does so no
longer, they must pass. With `full` also the slow ones.
"""

import glob
import json
import math
import os
import pathlib
import re
import tempfile
import xml.etree.ElementTree

import pytest

from tests import chapter_facts, running

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
        pytest.skip(f"{name} is missing, no {patterns[0]} ({how})")
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
    ctest = [os.environ.get("CTEST", "ctest"), "--show-only=json-v1", "-LE", "^thorough$", "-R", f"^{chapter}\\."]
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


def probe(env):
    """What layers/implementation.cpp says: (name of the implementation, rounds that a loop makes, of how many)."""
    code, out, err = running.run([running.BUILD / "tests" / "implementation"], env=env)
    said = re.fullmatch(r"implementation  (.*)\nrounds +(\d+) of (\d+)\n", out)
    if code or not said:
        raise SystemExit(f"FAILED  no implementation to ask, exit code {code}: {out}{err}")
    return said.group(1), int(said.group(2)), int(said.group(3))


def tests_of(junit):
    """What CTest wrote about a run: {name of the test: (status, what it printed)}; "run" means passed."""
    tests = {}
    for case in xml.etree.ElementTree.parse(junit).iter("testcase"):
        why = "".join(f"{failure.get('message')}\n" for failure in case.iter("failure"))  # "Timeout"
        tests[case.get("name")] = (case.get("status"), why + (case.findtext("system-out") or ""))
    return tests


@pytest.mark.release
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_implementations(report, name, chapter, full):
    with tempfile.TemporaryDirectory() as folder:
        env = environment(name, folder)
        called, rounds, of = probe(env)
        early = rounds < of
        print(f"{called}: of {of} rounds of its loops, a work-item makes {rounds}")
        known, tests = chapter_facts.of(chapter), tests_on(name, chapter, full)
        wrong_there = {f"{chapter}.{size}" for size in known.LONG_LOOPS} if early else set()
        junit = pathlib.Path(folder) / "junit.xml"
        command = [os.environ.get("CTEST", "ctest"), "-R", f"^({'|'.join(map(re.escape, tests))})$"]
        command += ["--output-junit", junit, "--test-output-size-passed", 100_000]
        out = running.run(command, env=env, cwd=running.BUILD, timeout=1800)[1]
        results = tests_of(junit) if junit.exists() else {}
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
        for arguments, said in known.RUNS_ON.get(name, []):
            program = [running.program(chapter), *arguments]
            code, out, err = running.run(program, env={**env, **running.remembering(folder)})
            wrong = [*running.not_passed(code, out, err), *not_on(name, out)]
            report.failed(" ".join([chapter, *arguments]), wrong + [f"it does not say {said!r}"] * (said not in out))
            report.count("runs that the facts name")
