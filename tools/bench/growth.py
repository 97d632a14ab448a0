#!/usr/bin/env python3
"""How time grows with N, and from which size on each step pays: from the records, by command.

    tools/bench/growth.py docs/results/h200 ...      prints the tables of these folders

The exponent is the slope of a straight line through log(time) over log(N), fitted by least squares to the sizes from
512 on: 3 for a product whose every operation takes the same time. The rates stand in matmul.csv; a
product of N takes 2·N³ operations.
"""

import math
import pathlib
import statistics
import sys

import tables

FROM = 512  # below, a launch costs more than the work


def exponent(rates):
    """The fitted exponent of {size: rate}, or None with fewer than three sizes."""
    sizes = [size for size in sorted(rates) if size >= FROM and rates[size] > 0]
    if len(sizes) < 3:
        return None
    x = [math.log(size) for size in sizes]
    return statistics.linear_regression(x, [math.log(2 * size**3 / rates[size]) for size in sizes]).slope


def pays_from(rates, before):
    """From which size on a series is faster than `before` at every size that both have; None: at none."""
    both = sorted(set(rates) & set(before))
    slower = [size for size in both if rates[size] <= before[size]]
    return next((size for size in both if not slower or size > max(slower)), None)


def lines_of(matmul):
    """A table's rows of {series: {size: rate}}."""
    rows, before = [], None
    for name, rates in matmul.items():
        slope = exponent(rates)
        start = pays_from(rates, matmul[before]) if before else None
        largest = max(rates)
        rows.append(
            f"| {name} | {'–' if slope is None else f'{slope:.2f}'} | "
            f"{'' if before is None else 'nowhere' if start is None else start} | "
            f"{12 * largest**2 / 1e6:,.0f} MB at {largest} |"
        )
        before = before if name[:1].isalpha() else name  # a library is no step
    return rows


def section(matmul, naive):
    """The section of a folder's README.md: `matmul` is {series: {size: median rate}}."""
    if naive not in matmul:
        return []
    return [
        "## How it grows",
        "",
        f"Time grows as N to the power of this, fitted from {FROM} on; faster than the line before from which size on; "
        "the three matrices (memory: N to the power of 2):",
        "",
        "| | exponent | pays from | memory |",
        "| --- | ---: | ---: | ---: |",
        *lines_of(matmul),
        "",
    ]


def main():
    for folder in map(pathlib.Path, sys.argv[1:]):
        matmul = tables.medians(tables.read(folder / "matmul.csv"))
        print("\n".join([f"# {folder.name}", "", *section(matmul, next(iter(matmul)))]))


if __name__ == "__main__":
    main()
