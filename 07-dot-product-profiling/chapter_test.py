from checker.references import dot_product, elements

BENCH = {
    "vectors": {"dot_product_naive": "07 naive", "dot_product_reduction": "07 reduction"},
    "flop_per_byte": {"07 naive": 1 / 12},  # a multiplication for three floats
}
NOT_POISONED = ["dot_product_naive", "dot_product_reduction"]  # each run is read back
OCLGRIND_SIZES = [["1"], ["256"], ["5000"]]  # each work-item has two or three elements
REFERENCES = {"dot_product_naive": elements(lambda a, b: a * b, operations=1), "dot_product_reduction": dot_product}


def times(commands, expected, n):
    for name, results in [("dot_product_naive", n), ("dot_product_reduction", min(32, (n + 63) // 64))]:
        runs = commands.runs(name, runs=6, after="clEnqueueReadBuffer")
        expected.rate(f"{name}: kernel", runs, 4 * (2 * n + results), "GB/s")
        last = runs.last[0]
        expected.line(
            r"  last run: submitted ([\d.]+), started ([\d.]+), ended ([\d.]+) ms after queued",
            *((moment - last.queued, 3) for moment in [last.submitted, last.started, last.ended]),
        )
        expected.line(
            r"  host's clock: launch and wait ([\d.]+) ms, read back and add ([\d.]+) ms",
            (sorted(runs.host[1:])[2], 3),
            (sorted(runs.after[1:])[2], 3),
        )
    expected.line(r"plain C loop, one core: ([\d.]+) ms", (commands.reading, 3))  # it enqueues nothing
