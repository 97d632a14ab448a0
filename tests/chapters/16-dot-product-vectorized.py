import math

from formulas import CEILING, COMPUTE_UNITS, MAX_WORK_GROUP, copy_ceiling, count, padded_floats, tree

UNNOTICED = {"clEnqueueCopyBuffer": CEILING, "copy": CEILING}
BENCH_VECTORS = {"both": "16 vectorized"}


def costs(n):
    """Two vectors are read once, by work-groups as large as the device has them; a second launch of
    one such group reads what each group left and writes one number. (The simulated device calls
    itself a GPU.) The copy beside them is what the ceiling is measured with."""
    size = MAX_WORK_GROUP
    groups = min(COMPUTE_UNITS * 2048 // size, math.ceil(math.ceil(n / (4 * 2)) / size))
    padded = padded_floats(n)
    return [("copy", count(padded, padded)), ("dot_product", tree(2 * n, groups, size, readers=size)),
            ("add_partial_sums", tree(groups, 1, size, readers=size))]


def times(commands, expected, n):
    runs = commands.runs("dot_product", "add_partial_sums")
    commands.take("clEnqueueReadBuffer")
    rate = expected.rate("both kernels", runs, 2 * 4 * n, "GB/s")
    expected.share(rate, copy_ceiling(commands, n), "GB/s")
