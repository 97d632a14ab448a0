"""Ladders at the end of chapters 10, 16 and 20: from a plain C loop to the library, from docs/results."""

import csv
import math
import pathlib

from draw import BLUE, INK, LINE, ORANGE, SOFT, figure

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "results"
TWO_CORES, GPU = "two cores of an AMD EPYC", "one NVIDIA H200"


def rates(file):
    """{(series, size): median} of a record."""
    rows = list(csv.reader((RESULTS / file).read_text(encoding="utf-8").splitlines()))[1:]
    return {tuple(row[-6:-4]): float(row[-4]) for row in rows}


def shown(rate):
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:g}"


def ladder(f, unit, *panels, linear=False):
    """Bars on a logarithmic scale, unless `linear`. `panels`: (machine, [(name, rate, color)])."""
    f.height = 42 + 29 * sum(len(bars) for _, bars in panels) + 44 * len(panels)
    left, right, y = 208, 600, 34
    scale = "" if linear else ", on a logarithmic scale: from one dotted line to the next, ten times as fast"
    f.note(24, 30, unit + scale, SOFT, 14)
    rated = sorted(rate for _, bars in panels for _, rate, _ in bars)
    lowest, highest = math.floor(math.log10(rated[0])), math.ceil(math.log10(rated[-1]))
    marks = [] if linear else [10**power for power in range(lowest, highest + 1)]

    def x(rate):
        part = rate / rated[-1] if linear else (math.log10(rate) - lowest) / (highest - lowest)
        return left + part * (right - left)

    for machine, bars in panels:
        f.title_at(24, y + 20, machine, 15.5)
        y += 32
        for mark in marks:
            f.line(x(mark), y, x(mark), y + 29 * len(bars), LINE, 0.8, dash="2 4")
        for name, rate, color in bars:
            f.text(left - 10, y + 19, name, 14, INK, "end")
            f.box(left, y + 4, x(rate) - left, 21, color, color, 2, 0)
            start = x(rate) + 7
            middle = start + 4 * len(shown(rate))
            if any(abs(middle - x(mark)) < 6 for mark in marks):
                start += 14  # no dotted line goes through the number
            f.note(start, y + 19, shown(rate), INK, 14)
            y += 29
        y += 12


def panel(machine, file, size, names, library, plain=()):
    """A machine's bars: the C loops, (name, rate) each, our series, as (what it is called, series) where that is not the
    same, and the library."""
    record, bars = rates(file), [(*loop, SOFT) for loop in plain]
    for of in [*names, library]:
        name, series = of if isinstance(of, tuple) else (of, of)
        bars.append((name, record[series, size], ORANGE if of == library else BLUE))
    return machine, bars


PLAIN = rates("plain-c.csv")
PRODUCT = [  # the triple loop as one writes it down, and as chapter 08 has it: most of the step is the flags'
    ("plain C, one core, -O2", PLAIN["plain C", "1000"]),
    ("reordered, best flags", PLAIN["loops reordered, best flags", "1000"]),
]
STEPS = ["08 naive", "09 tiles", "10 WPT"]
BLAS = ("OpenBLAS, two cores", "OpenBLAS, bound")


@figure("ladder-matmul", "The matrix product: from a plain C loop to the library")
def matmul(f):
    """Chapter 10. Not at 1024 on the cores, where a walk down a column is at its worst."""
    cpu = panel(f"{TWO_CORES}, at 1000", "cpu2-amd/matmul.csv", "1000", STEPS, BLAS, PRODUCT)
    gpu = panel(f"{GPU}, at 1024", "h200/matmul.csv", "1024", STEPS, "cuBLAS")
    ladder(f, "GFLOP/s", cpu, gpu)


@figure("ladder-autotuned", "The matrix product: from a plain C loop to the library")
def autotuned(f):
    """Chapter 20: all steps, at a size at which each machine has work enough."""
    ours = [*STEPS, "17 registers", "19 packed", ("20 autotuned", "20, as the host waits")]
    cpu = panel(f"{TWO_CORES}, at 1000", "cpu2-amd/matmul.csv", "1000", ours, BLAS, PRODUCT)
    ours = [*STEPS, "17 registers", "18 double-buffered", "20 autotuned"]
    gpu = panel(f"{GPU}, at 4096", "h200/matmul.csv", "4096", ours, "cuBLAS")
    ladder(f, "GFLOP/s", cpu, gpu)


@figure("ladder-dot-product", "The dot product: from a plain C loop to the library")
def dot_product(f):
    """Chapter 16, at the largest size that the memory of either machine was measured at."""
    plain = [("a plain C loop, one core", PLAIN["plain C", "67108864"])]
    ours, blas = ["07 reduction", "11 sum", "16 vectorized"], ("OpenBLAS, one core", "OpenBLAS")
    cpu = panel(f"{TWO_CORES}, N = 2²⁶", "cpu2-amd/vectors.csv", "67108864", ours, blas, plain)
    gpu = panel(f"{GPU}, N = 2²⁸", "h200/vectors.csv", "268435456", ours, "cuBLAS")
    ladder(f, "GB/s", cpu, gpu)


@figure("ladder-gpu", "The matrix product on an H200, kernel by kernel")
def gpu(f):
    """docs/gpu.md: the record says which rows are drawn."""
    bars = []
    for row in csv.DictReader((RESULTS / "kernel-by-kernel.csv").read_text(encoding="utf-8").splitlines()):
        if row["drawn"]:
            name, rate = row["kernel"], float(row["median GFLOP/s at 4096"])
            bars.append((name, rate, ORANGE if name == "cuBLAS" else BLUE))
    ladder(f, "GFLOP/s", ("OpenCL C, this tutorial", bars), linear=True)
