from checker.references import product
from tests.formulas import count, matmul_times

BENCH = {"matmul": {"kernel": "08 naive"}}
REFERENCES = {"matmul": product}


def costs(m, n, k):
    return [("matmul", count(2 * m * n * k, m * n, fmas=m * n * k))]


def times(commands, expected, m, n, k):
    matmul_times(commands, expected, m, n, k)
    loops = commands.reading  # they enqueue nothing
    rate = 2 * m * n * k / loops / 1e6
    expected.line(r"plain C loops, one core: ([\d.]+) ms, ([\d.]+) GFLOP/s", (loops, 3), (rate, 1))
