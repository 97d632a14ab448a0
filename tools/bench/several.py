#!/usr/bin/env python3
"""The results of chapters 22, 23 and 24 on one page, from the measured tables in their lessons.

    tools/bench/several.py docs/results/h200-several      writes README.md and, with matplotlib, the plots

The lessons' tables are the records: nothing is typed in here, and what no lesson has is not shown. The model of chapter
24 is fitted to its runs at one size and says what the others should take.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FITTED = 8192  # the size whose runs the model takes its numbers from


def number(cell):
    """216.4 of "216.4 ms", 1048576 of "2²⁰", 0.6 of "60 %"."""
    power = re.fullmatch(r"2([⁰¹²³⁴-⁹]+)", cell)
    if power:
        return 2 ** int(power.group(1).translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")))
    value = float(re.match(r"[\d.]+", cell)[0])
    return value / 100 if cell.endswith("%") else value


def table(chapter, first):
    """The rows of the lesson's table whose head begins with `first`: a list of lists of numbers."""
    lines = [line.strip() for line in (ROOT / chapter / "README.md").read_text().splitlines()]
    begin = next((i for i, line in enumerate(lines) if line.startswith(f"| {first} |")), None)
    if begin is None:
        raise SystemExit(f"{chapter}/README.md has no table that begins with | {first} |")
    rows = []
    for line in lines[begin + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([number(cell.strip()) for cell in line.strip("|").split("|")])
    return rows


def overlap():
    """{PIECE: (ms with one queue, two, three, of the copies alone, share)}"""
    return {int(piece): tuple(values) for piece, *values in table("22-overlap", "PIECE")}


def devices():
    """{n: (ms on one GPU, on two, efficiency)}"""
    return {int(n): tuple(values) for n, *values in table("23-several-devices", "M = N = K")}


def processes():
    """{n: (ms of one process, of two, efficiency, ms of the kernels of one, of two)}"""
    return {int(n): tuple(values) for n, *values in table("24-several-machines", "M = N = K")}


class Model:
    """Chapter 24's: a process computes for 2n³/(pR), brings D bytes to its device at B, and gets E from others at W."""

    def __init__(self, runs):
        one, two, _, kernels_1, kernels_2 = (ms / 1e3 for ms in runs[FITTED])
        self.flops = 2 * FITTED**3 / kernels_1
        self.to_device = self.brought(FITTED, 1) / (one - kernels_1)
        self.messages = self.received(FITTED) / (two - kernels_2 - self.brought(FITTED, 2) / self.to_device)

    @staticmethod
    def brought(n, processes):
        return 4 * n * (n / processes + n)

    def received(self, n):
        return self.brought(n, 2) - 4 * n * n  # half of A and of B is its own

    def ms(self, n, processes):
        seconds = 2 * n**3 / (processes * self.flops) + self.brought(n, processes) / self.to_device
        return 1e3 * (seconds + (self.received(n) / self.messages if processes == 2 else 0))


def spread(runs):
    """The efficiency at the smallest and at the largest size, in words."""
    return " to ".join(f"{100 * runs[n][2]:g} %" for n in (min(runs), max(runs)))


def off(said, measured):
    """By how much the model is off, in per cent."""
    percent = round(100 * (said / measured - 1))
    return f"{percent:+d} %" if percent else "0 %"


def power(n):
    return f"2^{n.bit_length() - 1}"


def rows(head, body):
    yield f"| {' | '.join(head)} |"
    yield "| " + " | ".join(["---:"] * len(head)) + " |"
    for cells in body:
        yield f"| {' | '.join(cells)} |"
    yield ""


def page():
    """The text of README.md."""
    pieces, gpus, mpi = overlap(), devices(), processes()
    model, small = Model(mpi), mpi[4096]
    lines = [
        "# Measured: past one queue, one device, one process",
        "",
        "Made with `tools/bench/several.py docs/results/h200-several` from the tables in the lessons of chapters",
        "[22](../../../22-overlap/README.md), [23](../../../23-several-devices/README.md) and",
        "[24](../../../24-several-machines/README.md), which say how each was measured: on machines with one and two NVIDIA H200s, driver",
        "580, PCIe 5. Nobody has measured them on four GPUs, or over a network, yet.",
        "",
        "## 22: one queue, two, three",
        "",
        "A dot product of 2^30 floats in each vector, in pieces. The share is that of the copies alone in the time with three queues.",
        "",
        *rows(
            ["PIECE", "one queue", "two", "three", "copies alone", "share"],
            ([power(piece), *(f"{value:.1f} ms" for value in ms[:4]), f"{ms[4]:.2f}"] for piece, ms in pieces.items()),
        ),
        "![Time over the size of a piece. One queue is the slowest throughout and comes nearer with larger pieces; two and "
        "three lie on the line of the copies alone from 2^20 on](overlap.svg)",
        "",
        "## 23 and 24: two devices for one",
        "",
        "The same product of matrices, M = N = K. In chapter 23 one process has both GPUs, and the matrices lie there before the clock starts;",
        "in 24 a process has each, and the panels on their way count. Efficiency: the time on one, divided by twice the time on two.",
        "",
    ]
    body = []
    for n in sorted({*gpus, *mpi}):
        cells = [str(n)]
        for ms in (gpus.get(n), mpi.get(n)):
            cells += [f"{ms[0]:g} ms", f"{ms[1]:g} ms", f"{100 * ms[2]:g} %"] if ms else ["", "", ""]
        body.append(cells)
    lines += [
        *rows(["n", "23, one GPU", "two", "efficiency", "24, one process", "two", "efficiency"], body),
        f"![Efficiency of two GPUs over the size: chapter 23 from {spread(gpus)} as matrices grow, chapter 24 from "
        f"{spread(mpi)}](efficiency.svg)",
        "",
        "## 24: what the model says",
        "",
        f"Fitted to the runs at {FITTED}: {model.flops / 1e12:.1f} TFLOP/s in the kernels, {model.to_device / 1e9:.1f} GB/s to the device,",
        f"{model.messages / 1e9:.0f} GB/s from the other process. The other sizes it has not seen.",
        "",
        *rows(
            ["n", "one process", "the model", "off by", "two processes", "the model", "off by"],
            (
                [
                    f"{n}{' (fitted)' if n == FITTED else ''}",
                    *(
                        cell
                        for p in (1, 2)
                        for cell in (
                            f"{ms[p - 1]:g} ms",
                            f"{model.ms(n, p):.3g} ms" if model.ms(n, p) < 1000 else f"{model.ms(n, p):.0f} ms",
                            off(model.ms(n, p), ms[p - 1]),
                        )
                    ),
                ]
                for n, ms in mpi.items()
            ),
        ),
        f"For smaller matrices it says too little. At 4096 the kernels of one process take {small[3]:g} ms, as the model has it "
        f"({2e3 * 4096**3 / model.flops:.1f});",
        f"what is left is {small[0] - small[3]:.1f} ms, where it says {1e3 * model.brought(4096, 1) / model.to_device:.1f}. "
        "Why copying is slower there, we have not measured.",
    ]
    return "\n".join(lines) + "\n"


def draw(folder):
    import plots  # needs matplotlib

    pieces = overlap()
    series = dict(zip(["one queue", "two queues", "three queues", "copies alone"], zip(*pieces.values())))
    fig, axes = plots.axes_for("Dot product of 2 x 2^30 floats in pieces, NVIDIA H200", "elements of a piece", "ms")
    axes.set_yscale("linear")
    for (name, ms), (color, marker, _) in zip(series.items(), plots.STYLES):
        axes.plot(list(pieces), ms, color=color, marker=marker, label=name, markersize=5)
    axes.set_ylim(bottom=0)
    plots.save(fig, axes, folder / "overlap.svg")
    fig, axes = plots.axes_for("Two NVIDIA H200s for one: efficiency of the matrix product", "M = N = K", "%")
    axes.set_yscale("linear")
    for (name, runs), (color, marker, _) in zip(
        [("23, one process", devices()), ("24, a process each", processes())], plots.STYLES
    ):
        percent = [100 * values[2] for values in runs.values()]
        axes.plot(list(runs), percent, color=color, marker=marker, label=name, markersize=5)
    axes.set_ylim(0, 105)
    plots.save(fig, axes, folder / "efficiency.svg")


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_text(page())
    try:
        draw(folder)
    except ModuleNotFoundError as missing:
        raise SystemExit(f"{folder}/README.md is written, the plots are not: {missing}") from None


if __name__ == "__main__":
    main()
