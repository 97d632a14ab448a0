from checker.references import product
from tests.formulas import TILE, matmul_times, tiled

BENCH = {"matmul": {"kernel": "09 tiles"}}
REFERENCES = {"matmul": product}


def costs(m, n, k, tile=TILE):
    return [("matmul", tiled(m, n, k, wpt=1, tile=tile))]


def times(*arguments):
    matmul_times(*arguments)
