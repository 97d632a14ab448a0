"""Is every OpenCL call that the chapters make in docs/calls.md, with a chapter that makes it?"""

import re

import pytest

from tests.texts.test_pages import ROOT


def calls_in(folder):
    code = "".join(re.sub(r"//.*", "", path.read_text()) for path in [*folder.glob("*.cpp"), *folder.glob("*.h")])
    return set(re.findall(r"\b(cl[A-Z]\w+)\(", code))


@pytest.mark.thorough
def test_call_list(report):
    text = (ROOT / "docs/calls.md").read_text()
    made = {folder.name: calls_in(folder) for folder in [*ROOT.glob("[0-9][0-9]-*"), ROOT / "common"]}
    for call in sorted(set().union(*made.values())):
        report.must(f"{call} is in docs/calls.md", f"`{call}" in text)
    for call, chapter in re.findall(r"(?m)^### `(cl\w+)\(.*\)` · \[\d\d\]\(\.\./([^)]+)\)$", text):
        report.must(f"{chapter} makes the call {call}", call in made[chapter] | made["common"])
