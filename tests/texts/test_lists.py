"""Is every term introduced before it is used, and is it in the glossary of docs/concepts.md? And is every OpenCL call that the
chapters make in docs/calls.md, with a chapter that makes it?

The book sets a term in bold where it introduces it, in the middle of a sentence. (Bold at the start of a paragraph or of a
list item, or with a full stop in it, is a lead-in and no term.) A term that a chapter introduces is in the glossary; what the
glossary says a chapter introduces stands there in bold, or begins a row of a table; and no earlier chapter uses it, unless
the same paragraph says in which chapter it will come.
"""

import itertools
import re

import pytest

from tests.texts.test_pages import FENCE, ROOT

NOT_THE_TERM = {"in place": r"(?! of\b)"}  # "in place of" is no term


def paragraphs(path):
    """The page's paragraphs, list items and table rows, without fenced blocks, code and links' targets."""
    text = re.sub(r"(?s)<!--.*?-->", "", FENCE.sub("", path.read_text()))
    text = re.sub(r"`[^`\n]*`", "`", re.sub(r"\]\([^)]*\)", "]", text))
    pieces = re.split(r"\n\s*\n|\n(?=\s*(?:[-*|>]|\d+\.)\s)", text)
    return [" ".join(piece.split()) for piece in pieces if piece.strip()]


def pattern(term):
    return re.compile(r"(?<![\w-])" + re.escape(term) + r"(?:s|es|ed|ing)?(?![\w-])" + NOT_THE_TERM.get(term, ""), re.I)


def introduced(paragraph):
    """The terms in bold in the middle of a paragraph."""
    for match in re.finditer(r"\*\*([^*]+)\*\*", paragraph):
        lead_in = re.fullmatch(r"(?:[-*>|]|\d+\.|#+)?", paragraph[: match.start()].strip())
        if not lead_in and not re.search(r"[.?!:]$|^\d", match[1]):
            yield match[1]


@pytest.mark.thorough
def test_glossary(report):
    glossary = (ROOT / "docs" / "concepts.md").read_text().partition("## Glossary")[2]
    rows = re.findall(r"(?m)^\| ([^|]+) \| [^|]+ \| \[(\d\d)\]\(\.\./[^)]*\) \|$", glossary)
    words = {word: chapter for names, chapter in rows for word in names.split(", ")}
    chapters = {path.parent.name[:2]: paragraphs(path) for path in sorted(ROOT.glob("[0-9][0-9]-*/README.md"))}
    for chapter, texts in chapters.items():
        for term in itertools.chain(*map(introduced, texts)):
            known = any(pattern(word).fullmatch(term) for word in words)
            report.must(f'{chapter} introduces "{term}": it is in the glossary', known)
    for word, chapter in words.items():
        find = pattern(word)
        places = [re.findall(r"\*\*([^*]+)\*\*|^\| ([^|]+) \|", text) for text in chapters.get(chapter, [])]
        there = any(find.search(bold) for place in places for bold in map("".join, place))
        report.must(f'the glossary says that {chapter} introduces "{word}": it is in bold there', there)
        for earlier in [name for name in chapters if name < chapter]:
            for text in chapters[earlier]:
                if find.search(text) and not re.search(rf"(?i:chapters?)[^.]*\b{chapter}\b|\[{chapter}\]", text):
                    report.failed(earlier, [f'uses "{word}", which {chapter} introduces: {text[:100]} …'])
    names = [row[0].lower() for row in rows]
    report.must("the glossary is in order", names and names == sorted(names), str(names))


@pytest.mark.thorough
def test_call_list(report):
    text = (ROOT / "docs/calls.md").read_text()
    made = {}
    for folder in [*ROOT.glob("[0-9][0-9]-*"), ROOT / "common"]:
        code = "".join(re.sub(r"//.*", "", path.read_text()) for path in [*folder.glob("*.cpp"), *folder.glob("*.h")])
        made[folder.name] = set(re.findall(r"\b(cl[A-Z]\w+)\(", code))
    for call in sorted(set().union(*made.values())):
        report.must(f"{call} is in docs/calls.md", f"`{call}" in text)
    for call, chapter in re.findall(r"(?m)^### `(cl\w+)\(.*\)` · \[\d\d\]\(\.\./([^)]+)\)$", text):
        report.must(f"{chapter} makes the call {call}", call in made[chapter] | made["common"])
