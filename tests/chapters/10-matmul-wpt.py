from formulas import TILE, matmul_times, tiled

BENCH = {"10": {"plot": "matmul", "line": 0, "label": "10 WPT", "color": "#e07b00"}}


def costs(m, n, k):
    return [("matmul", tiled(m, n, k, wpt=TILE // 4))]


def times(*arguments):
    matmul_times(*arguments)
