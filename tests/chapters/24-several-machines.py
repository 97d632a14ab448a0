from formulas import TILE, count, tiled, tree
from references import product

COMPILER = "mpicxx"
_PANEL = 256
SMALL_SIZES = [["1"], ["32", "32", "64"], ["17", "33", "300"]]
COST_SIZES = [["64"] * 3, ["17", "33", "65"], ["33", "17", "600"]]


def costs(m, n, k):
    """For one process: the squares of A, then a launch for each panel, which adds to C from the second one on."""
    groups = min(32, -(-m * k // 64))
    launches = [("dot_product", tree(2 * m * k, groups, 64, fmas=m * k))]
    for first in range(0, k, _PANEL):
        cost = tiled(m, n, min(_PANEL, k - first), wpt=TILE // 4)
        more = count(m * n, 0, adds=m * n) if first else count(0, 0)
        launches.append(("matmul", {what: number + more[what] for what, number in cost.items()}))
    return launches
