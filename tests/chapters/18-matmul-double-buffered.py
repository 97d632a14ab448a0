from formulas import double_buffered, matmul_times
from references import product

LARGE_LAUNCHES = True
OCLGRIND_OPTIONS = ["--build-options", "-cl-opt-disable"]  # see 17
COPIES = [("kernel.cl", "17-matmul-register-tiled/kernel.cl", ["COLS", "ROWS", "ITEMS", "A_STRIDE", "load4", "store4"])]
BENCH_MATMUL = {"kernel": "18 double-buffered"}
REFERENCES = {"matmul": product}


def costs(m, n, k):
    return double_buffered(m, n, k, bm=128, bn=128, bk=8, tm=16, tn=8)


def times(*arguments):
    matmul_times(*arguments)
