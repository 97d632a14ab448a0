"""Is docs/results/h200-several what bench/several.py makes of the tables in the lessons?

The page to the letter; and the plots have its text as text, and are there.
"""

import pathlib
import re
import sys

import harness

sys.path.insert(0, str(harness.ROOT / "bench"))

import several  # noqa: E402  from bench/

FOLDER = pathlib.Path(harness.ROOT / "docs" / "results" / "h200-several")


def check(report):
    page = (FOLDER / "README.md").read_text()
    again = ["is not what bench/several.py makes of the lessons: run it again"] if page != several.page() else []
    report.failed(f"{FOLDER.name}/README.md", again)
    report.count("pages")
    for name in re.findall(r"\]\((\w+\.svg)\)", page):
        svg = FOLDER / name
        report.failed(name, ["is not there, or has no text"] * (not svg.exists() or "<text" not in svg.read_text()))
        report.count("plots")
