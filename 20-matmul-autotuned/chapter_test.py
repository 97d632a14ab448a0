import math
import pathlib
import re

from checker.references import product
from tests.formulas import cut_tiles, fast_tiles, packed_times, panels, unpacked

THOROUGH = ["bad-input", "costs", "other-inputs"]  # every call of the search; every candidate
# Each many times over: the search. The third: on devices of few units with tiles that are cut, of rows that `pad` copies in
# two turns.
SMALL_SIZES = [["1"], ["32", "32", "64"], ["9", "34", "1030"]]
# 16×8 sums, also cut: 21 tiles for 12 groups; fewer tiles than these, and so many that cutting does not pay. C is measured
# with a part of it. Many groups for few tiles: the parts of a quad are added by 16 work-items, and by no more than pay.
SIZES_ON = {
    "bare-accelerator": [["40", "2601", "85"], ["128", "130", "40"], ["40", "12500", "9"]],
    "h200": [["64", "64", "70000"], ["17", "8448", "520"]],
}
# Without tiles: where they won after the first drop, they would be remembered in place of the panels.
DROP_SIZES = [["3", "2", "5"], ["9", "17", "20"]]
WRONG_SIZE = ["32", "64", "64"]  # no larger than what the search computes: all of A and B is used
# The second: K in two parts where BK is 256; the third: four tiles, three whole and one that is cut.
COST_SIZES = [["17", "33", "65"], ["5", "33", "270"], ["33", "65", "40"]]
SEARCH_SIZE = ["128", "64", "256"]
LARGE_LAUNCHES = True
# An earlier run's panels of the same matrices are as right as new ones.
NOT_POISONED = ["pad", "pack_a", "pack_b"]
# In the search these are no reason to stop: the candidate is left out.
SEARCH_CALLS = ["clBuildProgram", "clCreateKernel", "clEnqueueNDRangeKernel", "clWaitForEvents"]
BENCH = {
    "matmul": {"tiles": "20 autotuned", "panels": "20 autotuned", "as the host waits": "20, as the host waits"},
    "front": "20 autotuned",
    "chooses": True,
}
# What it tries on the simulated device, whose vectors have 4 floats and whose local memory holds small
# tiles, as TM, TN, BK, and whether they are packed: candidates.h says why.
_PANELS = [
    (tm, tn, bk, packed) for tm, tn in [(6, 8), (4, 12)] for bk, packed in [(256, True), (1024, True), (256, False)]
]
MOST = [2**30] * 3
FOR_A_TRY = [4]  # the counters of tiles that are cut
# The third: tiles divide it; the fourth: the matrices end where their buffers do, and
# tiles reach beyond; the last: odd rows, and a last step that is not full. In the last two there are two tiles, which are cut.
OCLGRIND_SIZES = [["1"], ["9", "17", "20"], ["32", "64", "48"], ["16", "124", "32"], ["7", "66", "50"]]
# 16×8 sums, whole and cut, which no CPU gets, in place of all others: two tiles, in one of them a second step for each group.
ON_OTHER_DEVICES = [
    (
        """candidates.h
- {{6, 2}, {4, 3}};
+ {};

- {false, 32, 64, 16, 8, 8},
+ {false, 128, 64, 8, 16, 8},

- c.bm == 32 && c.bn == 64
+ c.tm == 16 && c.bn == 64

- c.groups = 3;
+ c.groups = 4;
""",
        ["65", "66", "20"],
    )
]
REFERENCES = {"matmul": product, "matmul_cut": product}
INPUT_SIZES = [["17", "33", "65"], ["5", "33", "600"]]  # the second: K in several parts


def _remember(kind):
    """Remembers the first of the shapes of a kind that a run tried, by its standard error."""

    def way(cache, err):
        tried = re.findall(rf"round 1, \d+ of \d+: ({kind}): ", err)
        for path in pathlib.Path(cache).rglob("20-matmul-autotuned-*.txt") if tried else []:
            path.write_text(re.sub("\nwinner .*", f"\nwinner {tried[0]}", path.read_text()))
        return tried[0] if tried else None

    return way


WAYS = [
    _remember(kind)
    for kind in ("tiles [^:,]*, [^:,]*", "tiles [^:]*groups", "panels [^:,]*, [^:,]*", "panels [^:]*not packed")
]


def _odd(size):
    """One less than the next power of two, from 16 on: no candidate's parts divide it."""
    power = 16
    while power < size:
        power *= 2
    return min(power, 1024) - 1


def _is_cut(m, n, k):
    """Does a CPU try tiles of 32×64 that are cut?"""
    return math.ceil(m / 32) * math.ceil(n / 64) % 3 * math.ceil(k / 16) >= 3


def costs(m, n, k):
    """What each candidate of the search costs: how many launches of it there are is up to the clock."""
    tiles = fast_tiles(m, n, k) + (fast_tiles(m, n, k, groups=3) if _is_cut(m, n, k) else [])
    packed = [launch for *shape, packed in _PANELS if packed for launch in panels(m, n, k, *shape)]
    return packed + [unpacked(m, n, k, *shape) for *shape, packed in _PANELS if not packed] + tiles


def costs_of_some(m, n, k):
    """The winner is checked with an odd product; which one it is, is up to the clock."""
    return costs(_odd(m), _odd(n), _odd(k))


_LINE = r"search    round \d, \d+ of \d+: ((tiles|panels) .*?): ([\d.]+) GFLOP/s(?:, the best so far)?"


def _launched(shape, m, n, k):
    """The kernels of a run of a candidate."""
    if shape.endswith("not packed"):
        return ["matmul"]
    if shape.startswith("panels"):
        return ["pack_a", "pack_b", "matmul"]
    bm, bn, bk, tm, tn, groups = [int(number) for number in [*re.findall(r"\d+", shape), "0"][:6]]
    items = (bm // tm) * (bn // tn)
    one_by_one = tm * tn <= 64 and items % bn == 0 and items % bk == 0  # of odd rows
    pad = ["pad", "pad"] * ((k % 4 > 0 or n % 4 > 0) and not one_by_one)
    whole, _, parts = cut_tiles(m, n, k, groups, bm, bn, bk)
    return [*pad, *["matmul"] * bool(whole), *["matmul_cut"] * bool(parts)]


def _built(shape):
    """The constants of a candidate, as it is printed."""
    return dict(zip(("BM", "BN", "BK", "TM", "TN"), re.findall(r"\d+", shape)))


def times(commands, expected, m, n, k):
    """The search goes by the fastest run of each candidate on the host's clock, the warm-up left out; then the
    winner, of all runs, by the device's."""
    best, tried = {}, [re.fullmatch(_LINE, line) for line in expected.err.splitlines() if "search    round " in line]
    for line in filter(None, tried):
        commands.take("clEnqueueWriteBuffer")
        taken = commands.runs(*_launched(line[1], m, n, k), by_host=True, built=_built(line[1])).host
        commands.take("clEnqueueReadBuffer")
        best[line[1]] = min([*taken[1:], best.get(line[1], math.inf)])
        numbers = [(2 * m * n * k / best[line[1]] / 1e6, 1)]
        expected.said.append((line[0], rf".*: {line[1]}: ([\d.]+) GFLOP/s.*", numbers))
    winner = min(best, key=best.get, default="")
    if best:  # the winner is checked with an odd product
        commands.take("clEnqueueWriteBuffer")
        commands.runs(*_launched(winner, *map(_odd, (m, n, k))), by_host=True, built=_built(winner))
        commands.take("clEnqueueReadBuffer")
    commands.take("clEnqueueWriteBuffer")
    if commands.left[0].name == "pack_a":
        what = f"{winner or r'panels .+'}:"
        taken = packed_times(commands, expected, what, m, n, k, by_host=True, built=_built(winner))
    else:
        names = [command.name for command in commands.left]
        names = names[: next(i for i, name in enumerate(names) if name.startswith("clEnqueue"))]
        period = next(i for i in range(1, len(names) + 1) if all(a == b for a, b in zip(names, names[i:])))
        kernels = names[:period]
        taken = commands.runs(*kernels, by_host=True, built=_built(winner))
        commands.take("clEnqueueReadBuffer")
        expected.rate(f"{winner or r'(?:tiles .+|.+, not packed)'}:", taken, 2 * m * n * k, "GFLOP/s")
    on_host = type(taken)()
    on_host.extend(taken.host)
    expected.rate("as the host waits:", on_host, 2 * m * n * k, "GFLOP/s")
