"""Is every term introduced before it is used, and is it in the glossary of docs/concepts.md?

The book sets a term in bold where it introduces it, in the middle of a sentence. (Bold at the start of a
paragraph or of a list item, or with a full stop in it, is a lead-in and no term.) So:

1. A term that a chapter introduces is in the glossary.
2. What the glossary says a chapter introduces stands there in bold, or begins a row of a table.
3. No earlier chapter uses it, unless the same paragraph says in which chapter it will come.
"""

import re

import pytest

from tests.texts.test_pages import ROOT

NOT_THE_TERM = {"in place": r"(?! of\b)"}  # "in place of" is no term


def paragraphs(path):
    """The page's paragraphs, list items and table rows, without fenced blocks, code and links' targets."""
    text = re.sub(r"(?ms)^ *```.*?^ *```$", "", path.read_text())
    text = re.sub(r"(?s)<!--.*?-->", "", text)
    text = re.sub(r"`[^`\n]*`", "`", re.sub(r"\]\([^)]*\)", "]", text))
    pieces = re.split(r"\n\s*\n|\n(?=\s*(?:[-*|>]|\d+\.)\s)", text)
    return [" ".join(piece.split()) for piece in pieces if piece.strip()]


def pattern(term):
    return re.compile(r"(?<![\w-])" + re.escape(term) + r"(?:s|es|ed|ing)?(?![\w-])" + NOT_THE_TERM.get(term, ""), re.I)


def introduced(paragraph):
    """The terms in bold in the middle of a paragraph."""
    for match in re.finditer(r"\*\*([^*]+)\*\*", paragraph):
        before = paragraph[: match.start()].strip()
        lead_in = re.fullmatch(r"(?:[-*>|]|\d+\.|#+)?", before) is not None
        if not lead_in and not re.search(r"[.?!:]$|^\d", match.group(1)):
            yield match.group(1)


@pytest.mark.thorough
def test_glossary(report):
    concepts = (ROOT / "docs" / "concepts.md").read_text()
    rows = re.findall(
        r"^\| ([^|]+) \| ([^|]+) \| \[(\d\d)\]\(\.\./[^)]*\) \|$", concepts.partition("## Glossary")[2], re.M
    )
    chapters = {p.parent.name[:2]: paragraphs(p) for p in sorted(ROOT.glob("[0-9][0-9]-*/README.md"))}
    wrong, terms = [], 0
    for chapter, texts in chapters.items():
        for text in texts:
            for term in introduced(text):
                terms += 1
                if not any(pattern(word).fullmatch(term) for row in rows for word in row[0].split(", ")):
                    wrong.append(f'{chapter} introduces "{term}", which is not in the glossary')
    for names, _, chapter in rows:
        for word in names.split(", "):
            find = pattern(word)
            if not any(
                find.search(bold)
                for text in chapters.get(chapter, [])
                for bold in re.findall(r"\*\*([^*]+)\*\*|^\| ([^|]+) \|", text)
                for bold in bold
                if bold
            ):
                wrong.append(f'the glossary says that {chapter} introduces "{word}": it is not in bold there')
            wrong += [
                f'{earlier} uses "{word}", which {chapter} introduces: {text[:100]} …'
                for earlier in chapters
                if earlier < chapter
                for text in chapters[earlier]
                if find.search(text) and not re.search(rf"(?i:chapters?)[^.]*\b{chapter}\b|\[{chapter}\]", text)
            ]
    words = [row[0].lower() for row in rows]
    wrong += [f"the glossary is not in order: {b} after {a}" for a, b in zip(words, words[1:]) if a > b]
    report.failed("terms", wrong)
    for what, number in [("words in the glossary", len(rows)), ("places that introduce a term", terms)]:
        report.count(what, number)
        if not number:
            report.failed("terms", [f"0 {what}"])
