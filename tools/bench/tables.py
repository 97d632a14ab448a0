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

BENCH = {chapter: chapter_facts.of(chapter).BENCH for chapter in NAMES}
# The series of each program's "time" lines: {program: {start of the line: name}}.
MATMUL, VECTORS = ({name: of[work] for name, of in BENCH.items() if work in of} for work in ("matmul", "vectors"))
# Which compute by matrix units where there are some, and so have a ceiling of their own.
MATRIX_UNITS = {"cuBLAS, TF32"}.union(*(of["matmul"].values() for of in BENCH.values() if "matrix_units" in of))

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
            for series, size, *rates, rounds in list(csv.reader(file))[1:]:
                size = int(size) if size.isdigit() else size
                results.setdefault(series, {})[size] = Rate(*map(float, rates), int(rounds))
    return results


def under_a_roof(record, matmul):
    """Of a table's series those whose ceiling the record has: what is drawn."""
    has_second = "matrix units, GFLOP/s" in record
    return {name: by_size for name, by_size in matmul.items() if has_second or name not in MATRIX_UNITS}


def points(record, matmul, vectors):
    """Where each series lies on a roofline, at its largest size: [(series, FLOP per byte moved at least, GFLOP/s)].
    A product: 2n³ operations, 3n² floats. A dot product: two operations for two floats; a sum: one for one."""
    found = []
    for name, by_size in vectors.items():
        per_byte = record["FLOP per byte"].get(name, 1 / 4)
        found.append((name, per_byte, by_size[max(by_size)].median * per_byte))
    for name, by_size in matmul.items():
        found.append((name, max(by_size) / 6, by_size[max(by_size)].median))
    return found
