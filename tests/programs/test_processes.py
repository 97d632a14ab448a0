"""A program of which mpirun starts several processes.

- At every number of processes of its facts (PROCESSES), those without work included, it passes, and prints the very same
  results.
- Each process sends what the lesson's formula says (traffic() in its facts), no byte more, in an order in which the next
  panel is on its way while the device works; a library in front of MPI writes it down (checker/mpi_probe.cpp).
- A process in which an OpenCL call fails ends all: exit code 1, one message with file and line, no PASSED, and soon. So does
  one that is killed, and one that finds no device.
- Each takes the device whose turn it is on its machine; each but the first has a kernel cache of its own.
- Of a wrong argument there is one message, not one for each process.
"""

import pathlib
import re
import subprocess
import tempfile

import pytest

from checker import mpi
from tests import chapter_facts, running
from tests.programs.test_faults import NAMES

SECONDS = 120  # in which all have ended after one has: they end within two
FAILING = [
    ("clGetDeviceIDs", -6),
    ("clCreateContext", -6),
    ("clBuildProgram", -6),
    ("clCreateBuffer", -4),
    ("clEnqueueWriteBuffer", -5),
    ("clEnqueueNDRangeKernel", -5),
    ("clFlush", -5),
    ("clWaitForEvents", -14),
    ("clFinish", -5),
    ("clEnqueueReadBuffer", -5),
]


MPI = running.preloaded(running.MPI_LAYER)["LD_PRELOAD"]


def together(program, processes, arguments, own=None, cwd=None, **env):
    """Runs so many processes; `own`: {rank: more of the environment of that one}."""
    words = ["mpirun"]
    for rank in range(processes):
        settings = [f"{name}={value}" for name, value in (own or {}).get(rank, {}).items()]
        words += [":"] * (rank > 0) + ["-n", "1", *(["env", *settings] if settings else []), program, *arguments]
    try:
        return running.run(words, env={**running.MPIRUN, **env}, timeout=SECONDS, cwd=cwd)
    except subprocess.TimeoutExpired:
        return None, "", f"it has not ended within {SECONDS} s"


def results(out):
    return re.findall(r"^(?:result|expected) .*$", out, re.MULTILINE)


def passes(report, program, known):
    """At each number of processes; and what each of them sends."""
    for size in known.PROCESS_SIZES:
        first = None
        for processes in known.PROCESSES:
            what = f"{known.chapter} {' '.join(size)}, {processes} processes"
            with tempfile.TemporaryDirectory() as folder:
                env = running.layered(log=f"{folder}/")
                env["LD_PRELOAD"] += f" {MPI}"
                own = dict.fromkeys(range(processes), env)
                code, out, err = together(program, processes, size, own)
                wrong = running.not_passed(code, out, err)
                first = first or results(out)
                if results(out) != first:
                    wrong.append(f"its results are not those of {known.PROCESSES[0]}: {results(out)}")
                if len(re.findall("^device ", out, re.MULTILINE)) != processes:
                    wrong.append("not a line with its device for each process")
                logs = mpi.logs_in(pathlib.Path(folder))
                for rank in range(processes) if not wrong else ():
                    wrong += sends(report, known, processes, rank, size, logs.get(rank, []))
            report.failed(what, wrong[:3])
            report.count("runs")


def sends(report, known, processes, rank, size, lines):
    """What is wrong with what a process has sent."""
    runs = [text.splitlines() for text in "\n".join(lines).split("Barrier\n")[1:]]
    right = known.traffic(processes, rank, *map(int, size))
    after = len(right) - 1  # behind the last run comes what is said of it
    for run in runs:
        report.count("bytes of messages compared", sum(int(line.split()[-1]) for line in run if line[:6] == "Ibcast"))
        if run[:after] != right[1:]:
            place = next((i for i, (a, b) in enumerate(zip(run, right[1:])) if a != b), min(len(run), after))
            said, due = (" | ".join(words[max(0, place - 2) : place + 1]) for words in (run, right[1:]))
            return [f"process {rank}, where {due!r} is due: {said!r}"]
    return [] if runs else [f"process {rank} has made no run"]


def ends_all(report, what, ended, code, *patterns, once=None):
    """All have ended, with that code (None: any but 0), and said each of the patterns, `once` exactly once."""
    got, out, err = ended
    good = got is not None and got != 0 and code in (None, got) and "PASSED" not in out
    good = good and all(re.search(pattern, err + out, re.MULTILINE) for pattern in patterns)
    good = good and (once is None or len(re.findall(once, err)) == 1)
    report.must(what, good, f"exit code {got}\n{out}{err}")


def one_fails(report, program, known):
    size = known.PROCESS_SIZES[-1]
    for number, (function, code) in enumerate(FAILING):
        rank = number % 3
        ended = together(program, 3, size, {rank: running.layered(fail=1, function=function, code=code)})
        message = rf"\w+\.(?:h|cpp):\d+: OpenCL error {NAMES[code]} "
        ends_all(
            report,
            f"{function} fails in process {rank}",
            ended,
            1,
            message,
            once="no OpenCL device" if function == "clGetDeviceIDs" else "OpenCL error",
        )
    for rank, at in [(0, 2), (1, 1), (2, 5)]:
        env = {"MPI_LAYER_KILL": f"{rank} {at}", "LD_PRELOAD": MPI}
        ended = together(program, 3, size, {rank: env})
        ends_all(report, f"process {rank} is killed at its message {at}", ended, None, "signal 9")
    ended = together(program, 3, size, {1: {"OCL_DEVICE": "no such device"}})
    ends_all(report, "process 1 finds no device", ended, 1, "no OpenCL device matches", once="no OpenCL device matches")
    large = running.as_device(running.ROOT / "tests" / "devices" / "h200.txt")  # whose memory has room for 2^31 floats
    ended = together(program, 1, ["8388608", "1", "256"], **large)
    ends_all(report, "more floats in a message than an int counts", ended, 2, "too large for this program: MPI counts")
    ended = together(program, 3, ["12x"])
    ends_all(report, "a wrong argument", ended, 2, "not a size", once="not a size")


def devices(report, program, known):
    """Four processes, of one machine and of two, with devices that a layer pretends."""
    for machine, wish, taken, each in [
        ("cpu,gpu,gpu", None, ["gpu-0-1", "gpu-0-2", "gpu-0-1", "gpu-0-2"], 4),
        ("cpu,gpu,gpu", "0:2", ["gpu-0-2"] * 4, 4),
        ("gpu,gpu,gpu", None, ["gpu-0-0", "gpu-0-1", "gpu-0-2", "gpu-0-0"], 4),
        ("gpu,gpu,gpu", None, ["gpu-0-0", "gpu-0-1", "gpu-0-0", "gpu-0-1"], 2),
        ("cpu,cpu/gpu", "cpu", ["cpu-0-0", "cpu-0-1", "cpu-0-0", "cpu-0-1"], 4),
    ]:
        env = {key: value for key, value in running.as_device(types=machine).items() if value is not None}
        env |= {"OCL_DEVICE": wish} if wish else {}
        env |= {"LD_PRELOAD": f"{env['LD_PRELOAD']} {MPI}", "MPI_LAYER_MACHINE": str(each)}
        code, out, err = together(program, 4, known.PROCESS_SIZES[0], dict.fromkeys(range(4), env))
        got = re.findall(r"^device    (.*) \(.*\)$", out, re.MULTILINE)
        good = not running.not_passed(code, out, err) and got == taken
        what = f"{each} processes a machine, {machine} with OCL_DEVICE={wish}: {taken}"
        report.must(what, good, f"{code}\n{out}{err}")


def caches(report, program, known):
    """Where PoCL keeps its kernels: each process in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for place, env in [
            ("a", {"POCL_CACHE_DIR": f"{folder}/a"}),
            ("b/pocl/kcache", {"XDG_CACHE_HOME": f"{folder}/b", "POCL_CACHE_DIR": None}),
            ("c/.cache/pocl/kcache", {"HOME": f"{folder}/c", "XDG_CACHE_HOME": None, "POCL_CACHE_DIR": None}),
        ]:
            code, out, err = together(program, 3, known.PROCESS_SIZES[0], **env)
            base = pathlib.Path(folder) / place
            found = sorted(path.name for path in base.parent.glob(f"{base.name}*") if any(path.rglob("*.so")))
            right = [base.name, *(f"{base.name}-rank-{rank}" for rank in (1, 2))]
            good = not running.not_passed(code, out, err) and found == right
            report.must(f"kernel caches {', '.join(right)}", good, f"{found}\n{out}{err}")
        nobody = dict.fromkeys(["HOME", "XDG_CACHE_HOME", "POCL_CACHE_DIR"])
        ended = together(program, 3, known.PROCESS_SIZES[0], cwd=folder, **nobody)
        report.must("kernel caches of nobody's", not running.not_passed(*ended), str(ended))


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("chapter", [chapter for chapter in running.CHAPTERS if chapter_facts.of(chapter).PROCESSES])
def test_processes(report, chapter):
    running.need_tool("mpirun", "openmpi-bin")
    known, program = chapter_facts.of(chapter), running.program(chapter)
    for part in (passes, one_fails, devices, caches):
        part(report, program, known)
