"""Are the figures those that tools/figures/make.py draws, and is each one shown somewhere?"""

import pathlib
import re
import subprocess
import sys
import tempfile
import xml.dom.minidom

import pytest

from tests.texts.test_pages import ROOT

FIGURES = ROOT / "docs" / "figures"


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_figures(report):
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        fresh = pathlib.Path(name)
        subprocess.run([sys.executable, ROOT / "tools/figures/make.py", fresh], check=True, stdout=subprocess.DEVNULL)
        drawn = {p.name for p in fresh.glob("*.svg")}
        have = {p.name for p in FIGURES.glob("*.svg")}
        wrong += [f"{name} is not drawn by make.py" for name in sorted(have - drawn)]
        wrong += [f"{name} is missing: run tools/figures/make.py" for name in sorted(drawn - have)]
        for name in sorted(drawn & have):
            if (fresh / name).read_text() != (FIGURES / name).read_text():
                wrong.append(f"{name} is not what make.py draws: run tools/figures/make.py")
    moving = 0
    text = "".join(p.read_text() for pattern in ("*.md", "*/*.md", "site/labs/*.md") for p in ROOT.glob(pattern))
    for path in sorted(FIGURES.glob("*.svg")):
        svg = path.read_text()
        xml.dom.minidom.parseString(svg)
        if not re.search(r"\]\([^)]*figures/" + re.escape(path.name) + r"\)", text):
            wrong.append(f"{path.name} is shown nowhere")
        style = re.search(r"(?s)<style>(.*?)</style>", svg)
        if style and not re.fullmatch(
            r"(?s)@media screen and \(prefers-reduced-motion: no-preference\) \{.*\}", style.group(1)
        ):
            wrong.append(f"{path.name} moves where nothing should (prefers-reduced-motion, paper)")
        moving += style is not None
        if not re.search(r"<title>.{15,}</title>", svg):
            wrong.append(f"{path.name} has no title that says what it shows")
    report.failed("figures", wrong)
    report.count("figures", len(have))
    report.count("of them moving", moving)
