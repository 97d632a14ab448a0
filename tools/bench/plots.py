"""Draws the plots of a folder of results from its CSV files and record.json; page.py calls it.

matmul.svg and vectors.svg: rates over sizes; roofline.svg: each program's rate at its largest size under
the two ceilings. Where a record has the rate of matrix units, they are a second roof; without it, what computes by them
is not drawn. Text stays text, so that a plot is small, and can be searched and read aloud.
"""

import json
import re
import textwrap

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "opencl-step-by-step"
matplotlib.rcParams["svg.fonttype"] = "none"

import matplotlib.pyplot as plt  # noqa: E402  after the choice of a backend
import tables  # noqa: E402

INK, SOFT, PANEL = "#1f2933", "#5b6670", "#fcfbf7"  # those of docs/figures
# Never two series in one colour and marker: ours from the first list, in their order, libraries by name.
COLORS = ["#5b6670", "#b7561a", "#c22f2f", "#6b4fa3", "#147a7e", "#8a1c62", "#7a5c00", "#2b6cb0"]
STYLES = list(zip(3 * COLORS, "os^Dv<>pxd|1234_h8", 8 * ["-"] + 8 * ["-."] + 2 * [":"]))
LIBRARIES = {
    "OpenBLAS": ("#2f7d4f", "P"),
    "OpenBLAS, one thread": ("#2f7d4f", "1"),
    "OpenBLAS, bound": ("#2f7d4f", "2"),
    "cuBLAS": ("#000000", "*"),
    "cuBLAS, TF32": ("#000000", "+"),
    "cublasLt": ("#0b5cad", "x"),
}


def styles(series):
    """How each series is drawn: {name: keywords for plot()}."""
    ours = [name for name in series if name not in LIBRARIES]
    free = iter(STYLES)
    drawn = {name: dict(zip(("color", "marker", "linestyle"), next(free))) for name in ours}
    for name in [name for name in series if name in LIBRARIES]:
        color, marker = LIBRARIES[name]
        drawn[name] = {"color": color, "marker": marker, "linestyle": "--", "fillstyle": "none"}
    return drawn


def axes_for(title, x, y):
    fig, axes = plt.subplots(figsize=(8, 4.6))
    fig.patch.set_facecolor(PANEL)
    axes.patch.set_facecolor(PANEL)
    axes.set_title(textwrap.fill(title, 70), color=INK, fontsize=11)
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.minorticks_off()
    axes.tick_params(colors=SOFT)
    for spine in axes.spines.values():
        spine.set_color(SOFT)
    axes.grid(True, color=SOFT, alpha=0.2)
    return fig, axes


def save(fig, axes, path):
    """A tenth of a point is enough, a path is a line, and who made it is no part of it: that is half of the bytes."""
    axes.legend(frameon=False, labelcolor=INK, fontsize=9, loc="upper left", bbox_to_anchor=(1.01, 1.0))
    fig.tight_layout()
    fig.savefig(path, metadata={"Date": None})
    plt.close(fig)
    svg = re.sub(r" *<metadata>.*?</metadata>\n", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    svg = re.sub(r"(\d\.\d)\d+", r"\1", svg)
    path.write_text(re.sub(r'\bd="[^"]*"', lambda d: " ".join(d.group().split()), svg), encoding="utf-8")


def roofs_of(record):
    """The flat roofs of a record: [(what they are, GFLOP/s, line)]."""
    names = [("GFLOP/s", "ceiling, float", "-"), ("matrix units, GFLOP/s", "ceiling, matrix units", (0, (6, 2)))]
    return [(name, record[key], line) for key, name, line in names if key in record]


def curves(results, path, title, x, y, roofs=()):
    fig, axes = axes_for(title, x, y)
    for name, rate, line in roofs:
        axes.axhline(rate, color=INK, linestyle=line, linewidth=1, label=f"{name}: {rate:,.0f}")
    for name, style in styles(results).items():
        sizes = sorted(results[name])
        axes.plot(sizes, [results[name][size].median for size in sizes], markersize=5, label=name, **style)
    save(fig, axes, path)


def roofline(path, record, points):
    fig, axes = axes_for(f"Roofline, {record['device']}", "FLOP per byte moved at least", "GFLOP/s")
    line = [2 ** (e / 4) for e in range(-16, 50)]
    for name, rate, style in roofs_of(record):
        axes.plot(line, [min(rate, record["GB/s"] * i) for i in line], color=INK, linestyle=style, label=name)
    for name, style in styles(dict.fromkeys(name for name, _, _ in points)).items():
        places = [(x, y) for other, x, y in points if other == name]  # two for a library: dot and product
        axes.plot(*zip(*places), label=name, **{**style, "linestyle": "none"})
    save(fig, axes, path)


def draw(folder):
    record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    matmul, vectors = (tables.read(folder / f"{table}.csv") for table in ("matmul", "vectors"))
    matmul, device = tables.under_a_roof(record, matmul), record["device"]
    if matmul:
        title = f"Matrix product, {device}"
        curves(matmul, folder / "matmul.svg", title, "M = N = K", "GFLOP/s", roofs_of(record))
    if vectors:
        curves(vectors, folder / "vectors.svg", f"Dot product and sum, {device}", "N", "GB/s")
    if "GB/s" in record:
        roofline(folder / "roofline.svg", record, tables.points(record, matmul, vectors))
