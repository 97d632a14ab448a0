import math

from checker.references import product
from tests.programs.test_printed_times import Times, more_runs

THOROUGH = ["costs"]  # each device in turn
LARGE_LAUNCHES = True
# From 129 rows on, a device that is divided in two has both at work.
TINY_SIZE = ["129", "2", "5"]
SMALL_SIZES = [["1"], ["256", "128", "64"], ["300", "33", "65"]]
OCLGRIND_SIZES = [["1"], ["128", "128", "24"], ["150", "33", "65"]]
INPUT_SIZES = [["17", "33", "65"], ["300", "33", "65"]]
TIME_SIZES = [["640", "96", "224"], ["17", "33", "65"]]
FOR_A_TRY = [2]  # rows of A for the run that finds out how fast the devices are
MOST = [2**30] * 3
# A device on which one of these fails is left out.
SEARCH_CALLS = [
    "clEnqueueWriteBuffer",
    "clFinish",
    "clEnqueueNDRangeKernel",
    "clFlush",
    "clWaitForEvents",
    "clEnqueueReadBuffer",
]


def _own_rows(inputs, launch, sizes):
    """C = A·B of the rows that a device has: of A it gets no others. B was there before."""
    _, n, k = (sizes + sizes[:1] * 2)[:3]
    rows = launch.args[3] & 0xFFFFFFFF
    a, b = (next(x for x in inputs if len(x) == length) for length in (rows * k, k * n))
    yield from product([a, b], launch, [rows, n, k])


REFERENCES = {"matmul": _own_rows}


def times(commands, expected, m, n, k):
    """Two runs of a strip for each device; then all rows, dealt out anew each time. On the host's clock from before the first
    one's argument, until the last one was waited for."""
    whole, run = Times(), 0
    while run < 3 or more_runs(whole):
        while commands.left[0].name == "clEnqueueWriteBuffer":  # rows of A and of C, to those that have other ones now
            commands.take("clEnqueueWriteBuffer")
        done = [commands.take("matmul")]
        while commands.left[0].name == "matmul" and commands.left[0].waited == done[0].waited:
            done.append(commands.take("matmul"))
        if run > 1:
            whole.append(commands.left[0].waited - done[0].before + commands.call + commands.reading)
        run += 1
    first = 0
    for command in done:
        commands.take("clEnqueueReadBuffer")
        end = min(m, first + command.items // math.ceil(n / 128))
        rate = 2 * (end - first) * n * k / command.took / 1e6
        line = rf"rows {first} to {end - 1}: kernel ([\d.]+) ms, ([\d.]+) GFLOP/s"
        expected.line(line, (command.took, 3), (rate, 1))
        first = end
    expected.rate("all devices", whole, 2 * m * n * k, "GFLOP/s")
