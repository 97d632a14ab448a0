from checker.references import product
from tests.formulas import double_buffered, matmul_times

LARGE_LAUNCHES = True
OCLGRIND_SIZES = [["1"], ["128", "128", "24"], ["17", "33", "65"]]  # the second: EDGES=0
BENCH = {"matmul": {"kernel": "18 double-buffered"}}
MOST = [2**30] * 3
REFERENCES = {"matmul": product}
times = matmul_times


def costs(m, n, k, bm=128, bn=128, bk=8, tm=16, tn=8):
    return double_buffered(m, n, k, bm, bn, bk, tm, tn)
