"""Is what a chapter's kernel files share with another chapter's the same there, word for word?

A chapter's folder is complete but for common/, so 20 has copies of code from 18 and 19. A fact COPIES names them: (file,
the file that it is from, names), where a name is that of a function or of a #define; None for all that is
below the comment that the file begins with. White space and line ends do not count, comments do.
"""

import re

from tests import chapter_facts, running


def below_header(text):
    """A file without the comment lines that it begins with."""
    return re.sub(r"\A(//[^\n]*\n)*", "", text)


def definitions(text, name):
    """All definitions of a name: #defines, and functions with the comment above them."""
    return re.findall(rf"^#define {name}\b(?:[^\n]*\\\n)*[^\n]*\n", text, re.MULTILINE) + re.findall(
        rf"^(?://[^\n]*\n)*(?!#|//)[\w *]*\b{name}\([^;{{]*\)\s*\{{\n.*?^}}\n", text, re.MULTILINE | re.DOTALL
    )


def first_difference(ours, theirs):
    """Where two texts differ first, word by word; "" if they do not."""
    ours, theirs = ours.split(), theirs.split()
    for i in range(max(len(ours), len(theirs))):
        if ours[i : i + 1] != theirs[i : i + 1]:
            here, there = (" ".join(words[max(i - 3, 0) : i + 4]) for words in (ours, theirs))
            return f"'{here}', and there '{there}'"
    return ""


def test_shared_code(report):
    """All chapters that have copies."""
    for chapter in running.CHAPTERS:
        for file, source, names in chapter_facts.of(chapter).COPIES:
            ours, theirs = ((running.ROOT / path).read_text() for path in (f"{chapter}/{file}", source))
            pairs = (
                [("all below the first comment", [below_header(ours)], [below_header(theirs)])]
                if names is None
                else [(name, definitions(ours, name), definitions(theirs, name)) for name in names]
            )
            for name, here, there in pairs:
                what = f"{chapter}/{file} has {name} from {source}"
                if len(here) != 1 or len(there) != 1:
                    report.must(what, False, f"defined {len(here)} times, and there {len(there)} times")
                else:
                    different = first_difference(here[0], there[0])
                    report.must(what, not different, different)
