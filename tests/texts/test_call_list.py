"""Is every OpenCL call that the chapters make in docs/calls.md, with a chapter that makes it?"""

import re

import pytest

from tests.texts.test_pages import ROOT


def calls_in(path):
    code = re.sub(r"//.*", "", path.read_text())
    return set(re.findall(r"\b(cl[A-Z]\w+)\(", code))


@pytest.mark.thorough
def test_call_list(report):
    text = (ROOT / "docs/calls.md").read_text()
    hosts = {path.parent.name: calls_in(path) for path in sorted(ROOT.glob("[0-9][0-9]-*/host.cpp"))}
    used = set().union(*hosts.values(), *(calls_in(path) for path in ROOT.glob("common/*.h")))
    wrong = [f"{call} is not in docs/calls.md" for call in sorted(used) if f"`{call}" not in text]
    headings = re.findall(r"^### `(cl\w+)\(.*\)` · \[\d\d\]\(\.\./([^)]+)\)$", text, re.MULTILINE)
    wrong += [f"docs/calls.md has {call}, which nobody makes" for call, _ in headings if call not in used]
    for call, chapter in headings:
        makers = [name for name, calls in hosts.items() if call in calls]
        if makers and chapter not in makers:
            wrong.append(f"docs/calls.md says that {chapter} teaches {call}, which {', '.join(makers)} make")
    report.failed("docs/calls.md", wrong if headings else ["explains no call"])
    report.count("calls explained", len(headings))
    report.count("calls made", len(used))
