import math

TIME_SIZES = [["1000003"], ["1000"], ["4096"]]  # the last one is whole work-groups


def times(commands, expected, n):
    """On the host's clock: enqueue, wait; the fastest of five."""
    groups = math.ceil(n / 64)
    for kernel, number, size in [
        *[("one_each", n, 1), ("one_each", groups, 64), ("grid_stride", 1, 1)],
        *[("grid_stride", 1, 64), ("grid_stride", 32, 64), ("grid_stride", 1024, 64)],
    ]:
        commands.take("clEnqueueFillBuffer")
        taken = commands.runs(kernel, runs=5).host
        commands.take("clEnqueueReadBuffer")
        what = f"{kernel}, {number} group{'s' * (number != 1)} of {size}"
        expected.line(rf"{what}: ([\d.]+) ms", (min(taken), 3))
