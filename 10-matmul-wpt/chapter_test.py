from checker.references import product
from tests.formulas import TILE, matmul_times, tiled

BENCH = {"matmul": {"kernel": "10 WPT"}}
REFERENCES = {"matmul": product}


def costs(m, n, k, tile=TILE, wpt=TILE // 4):
    return [("matmul", tiled(m, n, k, wpt=wpt, tile=tile))]


def times(*arguments):
    matmul_times(*arguments)
