"""The tables of a folder of results: matmul.csv, shapes.csv and vectors.csv, a line for each series and size.

What a series is called, and which of them are the first and the last of the walk, the chapters' facts say.
"""

import collections
import csv
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT))
from checker.machine import CHAPTERS as NAMES  # noqa: E402
from tests import chapter_facts  # noqa: E402

CHAPTERS = {chapter: chapter_facts.of(chapter) for chapter in NAMES}
# The series of each program's "time" lines: {program: {start of the line: name}}.
MATMUL = {chapter: known.BENCH["matmul"] for chapter, known in CHAPTERS.items() if "matmul" in known.BENCH}
VECTORS = {chapter: known.BENCH["vectors"] for chapter, known in CHAPTERS.items() if "vectors" in known.BENCH}
BEST_VECTORS = [*[*VECTORS.values()][-1].values()][-1]
# What the README shows, in its order: (table, series).
FRONT_SERIES = [
    ("vectors", BEST_VECTORS),
    *[("matmul", known.BENCH["front"]) for known in CHAPTERS.values() if "front" in known.BENCH],
]
# Which compute by matrix units where there are some, and so have a ceiling of their own.
MATRIX_UNITS = {"cuBLAS, TF32"} | {
    name for known in CHAPTERS.values() if "matrix_units" in known.BENCH for name in known.BENCH["matmul"].values()
}

TITLES = {"matmul": "matrix product", "shapes": "matrix product of other shapes", "vectors": "dot product and sum"}
UNITS = {"matmul": "GFLOP/s", "shapes": "GFLOP/s", "vectors": "GB/s"}
Rate = collections.namedtuple("Rate", "median slowest fastest rounds")


def write(path, results, unit):
    """Writes {series: {size: [rate of each round]}}."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["series", "size", f"median {unit}", "slowest", "fastest", "rounds"])
        for series, sizes in results.items():
            for size, rates in sizes.items():
                shown = [f"{rate:.4g}" for rate in (statistics.median(rates), min(rates), max(rates))]
                out.writerow([series, size, *shown, len(rates)])


def read(path):
    """{series: {size: Rate}}, in the order of the file, empty if there is none. A size is a number, "M,N,K" a text."""
    results = {}
    if path.exists():
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                series, size, *rates, rounds = row.values()
                size = int(size) if size.isdigit() else size
                results.setdefault(series, {})[size] = Rate(*map(float, rates), int(rounds))
    return results


def under_a_roof(record, matmul):
    """Of a table's series those whose ceiling the record has: what is drawn."""
    has_second = "matrix units, GFLOP/s" in record
    return {name: by_size for name, by_size in matmul.items() if has_second or name not in MATRIX_UNITS}


def medians(results):
    """{series: {size: median rate}} of what read() returns."""
    return {series: {size: rate.median for size, rate in by_size.items()} for series, by_size in results.items()}
