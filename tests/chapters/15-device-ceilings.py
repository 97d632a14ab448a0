from formulas import count, multiply_add_costs, multiply_adds, padded_floats

LARGE_LAUNCHES = True
DROP_SIZES = [["1000"]]  # most of its work does not depend on N
BENCH_CEILINGS = r"ceilings: ([\d.]+|-?nan) GB/s, ([\d.]+|-?nan) GFLOP/s"


def costs(n):
    """A copy reads and writes each float once, in vectors of any width."""
    return [("copy", count(padded_floats(n), padded_floats(n)))] + multiply_add_costs(1, 4, 16)


def times(commands, expected, n):
    copies = []
    for vector, local_size in [(None, 0)] + [(v, size) for v in ["float", "float4", "float16"] for size in [1, 256]]:
        commands.take("clEnqueueFillBuffer")
        runs = commands.runs("copy" if vector else "clEnqueueCopyBuffer")
        commands.take("clEnqueueReadBuffer")
        what = "clEnqueueCopyBuffer:"
        if vector:
            what = f"copy kernel, {vector}, {runs.items // local_size} work-groups of {local_size}:"
        copies.append(expected.rate(what, runs, 2 * 4 * padded_floats(n), "GB/s"))
    rates = []
    for width in [1, 4, 16]:
        for chains in [2, 12]:
            commands.take("clEnqueueFillBuffer")
            runs = commands.runs("multiply_add")
            commands.take("clEnqueueReadBuffer")
            vector = "float" if width == 1 else f"float{width}"
            rates.append(expected.rate(f"multiply_add, {vector}, {chains} chains:", runs,
                                       multiply_adds(runs, chains, width), "GFLOP/s"))
    expected.line(r"ceilings: ([\d.]+) GB/s, ([\d.]+) GFLOP/s; balance ([\d.]+) FLOP per byte",
                  (max(copies), 1), (max(rates), 1), (max(rates) / max(copies), 1))
