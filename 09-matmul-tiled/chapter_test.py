from checker.references import product
from tests.formulas import TILE, matmul_times, tiled

CONTINUES = "08-matmul-naive"
HOSTILE_ALL = True
BENCH_MATMUL = {"kernel": "09 tiles"}
REFERENCES = {"matmul": product}
COUNTS_ROWS = True


def costs(m, n, k, tile=TILE):
    return [("matmul", tiled(m, n, k, wpt=1, tile=tile))]


def times(*arguments):
    matmul_times(*arguments)
