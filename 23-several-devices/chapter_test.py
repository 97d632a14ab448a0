import math

from checker.references import product
from tests.programs.test_printed_times import Times, Wrong, more_runs

THOROUGH = ["costs"]  # each device in turn
LARGE_LAUNCHES = True
_STRIP = 128
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


def _shares(speeds, strips, rows):
    """The rows of each device: [(the first one, behind the last one)]. Strip by strip, to the one that ends it first."""
    counts = [0] * len(speeds)
    for _ in range(strips):
        first = min(range(len(speeds)), key=lambda i: ((counts[i] + 1) / speeds[i], i))
        counts[first] += 1
    ends = [min(rows, _STRIP * sum(counts[:i])) for i in range(len(speeds) + 1)]
    return list(zip(ends, ends[1:]))


def _run(commands, shares, n):
    """A run: its commands, None for a device without rows."""
    done = [commands.take("matmul") if first < end else None for first, end in shares]
    for (first, end), command in zip(shares, done):
        items = math.ceil(n / 128) * math.ceil((end - first) / 128) * 128
        if command and command.items != items:
            raise Wrong(f"a device has {command.items} work-items for {first} to {end - 1}, where {items} follow")
    return done


def times(commands, expected, m, n, k):
    """Two runs of a strip for each device; then all rows, dealt out by how fast each device was when it last worked. On the
    host's clock from before the first one's argument, until the last one was waited for."""
    speeds = [1] * sum(line.startswith("device ") for line in expected.out.splitlines())
    brought = [(0, 0)] * len(speeds)
    whole, strips, run = Times(), math.ceil(m / _STRIP), 0
    while run < 3 or more_runs(whole):
        shares = _shares(speeds, min(strips, len(speeds)) if run < 2 else strips, m)
        for i, (first, end) in enumerate(shares):
            if first < end and brought[i] != (first, end):
                commands.take("clEnqueueWriteBuffer")  # its rows of A
                commands.take("clEnqueueWriteBuffer")  # and of C
                brought[i] = (first, end)
        done = _run(commands, shares, n)
        for i, ((first, end), command) in enumerate(zip(shares, done)):
            if run > 0 and command:
                speeds[i] = math.ceil((end - first) / _STRIP) / command.took
        if run > 1:
            begin = next(command.before for command in done if command) - commands.call
            whole.append(commands.left[0].waited - begin + commands.reading)
        run += 1
    for (first, end), command in zip(shares, done):
        if command:
            commands.take("clEnqueueReadBuffer")
            rate = 2 * (end - first) * n * k / command.took / 1e6
            line = rf"rows {first} to {end - 1}: kernel ([\d.]+) ms, ([\d.]+) GFLOP/s"
            expected.line(line, (command.took, 3), (rate, 1))
    expected.rate("all devices", whole, 2 * m * n * k, "GFLOP/s")
