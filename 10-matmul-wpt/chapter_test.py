from checker.references import product
from tests.formulas import TILE, matmul_times, tiled

BENCH = {"matmul": {"kernel": "10 WPT"}}
REFERENCES = {"matmul": product}
times = matmul_times


def costs(m, n, k, tile=TILE, wpt=TILE // 4):
    return [("matmul", tiled(m, n, k, wpt=wpt, tile=tile))]
