"""Are the pages under docs/results what their tables say?

That of each machine is what tools/bench/page.py makes of its tables and record, and "How fast" in the top README what it
makes of them: to the letter. A row of a lesson's table that names its record, <!-- record: LABEL = h200/matmul, 08 naive -->,
has the record's medians. The plots have their text as text, and are there.

And is a figure that a lesson quotes the record's? Two lessons that name the same measurement cannot then disagree.
"""

import csv
import pathlib
import re
import sys

import pytest

from tests import running

sys.path.insert(0, str(running.ROOT / "tools" / "bench"))

import page  # noqa: E402  from tools/bench/
import tables  # noqa: E402

RESULTS = pathlib.Path(running.ROOT / "docs" / "results")


@pytest.mark.thorough
def test_results_pages(report):
    for folder in sorted(path.parent for path in RESULTS.glob("*/README.md")):
        text = (folder / "README.md").read_text()
        of_tables = (folder / "record.json").exists()
        other = of_tables and text != page.page(folder)
        again = ["is not what tools/bench/page.py makes of the tables: run it again"] * other
        again += ["has a rate above its roof"] * ("\nAbove the ceiling" in text)
        report.failed(f"{folder.name}/README.md", again)
        report.count("pages")
        for name in re.findall(r"\]\((\w+\.svg)\)", text):
            svg = folder / name
            report.failed(name, ["is not there, or has no text"] * (not svg.exists() or "<text" not in svg.read_text()))
            report.count("plots")
    block = page.BLOCK.search(page.README.read_text())
    same = block and block.group() == block.group(1) + page.front() + block.group(2)
    report.failed("README.md", [] if same else ['"How fast" is not that of docs/results: tools/bench/page.py --front'])
    lessons(report)
    quoted(report)


def lessons(report):
    for path in sorted(pathlib.Path(running.ROOT).glob("[0-9]*/README.md")):
        text = path.read_text()
        for mark in re.finditer(r"<!-- record: (.+) = (\S+), (.+) -->\n", text):
            label, table, series = mark.groups()
            table_below = re.compile(r"(?:^\|.*\n)+", re.M).search(text, mark.end())[0]
            cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table_below.splitlines()]
            row = next((one for one in cells if one[0] == label), None)
            rates = tables.read(RESULTS / f"{table}.csv").get(series, {})
            wrong = [f"no row {label!r}, or no series {series!r}"] if row is None or not rates else []
            for size, cell in zip(cells[0][1:], (row or [])[1:]):
                right = page.shown(rates[int(size)].median) if int(size) in rates else ""
                wrong += [f"{label} at {size}: {cell!r}, and {table} has {right!r}"] * (cell not in (right, ""))
            report.failed(f"{path.parent.name}/README.md", wrong)
            report.count("rows of lessons")


# Rates of a GPU, as a lesson writes them: 4,432 before its unit or at the end of a cell of a table.
RATE = re.compile(r"\b(\d{1,3},\d{3})(?=\*{0,2} (?:GFLOP/s|GB/s|\|))")


def quoted(report):
    """Each of them, but for round ones ("about 4,500"), stands in a table under docs/results: in the lessons 09 to 19."""
    cells = {cell for path in RESULTS.rglob("*.csv") for row in csv.reader(path.open()) for cell in row}
    recorded = {float(cell) for cell in cells if re.fullmatch(r"[\d.]+(?:e\+\d+)?", cell)}
    for chapter in running.CHAPTERS:
        if not "09" <= chapter[:2] <= "19":
            continue
        text = re.sub(r"(?ms)^ *```.*?^ *```$", "", (running.ROOT / chapter / "README.md").read_text())
        rates = [rate.replace(",", "") for rate in RATE.findall(text)]
        exact = [rate for rate in rates if len(rate.rstrip("0")) > 2]
        unknown = [f"{rate} stands in no table under docs/results" for rate in exact if float(rate) not in recorded]
        report.failed(f"{chapter}/README.md", unknown)
        report.count("rates quoted", len(exact))
