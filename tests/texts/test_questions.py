"""Words lead there: what people type into a search box (questions.txt) finds its answer.

Each question has an item in docs/questions.md that links to the very paragraph, and its words are in that item or in
the paragraph. That the links lead somewhere and that the site's search brings them up, the site's build and tests see.
"""

import pathlib
import re

from tests.texts.test_pages import ROOT, headings, slug

FILE = pathlib.Path(__file__).parent / "questions.txt"


def questions():
    """(what is typed, where it leads: page#anchor)"""
    rows = [line.split("|") for line in FILE.read_text().splitlines() if not line.startswith("#")]
    return [(question.strip(), target.strip()) for question, target, _ in rows]


def words(text):
    return set(re.findall(r"[a-z0-9_]+", text.lower()))


def paragraph(target):
    """The words of a section of a page, up to the next heading."""
    page, _, anchor = target.partition("#")
    text = (ROOT / page).read_text()
    for heading in headings(text.splitlines()) if anchor else []:
        if slug(heading) == anchor:
            text = re.split(r"\n#+ ", text[text.index(f"# {heading}\n") + 2 :])[0]
    return words(text)


def test_questions(report):
    page = (ROOT / "docs/questions.md").read_text()
    items = re.findall(r"(?ms)^- .*?(?=^- |^#|\Z)", page)
    for question, target in questions():
        link = f"({target.removeprefix('docs/') if target.startswith('docs/') else '../' + target})"
        found = [words(item) | paragraph(target) for item in items if link in item]
        missing = min((words(question) - there for there in found), key=len, default={"no item leads there"})
        report.must(f"{question!r} leads to {target}", not missing, f"not there: {missing}")
    for page in ("README.md", "docs/errors.md", "docs/setup.md"):
        report.must(f"{page} leads to the questions", "questions.md)" in (ROOT / page).read_text())
