import math

from checker.references import U, total, unchanged

THOROUGH = ["other-inputs"]  # thirteen programs are built and released
LARGE_LAUNCHES = True
DROP_SIZES = [["1000"]]  # most of its work does not depend on N
TIME_FLOOR = 4000  # no run of multiply_add has too few steps, unless the clock has a dip


def _chains(inputs, launch, sizes):
    """n times x · factor + summand, which is a geometric series: each chain comes closer to a fixed value."""
    factor, summand = inputs[0][:2]
    steps, width = launch.args[2], int(launch.options["VECTOR"][len("float") :] or 1)
    chains = range(int(launch.options["CHAINS"]))
    fixed = summand / (1 - factor)
    allowed = len(chains) * 2 * U * (64 + len(chains) + abs(fixed)) / (1 - abs(factor))
    rights = [sum((start + chain - fixed) * factor**steps + fixed for chain in chains) for start in range(64)]
    for item in range(launch.items):
        for _ in range(width):
            yield rights[item % 64], allowed


OCLGRIND_SIZES = [["1"], ["256"], ["20000"]]
REFERENCES = {"clEnqueueCopyBuffer": unchanged, "copy": unchanged, "read_all": total, "multiply_add": _chains}
INPUT_SIZES = [["1000"]]  # most of its work does not depend on N


def _floats(n):
    """Whole vectors of 16, in up to 8 chains."""
    return math.ceil(n / 128) * 128


def times(commands, expected, n):
    """Printed is the fastest of all runs."""
    read, copy = 4 * _floats(n), 8 * _floats(n)
    commands.take("clEnqueueFillBuffer")
    taken = commands.runs("clEnqueueCopyBuffer")
    commands.take("clEnqueueReadBuffer")
    best = {"copy": expected.rate("clEnqueueCopyBuffer:", taken, copy, "GB/s", best=True)}
    for kernel, work, vectors in [
        ("read_all", read, [(1, 1), (4, 2), (4, 8), (16, 2), (16, 8)]),
        ("copy", copy, [(4, 1), (16, 1)]),
        ("multiply_add", 0, [(1, 2), (1, 12), (8, 12), (16, 8), (16, 12)]),
    ]:
        for width, chains in vectors:
            commands.take("clEnqueueFillBuffer")
            taken = commands.runs(kernel)
            commands.take("clEnqueueReadBuffer")
            items = taken.last[0].items
            what = f"{kernel}, {chains} x float{width if width > 1 else ''}, {items} work-items:"
            unit = "GB/s" if work else "GFLOP/s"
            rate = expected.rate(what, taken, work or 2 * chains * items * width, unit, best=True)
            best[kernel] = max(best.get(kernel, 0), rate)
    gigabytes = max(best["read_all"], best["copy"])
    numbers = [best["read_all"], best["copy"], best["multiply_add"], best["multiply_add"] / gigabytes]
    expected.line(
        r"ceilings: ([\d.]+) GB/s read, ([\d.]+) GB/s copied, ([\d.]+) GFLOP/s; balance ([\d.]+) FLOP per byte",
        *((number, 1) for number in numbers),
    )
