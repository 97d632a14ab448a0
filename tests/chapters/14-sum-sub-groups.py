from formulas import sum_reduction

LARGE_LAUNCHES = True
BAD_ARGUMENTS = [(["10", "4"], "not a way that this device has: 4")]
BENCH_VECTORS = {"kernel": "14 sub-groups"}


def costs(n):
    """Way 3: the simulated device has neither of the functions."""
    return [("sum_sub_groups", sum_reduction(n))]


def times(commands, expected, n):
    taken = commands.runs("sum_sub_groups")
    commands.take("clEnqueueReadBuffer")
    expected.rate("kernel", taken, 4 * n, "GB/s")
