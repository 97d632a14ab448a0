"""Are the figures those that tools/figures/make.py writes, and is each one shown somewhere?"""

import re
import subprocess
import sys

import pytest

from tests.texts.test_pages import ROOT

FIGURES = ROOT / "docs" / "figures"


@pytest.mark.thorough
def test_figures(report, tmp_path):
    subprocess.run([sys.executable, ROOT / "tools/figures/make.py", tmp_path], check=True, stdout=subprocess.DEVNULL)
    pages = [path for pattern in ("*.md", "*/*.md", "site/labs/*.md") for path in ROOT.glob(pattern)]
    text = "".join(path.read_text() for path in pages)
    for fresh in sorted(tmp_path.glob("*.svg")):
        svg, name = fresh.read_text(), fresh.name
        there = FIGURES / name
        report.must(f"{name} is in step: run tools/figures/make.py", there.exists() and there.read_text() == svg)
        report.must(f"{name} is shown", re.search(rf"\]\([^)]*figures/{re.escape(name)}\)", text))
        report.must(f"{name} has a title that says what it shows", re.search(r"<title>.{15,}</title>", svg))
        # Elsewhere it would move on paper, and for those who asked for stillness.
        rest = re.sub(r"(?s)@media screen and \(prefers-reduced-motion: no-preference\) \{.*?\n\}(?=</style>)", "", svg)
        report.must(f"{name} moves only where it may", "animation" not in rest and "@keyframes" not in rest)
