from checker.references import product
from tests.programs.test_printed_times import matmul_times

BENCH = {"matmul": {"kernel": "08 naive"}}
REFERENCES = {"matmul": product}


def times(commands, expected, m, n, k):
    matmul_times(commands, expected, m, n, k)
    loops = commands.reading  # they enqueue nothing
    rate = 2 * m * n * k / loops / 1e6
    expected.line(r"plain C loops, one core: ([\d.]+) ms, ([\d.]+) GFLOP/s", (loops, 3), (rate, 1))
