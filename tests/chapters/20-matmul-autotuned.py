import pathlib
import re

from formulas import CEILING, arithmetic_ceiling, double_buffered, multiply_add_costs, panels

SMALL_SIZES = [["1"], ["32", "32", "64"], ["9", "17", "20"]]  # each many times over: the search
COST_SIZES = [["17", "33", "65"], ["5", "33", "270"]]  # the second: K in two parts where BK is 256
SEARCH_SIZE = ["128", "64", "256"]
LARGE_LAUNCHES = True
WHOLE_LAUNCHES = True  # a launch reads what all work-groups of the one before wrote
OCLGRIND_OPTIONS = ["--build-options", "-cl-opt-disable"]  # see 17
UNNOTICED = {"multiply_add": CEILING}
# An earlier run's panels of the same matrices are as right as new ones.
NOT_POISONED = ["pack_a", "pack_b"]
BENCH_MATMUL = {"": "20 autotuned"}
BENCH_CHOOSES = True
# What it tries on the simulated device, whose vectors have 4 floats and whose local memory holds small
# tiles, as TM, TN, BK: shapes.h says why.
_PANELS = [(tm, tn, bk) for tm, tn in [(6, 8), (4, 12)] for bk in [256, 512, 1024]]


def _remember(kind):
    """Remembers the first of the shapes of a kind that a run tried, by its standard error."""

    def way(cache, err):
        tried = re.findall(rf"round 1, \d+ of \d+: ({kind} .*?): ", err)
        for path in pathlib.Path(cache).rglob("20-matmul-autotuned-*.txt") if tried else []:
            path.write_text(re.sub("\nwinner .*", f"\nwinner {tried[0]}", path.read_text()))
        return tried[0] if tried else None

    return way


WAYS = [_remember("tiles"), _remember("panels")]
DROPPED_WAY = WAYS[1]


def costs(m, n, k):
    """What each candidate of the search costs: how many launches of it there are is up to the clock."""
    tried = [launch for shape in _PANELS for launch in panels(m, n, k, *shape)]
    return tried + double_buffered(m, n, k) + multiply_add_costs(1, 16)


def times(commands, expected, m, n, k):
    # The search is before the one write: it decides by the host's clock, and prints no "time" line.
    commands.left = commands.left[[c.name for c in commands.left].index("clEnqueueWriteBuffer") + 1:]
    packs = ["pack_a", "pack_b"] if commands.left[0].name == "pack_a" else []
    runs = commands.runs(*packs, "matmul")
    commands.take("clEnqueueReadBuffer")
    rate = expected.rate(rf"{'panels' if packs else 'tiles'} \S+ registers \S+:", runs, 2 * m * n * k, "GFLOP/s")
    if packs:
        expected.line(r"of which packing ([\d.]+) ms", (sorted(runs.pack[1:])[len(runs.pack[1:]) // 2], 3))
    expected.share(rate, arithmetic_ceiling(commands), "GFLOP/s")
