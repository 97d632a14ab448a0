import math
import pathlib
import re

from formulas import double_buffered, matmul_times, packed_times, panels
from references import product

HOST_LINES = 180  # the search
THOROUGH = ["faults", "costs"]  # every call of the search, with every code; every candidate
# At any size it searches for as long. From 17×33×65 on, where it checks candidates at 31×63×127, loops that end early make
# its panels wrong: whether the test fails is up to what it chooses, by the clock.
SLOW_ELSEWHERE = "1x1x1"
RUNS_ON = {"intel": [(["17", "33", "65"], "PASSED")]}
SMALL_SIZES = [["1"], ["32", "32", "64"], ["9", "17", "20"]]  # each many times over: the search
LEFT_OUT = "WRONG at .*, left out"
FEW_PLACES = True  # each that a candidate has means another search
CORRUPTED_SIZES = [["32", "64", "64"]]  # no larger than what the search computes: all of A and B is used
COST_SIZES = [["17", "33", "65"], ["5", "33", "270"]]  # the second: K in two parts where BK is 256
SEARCH_SIZE = ["128", "64", "256"]
OWN_CHECKS = ["search"]
LARGE_LAUNCHES = True
WHOLE_LAUNCHES = True  # a launch reads what all work-groups of the one before wrote
OCLGRIND_OPTIONS = ["--build-options", "-cl-opt-disable"]  # see 17
# An earlier run's panels of the same matrices are as right as new ones.
NOT_POISONED = ["pack_a", "pack_b"]
# In the search these are no reason to stop: the candidate is left out.
SEARCH_CALLS = ["clBuildProgram", "clCreateKernel", "clEnqueueNDRangeKernel", "clWaitForEvents"]
ACCESS_SIZE = []
COPIES = [
    ("panels.cl", "19-matmul-packed/kernel.cl", None),
    (
        "tiles.cl",
        "18-matmul-double-buffered/kernel.cl",
        ["COLS", "ROWS", "ITEMS", "A_STRIDE", "A_LOADS", "B_LOADS", "A_STEP", "A_TILE", "B_TILE", "store_tiles"],
    ),
]
BENCH_MATMUL = {"": "20 autotuned"}
BENCH_CHOOSES = True
# What it tries on the simulated device, whose vectors have 4 floats and whose local memory holds small
# tiles, as TM, TN, BK: candidates.h says why.
_PANELS = [(tm, tn, bk) for tm, tn in [(6, 8), (4, 12)] for bk in [256, 512, 1024]]
MOST_ROWS = 2**30
_REFUSED = "the host takes no more rows or columns: MOST_ROWS"
NARROW = {
    "into 32 bits: get_group_id(0) / groups_across * BM": _REFUSED,
    "into 32 bits: get_group_id(0) % groups_across * BN": _REFUSED,
    "into 32 bits: get_global_id(0) * KS": _REFUSED,
    "into 32 bits: get_global_id(1) * TM": _REFUSED,
    "into 32 bits: get_global_id(0) * TN": _REFUSED,
    "into 32 bits: get_global_id(1) * KS": _REFUSED,
    "into 32 bits: get_global_id(1) * BM": _REFUSED,
    "into 32 bits: get_global_id(0) * BN": _REFUSED,
}
# The third: so wide that there are tiles as well; the last: which these divide, so that they are built without edges.
OCLGRIND_SIZES = [["1"], ["9", "17", "20"], ["9", "34", "40"], ["32", "64", "24"]]
FEW_ROUNDS = {"for (uint k0 = 0; k0 < padded; k0 += BK)": "19 has the same code, word for word, and three rounds of it"}
REFERENCES = {"matmul": product}
ALL_WRONG = "no candidate computes the right product"  # each is compared with the sums of the program's own inputs
INPUT_SIZES = [["17", "33", "65"], ["5", "33", "600"]]  # the second: K in several parts


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


def _odd(size):
    """One less than the next power of two, from 16 on: no candidate's parts divide it."""
    power = 16
    while power < size:
        power *= 2
    return min(power, 1024) - 1


def costs(m, n, k):
    """What each candidate of the search costs: how many launches of it there are is up to the clock."""
    return [launch for shape in _PANELS for launch in panels(m, n, k, *shape)] + double_buffered(m, n, k)


def costs_of_some(m, n, k):
    """The winner is checked with an odd product; which one it is, is up to the clock."""
    return costs(_odd(m), _odd(n), _odd(k))


_LINE = r"search    round \d, \d+ of \d+: ((tiles|panels) .*?): ([\d.]+) GFLOP/s(?:, the best so far)?"
_LAUNCHED = {"tiles": ["matmul"], "panels": ["pack_a", "pack_b", "matmul"]}


def _built(shape):
    """The constants of a candidate, as it is printed."""
    return dict(zip(("BM", "BN", "BK", "TM", "TN"), re.findall(r"\d+", shape)))


def times(commands, expected, m, n, k):
    """The search goes by the fastest run of each candidate on the host's clock, the warm-up left out; then the
    winner, of all runs, by the device's."""
    best, tried = {}, [re.fullmatch(_LINE, line) for line in expected.err.splitlines() if "search    round " in line]
    for line in filter(None, tried):
        commands.take("clEnqueueWriteBuffer")
        taken = commands.runs(*_LAUNCHED[line[2]], by_host=True, built=_built(line[1])).host
        commands.take("clEnqueueReadBuffer")
        best[line[1]] = min([*taken[1:], best.get(line[1], math.inf)])
        numbers = [(2 * m * n * k / best[line[1]] / 1e6, 1)]
        expected.said.append((line[0], rf".*: {line[1]}: ([\d.]+) GFLOP/s.*", numbers))
    winner = min(best, key=best.get, default="")
    if best:  # the winner is checked with an odd product
        commands.take("clEnqueueWriteBuffer")
        commands.runs(*_LAUNCHED[winner.split()[0]], by_host=True, built=_built(winner))
        commands.take("clEnqueueReadBuffer")
    commands.take("clEnqueueWriteBuffer")
    if commands.left[0].name == "pack_a":
        packed_times(commands, expected, f"{winner or r'panels .+'}:", m, n, k, by_host=True, built=_built(winner))
    else:
        what = f"{winner or r'tiles .+'}:"
        matmul_times(commands, expected, m, n, k, what=what, by_host=True, built=_built(winner))
