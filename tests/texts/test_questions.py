"""Words lead there: what people type into a search box (questions.txt) finds its answer.

Each question has an item in docs/questions.md that links to the very paragraph, and its words are in that item or in
the paragraph. That the links lead somewhere and that the site's search brings them up, the site's build and tests see.
"""

import pathlib
import re

from tests.texts.test_pages import ROOT, headings, slug


def questions():
    """(what is typed, where it leads: page#anchor)"""
    lines = (pathlib.Path(__file__).parent / "questions.txt").read_text().splitlines()
    return [tuple(map(str.strip, line.split("|")[:2])) for line in lines if not line.startswith("#")]


def words(text):
    return set(re.findall(r"[a-z0-9_]+", text.lower()))


def paragraph(target):
    """A section of a page, up to the next heading."""
    page, _, anchor = target.partition("#")
    text = (ROOT / page).read_text()
    heading = next((heading for heading in headings(text) if slug(heading) == anchor), None)
    return re.split(r"\n#+ ", text.partition(f"# {heading}\n")[2])[0] if heading else text


def test_questions(report):
    items = re.findall(r"(?ms)^- .*?(?=^- |^#|\Z)", (ROOT / "docs/questions.md").read_text())
    for question, target in questions():
        link = f"({target.removeprefix('docs/') if target.startswith('docs/') else '../' + target})"
        missing = [words(question) - words(item + paragraph(target)) for item in items if link in item]
        report.must(f"{question!r} leads to {target}", set() in missing, f"not there: {missing}")
    for page in ("README.md", "docs/errors.md", "docs/setup.md"):
        report.must(f"{page} leads to the questions", "questions.md)" in (ROOT / page).read_text())
