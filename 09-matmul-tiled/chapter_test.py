from checker.references import product
from tests.formulas import TILE, matmul_times, tiled

BENCH = {"matmul": {"kernel": "09 tiles"}}
REFERENCES = {"matmul": product}
times = matmul_times


def costs(m, n, k, tile=TILE):
    return [("matmul", tiled(m, n, k, wpt=1, tile=tile))]
