"""Ladders at the end of chapters 10, 16 and 20: from a plain C loop to the library, from docs/results."""

import csv
import math
import pathlib

from draw import BLUE, INK, LINE, ORANGE, SOFT, Figure, figure

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "results"
TWO_CORES, GPU = "two cores of an AMD EPYC", "one NVIDIA H200"


def rates(file):
    """{(series, size): median} of a record."""
    with open(RESULTS / file, encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    return {tuple(row[-6:-4]): float(row[-4]) for row in rows}


def shown(rate):
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:g}"


def ladder(title, unit, panels):
    """Bars on a logarithmic scale. `panels`: (machine, [(name, rate, color)])."""
    rows = sum(len(bars) for _, bars in panels)
    f = Figure(680, 40 + 29 * rows + 44 * len(panels), title)
    left, right, y = 208, 600, 16
    highest = math.ceil(max(math.log10(rate) for _, bars in panels for _, rate, _ in bars))
    lowest = math.floor(min(math.log10(rate) for _, bars in panels for _, rate, _ in bars))

    def x(rate):
        return left + (math.log10(rate) - lowest) / (highest - lowest) * (right - left)

    for machine, bars in panels:
        f.title_at(24, y + 20, machine, 15.5)
        y += 32
        for power in range(lowest, highest + 1):
            f.line(x(10**power), y, x(10**power), y + 29 * len(bars), LINE, 0.8, dash="2 4")
        for name, rate, color in bars:
            f.text(left - 10, y + 19, name, 14, INK, "end")
            f.box(left, y + 4, x(rate) - left, 21, color, color, 2, 0)
            start = x(rate) + 7
            middle = start + 4 * len(shown(rate))
            if any(abs(middle - x(10**power)) < 6 for power in range(lowest, highest + 1)):
                start += 14  # no dotted line goes through the number
            f.note(start, y + 19, shown(rate), INK, 14)
            y += 29
        y += 12
    f.note(24, y + 14, f"{unit}; from one dotted line to the next, ten times as fast", SOFT, 14)
    return f


def bars(plain, record, steps, library):
    """`plain`: [(name, rate)] of the C loops."""
    return (
        [(name, rate, SOFT) for name, rate in plain]
        + [(name, record[key], BLUE) for name, key in steps]
        + [(name, record[key], ORANGE) for name, key in [library]]
    )


def plain_products(size):
    """The triple loop as one writes it down, and with its loops in the order of chapter 08."""
    record = rates("plain-c.csv")
    return [
        ("plain C, one core", record["plain C", size]),
        ("its loops reordered (08)", record["plain C, loops of 08", size]),
    ]


@figure("ladder-matmul")
def matmul():
    """Chapter 10, at 1024."""
    steps = [(name, (name, "1024")) for name in ("08 naive", "09 tiles", "10 WPT")]
    panels = [
        (
            TWO_CORES,
            bars(plain_products("1024"), rates("cpu2-amd/matmul.csv"), steps, ("OpenBLAS", ("OpenBLAS", "1024"))),
        ),
        (GPU, bars([], rates("h200/matmul.csv"), steps, ("cuBLAS", ("cuBLAS", "1024")))),
    ]
    return ladder("The matrix product at 1024: from a plain C loop to the library", "GFLOP/s", panels)


@figure("ladder-autotuned")
def autotuned():
    """Chapter 20: all steps, at a size at which each machine has work enough."""

    def steps(size, names):
        return [(name.replace(", as the host waits", " autotuned"), (name, size)) for name in names]

    cpu = steps("1024", ["08 naive", "09 tiles", "10 WPT", "17 registers", "19 packed", "20, as the host waits"])
    gpu = steps("4096", ["08 naive", "09 tiles", "10 WPT", "17 registers", "18 double-buffered", "20 autotuned"])
    panels = [
        (
            f"{TWO_CORES}, at 1024",
            bars(plain_products("1024"), rates("cpu2-amd/matmul.csv"), cpu, ("OpenBLAS", ("OpenBLAS", "1024"))),
        ),
        (f"{GPU}, at 4096", bars([], rates("h200/matmul.csv"), gpu, ("cuBLAS", ("cuBLAS", "4096")))),
    ]
    return ladder("The matrix product: from a plain C loop to the library", "GFLOP/s", panels)


@figure("ladder-dot-product")
def dot_product():
    """Chapter 16, at the largest size that the memory of either machine was measured at."""
    plain = [("a plain C loop, one core", rates("plain-c.csv")["plain C", "67108864"])]

    def steps(size):
        names = ["07 reduction", "11 sum", "16 vectorized"]
        return [(name, (name, size)) for name in names]

    panels = [
        (
            f"{TWO_CORES}, N = 2²⁶",
            bars(
                plain,
                rates("cpu2-amd/vectors.csv"),
                steps("67108864"),
                ("OpenBLAS, one core", ("OpenBLAS", "67108864")),
            ),
        ),
        (
            f"{GPU}, N = 2²⁸",
            bars([], rates("h200/vectors.csv"), steps("268435456"), ("cuBLAS", ("cuBLAS", "268435456"))),
        ),
    ]
    return ladder("The dot product: from a plain C loop to the library", "GB/s", panels)
