#!/usr/bin/env python3
"""Writes the page and the plots of a folder of results from its tables and its record.json.

tools/bench/page.py docs/results/h200 ...     README.md and *.svg in these folders (without matplotlib the page alone)
tools/bench/page.py --front                   what the top README says of docs/results, under "How fast"
"""

import json
import math
import pathlib
import re
import sys

import tables
from tables import MATRIX_UNITS, ROOT, TITLES, UNITS

RESULTS = ROOT / "docs" / "results"
README = ROOT / "README.md"
BLOCK = re.compile("(<!-- fast:.*?-->\n\n).*?(\n<!-- end of fast -->)", re.DOTALL)
# The front page: (machine, cores, folder, our series, the library at its best, whose clock). Both sides by one clock, and one
# at a time or in a row.
FRONT = [
    ("20 on an NVIDIA H100", "132 units", "h100", "20, in a row", "cuBLAS, in a graph", "device's, in a row"),
    ("21 on an NVIDIA H100", "132 units", "h100", "21, in a row", "CUTLASS 3xTF32", "host's, in a row"),
    ("20 on an AMD EPYC", "2 cores", "cpu2-amd", "20, as the host waits", "OpenBLAS", "host's"),
]
FRONT_SIZES = [1024, 2048, 4096, 8192]  # below, the gaps between launches count


def shown(number):
    return f"{number:,.4g}" if number < 1000 else f"{number:,.0f}"


def name_of(table, size):
    """A size as it is called in a table: a power of two for vectors."""
    return f"2^{size.bit_length() - 1}" if table == "vectors" else str(size)


def rates(table, results):
    """A table of medians, and half of the spread in per cent of the median; one run has none."""
    sizes = list(dict.fromkeys(size for by_size in results.values() for size in by_size))
    lines = [[UNITS[table], *[name_of(table, size) for size in sizes]], ["---", *["---:"] * len(sizes)]]
    for series, by_size in results.items():
        lines.append([series])
        for size in sizes:
            rate = by_size.get(size)
            cell = shown(rate.median) if rate else "–"
            if rate and rate.rounds > 1 and rate.median > 0:
                cell += f" ±{50 * (rate.fastest - rate.slowest) / rate.median:.0f} %"
            lines[-1].append(cell)
    return [*(f"| {' | '.join(line)} |" for line in lines), ""]


def above_ceilings(record, matmul, vectors):
    """A line for each rate above its ceiling, which then was measured too low; cached data aside."""
    for series, by_size in matmul.items():
        ceiling = record.get("matrix units, GFLOP/s" if series in MATRIX_UNITS else "GFLOP/s", math.inf)
        for size in [size for size, rate in by_size.items() if rate.median > ceiling]:
            yield f"Above the ceiling of arithmetic: {series} at {size}.  "
    for series, by_size in vectors.items():
        if by_size[max(by_size)].median > record["GB/s"]:
            yield f"Above the ceiling of memory: {series} at {name_of('vectors', max(by_size))}.  "


def words(what, results, unit):
    """What a plot shows, in words: for those who do not see it."""
    largest = max((max(sizes) for sizes in results.values()), default=0)
    at = sorted(((by[largest].median, name) for name, by in results.items() if largest in by), reverse=True)
    found = ", ".join(f"{name} {shown(rate)}" for rate, name in at)
    return f"{what} over the size, a line for each program. At {largest}, in {unit}: {found}"


def measured(record):
    """How the tables were made, in lines."""
    for table, run in record["runs"].items():
        rounds = f"medians of {run['rounds']} rounds" if run["rounds"] > 1 else "one round"
        stopped = f"; stopped before {', '.join(run['not run'])}" * bool(run["not run"])
        rows = f" ({run['rows']})" if "rows" in run else ""
        yield f"- {TITLES[table]}{rows}: `{run['command']}`, {run['date']}, {rounds}{stopped}"
    affinity = " POCL_AFFINITY=1: PoCL keeps each of its threads on a core of its own." * ("POCL_AFFINITY" in record)
    yield (
        "\n± is half of the spread between the slowest and the fastest round. A program that has taken long at a size runs "
        "there in fewer rounds (see the CSV files), and not at larger ones. The device's clock, and for OpenBLAS and what "
        'is called "as the host waits" the host\'s. cuBLAS: ten calls in a row, in its default math. What a section above says of a row comes first.'
        + affinity
    )
    if "GB/s" in record:
        how = record.get("ceilings", "chapter 15, the best of its measurements before, between and after the others")
        yield (
            f"\nCeilings ({how}): {record['GB/s']:,.1f} GB/s read or copied, whichever is more, {record['GFLOP/s']:,.0f} GFLOP/s "
            f"of multiply-adds in float, balance {record['GFLOP/s'] / record['GB/s']:.1f} FLOP per byte."
        )
    yield ""


def page(folder):
    """The text of README.md: the pictures, the tables, and how they were made."""
    record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    matmul, shapes, vectors = (tables.read(folder / f"{table}.csv") for table in TITLES)
    pictures = {
        "matmul.svg": words("GFLOP/s of the matrix product", tables.under_a_roof(record, matmul), "GFLOP/s"),
        "vectors.svg": words("GB/s of dot products and sums", vectors, "GB/s"),
        "roofline.svg": "Each program at its largest size, below the ceilings of memory and of arithmetic: vectors on the "
        "slope, matrix products near the roof",
    }
    lines = [f"# Measured: {record['device']}", ""]
    for name, what in pictures.items():
        lines += [f"![{what}]({name})", ""] if (folder / name).exists() else []
    lines += ["## Matrix product", "", *rates("matmul", matmul)]
    if shapes:
        lines += ["## Other shapes", "", "M, N, K, or one number for all three:", "", *rates("shapes", shapes)]
    if vectors:
        lines += ["## Dot product and sum", "", *rates("vectors", vectors)]
    for title, text in record.get("notes", {}).items():
        lines += [f"## {title}", "", *text, ""]
    lines += ["## How it was measured", "", *measured(record)]
    notes = [f"{name} is absent: {why}.  " for name, why in record["absent"].items()]
    for table, run in record["runs"].items():
        notes += [f"{name}, {TITLES[table]}: {why}.  " for name, why in run["left out"].items()]
    for name, env in record["libraries"].items():
        notes += [f"{name} ran with {' '.join(f'{k}={v}' for k, v in env.items())}.  "] if env else []
    notes += above_ceilings(record, matmul, vectors)
    lines += [*notes, ""] if notes else []
    lines += ["| what | is |", "| --- | --- |"]
    for what, text in record["machine"].items():
        lines.append(f"| {what} | {json.dumps(text) if isinstance(text, dict) else text} |")
    chosen = {size: shape for run in record["runs"].values() for size, shape in run["chosen"].items()}
    lines += ["", "Chapter 20 chose", "", *[f"- {size}: {shape}" for size, shape in chosen.items()]] if chosen else []
    return "\n".join([*lines, ""])


def front():
    """The table of the top README."""
    lines = [
        f"| chapter | cores | clock | beside | {' | '.join(map(str, FRONT_SIZES))} |",
        "|---|---|---|---|---:|---:|---:|---:|",
    ]
    for what, cores, folder, name, library, clock in FRONT:
        results = tables.read(RESULTS / folder / "matmul.csv")
        ours, peers = results[name], [series for other, series in results.items() if other.startswith(library)]
        cells = []
        for size in FRONT_SIZES:  # of several builds of a library the best
            rate = max((peer[size].median for peer in peers if size in peer), default=0)
            cells.append(f"**{ours[size].median / rate:.2f}** ({shown(ours[size].median)})" if rate else "")
        lines.append(f"| {' | '.join([what, cores, clock, library.split(',')[0], *cells])} |")
    return "\n".join([*lines, ""])


def write(folder):
    try:
        import plots

        plots.draw(folder)
    except ImportError:
        print("no plots: Python's matplotlib is absent (on Debian: apt install python3-matplotlib)", file=sys.stderr)
    (folder / "README.md").write_text(page(folder), encoding="utf-8")
    print(f"written: {folder}", file=sys.stderr)


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        raise SystemExit(__doc__)
    if sys.argv[1] == "--front":
        text = README.read_text(encoding="utf-8")
        README.write_text(BLOCK.sub(lambda block: block[1] + front() + block[2], text), encoding="utf-8")
        return
    for folder in map(pathlib.Path, sys.argv[1:]):
        write(folder)


if __name__ == "__main__":
    main()
