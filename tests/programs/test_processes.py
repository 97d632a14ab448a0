"""A program of which mpirun starts several processes.

- At every number of processes, those without work included, it passes, and prints the very same results.
- Each process sends what the lesson's formula says (traffic()), no byte more, in an order in which the next
  panel is on its way while the device works, and nothing to a process of its own machine; a library in front of MPI
  writes it down, and pretends machines (checker/mpi_probe.cpp).
- A process in which an OpenCL call fails ends all: exit code 1, one message with file and line, no PASSED, and soon. So does
  one that is killed, and one that finds no device. Of a wrong argument there is one message, not one for each process.
- Each takes the device whose turn it is on its machine; each but the first has a kernel cache of its own.
"""

import math
import re
import subprocess

import pytest

from checker import mpi
from tests import running
from tests.programs.test_faults import NAMES

CHAPTERS = [CHAPTER := "24-several-machines"]
pytestmark = pytest.mark.thorough
PROCESSES = [1, 2, 3, 4, 6, 7]
# The second: most processes have zeros only. The last: more panels than slots.
SMALL, _, LARGE = SIZES = [["17", "33", "65"], ["3", "1", "5"], ["70", "40", "1500"]]
SLOTS, AHEAD = 3, 2
SECONDS = 120  # in which all have ended after one has: they end within two
FAILING = {
    "clCreateContext": -6,
    "clBuildProgram": -6,
    "clCreateBuffer": -4,
    "clEnqueueWriteBuffer": -5,
    "clEnqueueNDRangeKernel": -5,
    "clFlush": -5,
    "clWaitForEvents": -14,
    "clFinish": -5,
    "clEnqueueReadBuffer": -5,
}
MPI = running.preloaded(running.MPI_LAYER)["LD_PRELOAD"]


def together(processes, arguments, own=None, cwd=None, **env):
    """Runs so many processes; `own`: {rank: more of the environment of that one}."""
    words = ["mpirun"]
    for rank in range(processes):
        settings = [f"{name}={value}" for name, value in (own or {}).get(rank, {}).items() if value is not None]
        words += [":"] * (rank > 0) + ["-n", "1", "env", *settings, running.program(CHAPTER), *arguments]
    try:
        return running.run(words, env={**running.MPIRUN, **env}, timeout=SECONDS, cwd=cwd)
    except subprocess.TimeoutExpired:
        return -1, "", f"it has not ended within {SECONDS} s"


def traffic(processes, rank, m, n, k, machine):
    """What a process does in a run, in the words of the layer's log and checker/mpi_probe.cpp: two panels are on their way
    before the first is waited for, and each comes from the process whose turn it is; the copy of a panel is in another queue
    than its kernel. What only processes of one machine need is not sent; a machine has so many of them."""
    cols = next(c for c in range(math.isqrt(processes), 0, -1) if processes % c == 0)  # as square as can be
    rows = processes // cols
    row, col = divmod(rank, cols)
    height, width = (128 * math.ceil(size / (parts * 128)) for size, parts in ((m, rows), (n, cols)))  # in whole tiles
    panels, deep = math.ceil(k / 256), min(256, 8 * math.ceil(k / 8))
    in_row, in_col = ([row * cols + c for c in range(cols)], [r * cols + col for r in range(rows)])
    said = []
    for step in range(panels + AHEAD):
        for sharers, place, lines in ((in_row, col, height), (in_col, row, width)):
            if step < panels and len({other // machine for other in sharers}) > 1:
                said += ["wait"] * (step >= SLOTS)
                said.append(f"Ibcast {int(step % len(sharers) == place)} {4 * lines * deep}")
        if step >= AHEAD:
            said += ["Waitall", f"write {4 * height * deep}", f"write {4 * width * deep}", "flush"]
            said += [f"launch matmul {height * width // 128}", "flush"]
    return [*said, "finish", "finish", "Allreduce 40"]


@pytest.fixture(autouse=True)
def mpirun():
    running.need_tool("mpirun", "openmpi-bin")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("size", SIZES, ids=" ".join)
def test_processes(report, chapter, size, tmp_path):
    """At each number of processes, on one machine, on machines of two, and with one for each; and what each of them sends."""
    results = set()
    for processes, machine in [*((p, p) for p in PROCESSES), *((p, 1) for p in PROCESSES if p > 1), (4, 2)]:
        folder = tmp_path / f"{processes} of {machine}"
        folder.mkdir()
        env = {**running.layered(log=f"{folder}/"), "MPI_LAYER_MACHINE": str(machine)}
        env["LD_PRELOAD"] += f" {MPI}"
        words = ["--messages", *size] if machine == 1 and processes % 2 else size
        ended = together(processes, words, dict.fromkeys(range(processes), env))
        if not report.ends(f"{processes} processes, {machine} a machine", ended, 0):
            continue
        results.add("\n".join(re.findall(r"^(?:result|expected) .*$", ended[1], re.MULTILINE)))
        devices = len(re.findall("^device ", ended[1], re.MULTILINE))
        report.must(f"{processes} processes: a line with its device for each", devices == processes, ended[1])
        for rank in range(processes):
            runs = "\n".join(mpi.logs_in(folder).get(rank, [])).split("Barrier\n")[1:]
            right = traffic(processes, rank, *map(int, size), machine)
            for run in runs or [""]:  # behind the last one comes what is said of it
                good = run.splitlines()[: len(right)] == right
                report.must(f"process {rank} of {processes}, {machine} a machine", good, f"{right}\n{run}")
    report.must("the results are always the same", len(results) == 1, str(results))


@pytest.mark.timeout(600)
def test_processes_fail(report, chapter):
    def ends(what, ended, code, text, times=1):
        report.ends(what, ended, code or ended[0], text)
        report.must(f"{what}: {times} messages", not times or len(re.findall(text, ended[2])) == times, ended[2])

    for number, (function, code) in enumerate(FAILING.items()):
        own = {number % 3: running.layered(fail=1, function=function, code=code)}
        ended = together(3, ["--messages", *LARGE], own)
        ends(f"{function} fails in process {number % 3}", ended, 1, f"OpenCL error {NAMES[code]} ")
        report.must("with file and line", re.search(r"\w+\.(?:h|cpp):\d+: OpenCL", ended[2]), ended[2])
    for rank, at in [(0, 2), (1, 1), (2, 5)]:
        ended = together(3, ["--messages", *LARGE], {rank: {"MPI_LAYER_KILL": f"{rank} {at}", "LD_PRELOAD": MPI}})
        good = ended[0] > 0 and "PASSED" not in ended[1]
        report.must(f"process {rank} is killed at its message {at}", good, ended[2])
    no_device = {1: {"OCL_DEVICE": "no such device"}}
    ends("process 1 finds no device", together(3, LARGE, no_device), 1, "no OpenCL device matches")
    large = running.as_device(running.ROOT / "tests" / "devices" / "h200.txt")  # whose memory has room for 2^31 floats
    ended = together(1, ["8388608", "1", "256"], **large)
    ends("more floats in a message than an int counts", ended, 2, "too large for this program: MPI counts")
    ends("a wrong argument", together(3, ["12x"]), 2, "not a size")


def test_processes_devices(report, chapter, tmp_path):
    """Four processes, of one machine and of two, with devices that a layer pretends; and where PoCL keeps its kernels."""
    for machine, wish, taken, of_machine in [
        ("cpu,gpu,gpu", None, ["gpu-0-1", "gpu-0-2", "gpu-0-1", "gpu-0-2"], 4),
        ("cpu,gpu,gpu", "0:2", ["gpu-0-2"] * 4, 4),
        ("gpu,gpu,gpu", None, ["gpu-0-0", "gpu-0-1", "gpu-0-0", "gpu-0-1"], 2),
        ("cpu,cpu/gpu", "cpu", ["cpu-0-0", "cpu-0-1", "cpu-0-0", "cpu-0-1"], 4),
    ]:
        env = {**running.as_device(types=machine), "OCL_DEVICE": wish, "MPI_LAYER_MACHINE": of_machine}
        env["LD_PRELOAD"] += f" {MPI}"
        ended = together(4, SMALL, dict.fromkeys(range(4), env))
        what = f"{of_machine} processes a machine, {machine} with OCL_DEVICE={wish}"
        report.ends(what, ended, 0)
        found = re.findall(r"^device    (.*) \(.*\)$", ended[1], re.MULTILINE)
        report.must(f"{what}: {taken}", found == taken, ended[1])
    for base, env in [
        ("a", {"POCL_CACHE_DIR": f"{tmp_path}/a"}),
        ("b/pocl/kcache", {"XDG_CACHE_HOME": f"{tmp_path}/b", "POCL_CACHE_DIR": None}),
        ("c/.cache/pocl/kcache", {"HOME": f"{tmp_path}/c", "XDG_CACHE_HOME": None, "POCL_CACHE_DIR": None}),
    ]:
        report.ends(f"kernels in {base}", together(3, SMALL, **env), 0)
        found = [(tmp_path / f"{base}{end}").is_dir() for end in ("", "-rank-1", "-rank-2")]
        report.must(f"a folder each in {base}", all(found), str(found))
