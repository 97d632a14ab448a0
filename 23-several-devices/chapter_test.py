import math

from checker.references import rows_of_product
from tests.formulas import TILE, tiled
from tests.programs.test_printed_times import Times, Wrong

THOROUGH = ["costs"]  # each device in turn
# From 33 rows on, a device that is divided in two has both at work.
TINY_SIZE = ["33", "2", "5"]
SMALL_SIZES = [["1"], ["64", "32", "64"], ["70", "33", "65"]]
COST_SIZES = [["64"] * 3, ["17", "33", "65"], ["70", "33", "65"]]
INPUT_SIZES = [["17", "33", "65"], ["70", "33", "65"]]
OWN_CHECKS = ["several-devices"]
# A device on which one of these fails is left out.
SEARCH_CALLS = ["clEnqueueNDRangeKernel", "clFlush", "clWaitForEvents", "clEnqueueReadBuffer"]
# Of the kernel's arguments: the first row, and the row behind the last one.
REFERENCES = {"matmul": rows_of_product(3, 4)}


def costs(m, n, k):
    """The simulated device cannot be divided: one strip of rows, then all of them."""
    return [("matmul", tiled(rows, n, k, wpt=TILE // 4)) for rows in (min(m, TILE), m)]


def _shares(speeds, rows):
    """The rows of each device, in whole strips: [(the first one, behind the last one)]."""
    strips, so_far, ends = math.ceil(rows / TILE), 0, [0]
    for speed in speeds:
        so_far += speed
        ends.append(min(rows, math.floor(so_far / sum(speeds) * strips + 0.5) * TILE))
    return list(zip(ends, ends[1:]))


def _run(commands, shares, n):
    """A run: its commands, None for a device without rows; and what it takes on the host's clock, in ms. All devices
    are launched and flushed before the first is waited for."""
    clock, started, ended = 0, [], []
    for first, end in shares:
        started.append(None)
        if first == end:
            continue
        started[-1] = commands.take("matmul")
        items = math.ceil(n / TILE) * math.ceil((end - first) / TILE) * TILE * TILE // 8
        if started[-1].items != items:
            raise Wrong(f"a device has {started[-1].items} work-items for {first} to {end - 1}, where {items} follow")
        clock += 3 * commands.call  # two arguments and the launch
        ended.append(clock + started[-1].whole)
        clock += commands.call  # the flush
    for end in ended:
        clock = max(clock + commands.call, end)
    return started, clock + commands.reading


def times(commands, expected, m, n, k):
    """Two runs of a strip for each device; then all rows, dealt out by how fast each device was in the run before."""
    speeds = [1] * sum(line.startswith("device ") for line in expected.out.splitlines())
    whole = Times()
    run = 0
    while len(whole) < 2 or (len(whole) < 6 and sum(whole) < 2000):
        shares = _shares(speeds, min(m, TILE * len(speeds)) if run < 2 else m)
        done, taken = _run(commands, shares, n)
        kernel = [command and command.ended - command.started for command in done]
        if run > 0 and all(kernel):
            speeds = [(end - first) / ms for (first, end), ms in zip(shares, kernel)]
        if run > 1:
            whole.append(taken)
        run += 1
    for (first, end), ms in zip(shares, kernel):
        if ms:
            commands.take("clEnqueueReadBuffer")
            rate = 2 * (end - first) * n * k / ms / 1e6
            expected.line(rf"rows {first} to {end - 1}: kernel ([\d.]+) ms, ([\d.]+) GFLOP/s", (ms, 3), (rate, 1))
    # Not `alone`: the first of these runs is no warm-up, and takes what the sixth does.
    expected.rate("all devices", whole, 2 * m * n * k, "GFLOP/s", alone=False)
