from checker.references import product
from tests.formulas import count, matmul_times

BENCH = {"matmul": {"kernel": "08 naive"}}
REFERENCES = {"matmul": product}


def costs(m, n, k):
    return [("matmul", count(2 * m * n * k, m * n, fmas=m * n * k))]


def times(*arguments):
    matmul_times(*arguments)
