"""Are the pages under docs/results what their tables say?

That of each machine is what tools/bench/page.py makes of its tables and record, and "How fast" in the top README what it
makes of them: to the letter. A row of a lesson's table that names its record, <!-- record: LABEL = h200/matmul, 08 naive -->,
has the record's medians; and a rate that a lesson quotes is a record's, so that two lessons cannot disagree. The benchmark
that makes the tables runs, at small sizes.
"""

import csv
import re
import sys

import pytest

from tests import running

sys.path.insert(0, str(running.ROOT / "tools" / "bench"))

import page  # noqa: E402  from tools/bench/
import tables  # noqa: E402

LESSONS = sorted(running.ROOT.glob("[0-9]*/README.md"))
# Rates of a GPU, as a lesson writes them: 4,432 before its unit or at the end of a cell of a table; but for round ones.
RATE = re.compile(r"\b(\d{1,3},\d{3})(?<!00)(?=\*{0,2} (?:GFLOP/s|GB/s|\|))")


@pytest.mark.thorough
def test_pages_of_machines(report):
    for path in page.RESULTS.glob("*/README.md"):
        text = path.read_text()
        if (path.parent / "record.json").exists():
            report.must(f"{path} is what tools/bench/page.py makes of it: run it", text == page.page(path.parent))
        report.must(f"no rate of {path} is above its roof", "\nAbove the ceiling" not in text)
        for name in re.findall(r"\]\((\w+\.svg)\)", text):
            svg = path.parent / name
            report.must(f"{svg} is there, and has text", svg.exists() and "<text" in svg.read_text())
    block = page.BLOCK.search(page.README.read_text())
    right = block and block[0] == block[1] + page.front() + block[2]
    report.must('"How fast" is that of docs/results: tools/bench/page.py --front', right)


@pytest.mark.thorough
@pytest.mark.parametrize("path", LESSONS, ids=[path.parent.name for path in LESSONS])
def test_rates_of_lessons(report, path):
    text = path.read_text()
    for mark in re.finditer(r"<!-- record: (.+) = (\S+), (.+) -->\n", text):
        label, table, series = mark.groups()
        lines = re.compile(r"(?:^\|.*\n)+", re.M).search(text, mark.end())[0].splitlines()
        (_, *sizes), *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
        cells = next((cells for name, *cells in rows if name == label), [])
        rates = tables.read(page.RESULTS / f"{table}.csv").get(series, {})
        right = [page.shown(rates[int(size)].median) if int(size) in rates else "" for size in sizes]
        same = cells and rates and all(cell in (now, "") for cell, now in zip(cells, right))
        report.must(f"the row {label} is that of {table}", same, f"{cells}, and the record has {right}")
    cells = {cell for csv_ in page.RESULTS.rglob("*.csv") for row in csv.reader(csv_.open()) for cell in row}
    recorded = {float(cell) for cell in cells if re.fullmatch(r"[\d.]+(?:e\+\d+)?", cell)}
    for rate in RATE.findall(re.sub(r"(?ms)^ *```.*?^ *```$", "", text)) if "09" <= path.parent.name <= "20" else []:
        report.must(f"{rate} stands in a table under docs/results", float(rate.replace(",", "")) in recorded)
    report.count("lessons")


@pytest.mark.thorough
def test_benchmark(tmp_path):
    command = [sys.executable, running.ROOT / "tools/bench/run.py", "--quick", "--sizes", "64", "--lengths", "10"]
    command += ["--only", "matmul,vectors", "--build", running.BUILD, "--out", tmp_path]
    code, out, err = running.run(command, env=running.remembering(tmp_path), timeout=300)
    assert code == 0, out + err
