from formulas import TILE, matmul_times, tiled
from references import product

BENCH_MATMUL = {"kernel": "10 WPT"}
REFERENCES = {"matmul": product}


def costs(m, n, k):
    return [("matmul", tiled(m, n, k, wpt=TILE // 4))]


def times(*arguments):
    matmul_times(*arguments)
