from formulas import matmul_times, tiled

ALL_TYPICAL_MUTANTS = True  # barriers are the lesson
HOSTILE_ALL = True
BENCH = {"09": {"plot": "matmul", "line": 0, "label": "09 tiles", "color": "#c49a00"}}


def costs(m, n, k):
    return [("matmul", tiled(m, n, k, wpt=1))]


def times(*arguments):
    matmul_times(*arguments)
