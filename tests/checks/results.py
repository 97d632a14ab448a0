"""Are the pages under docs/results what their tables say?

That of each machine is what bench/page.py makes of its tables and record, h200-several what bench/several.py makes of the
tables in the lessons, and "How fast" in the top README what page.py makes of them: to the letter. The plots have their text
as text, and are there; where Python has matplotlib, several.py draws its own again.
"""

import json
import pathlib
import re
import sys
import tempfile

import harness

sys.path.insert(0, str(harness.ROOT / "bench"))

import page  # noqa: E402  from bench/
import several  # noqa: E402

RESULTS = pathlib.Path(harness.ROOT / "docs" / "results")
OLD = {"cpu2"}  # made before the tables had what a page says, and not measured again yet


def check(report):
    for folder in sorted(path.parent for path in RESULTS.glob("*/README.md")):
        text, made_by = (folder / "README.md").read_text(), None
        record = folder / "record.json"
        if not record.exists():
            made_by = "several.py", several.page()
        elif (old := "runs" not in json.loads(record.read_text())) != (folder.name in OLD):
            report.failed(folder.name, [f"is {'' if old else 'not '}of old: see OLD"])
        elif not old:
            made_by = "page.py", page.page(folder)
        if made_by:
            again = [f"is not what bench/{made_by[0]} makes of the tables: run it again"] if text != made_by[1] else []
            report.failed(f"{folder.name}/README.md", again)
            report.count("pages")
        for name in re.findall(r"\]\((\w+\.svg)\)", text):
            svg = folder / name
            report.failed(name, ["is not there, or has no text"] * (not svg.exists() or "<text" not in svg.read_text()))
            report.count("plots")
    block = page.BLOCK.search(page.README.read_text())
    same = block and block.group() == block.group(1) + page.front() + block.group(2)
    report.failed("README.md", [] if same else ['"How fast" is not that of docs/results: bench/page.py --front'])
    drawn(report)


def drawn(report):
    pythons = [python for python in (sys.executable, "/usr/bin/python3") if pathlib.Path(python).exists()]
    python = next((one for one in pythons if harness.run([one, "-c", "import matplotlib"])[0] == 0), None)
    if python is None:
        print("not drawn again: no Python here has matplotlib (on Debian: apt install python3-matplotlib)")
        return
    with tempfile.TemporaryDirectory() as folder:
        code, _, err = harness.run([python, harness.ROOT / "bench/several.py", folder])
        made, there = (
            {path.name for path in pathlib.Path(at).glob("*.svg")} for at in (folder, RESULTS / "h200-several")
        )
        report.failed("bench/several.py", [f"draws {sorted(made)}: {err[-500:]}"] if code or made != there else [])
