from formulas import count, matmul_times

BENCH = {"08": {"plot": "matmul", "line": 0, "label": "08 naive", "color": "#9e9e9e"}}


def costs(m, n, k):
    return [("matmul", count(2 * m * n * k, m * n))]


def times(*arguments):
    matmul_times(*arguments)
