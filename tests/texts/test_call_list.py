"""Is every OpenCL call that the chapters make in docs/calls.md, with a chapter that makes it?"""

import re

import pytest

from tests.texts.test_pages import ROOT


def calls_in(*paths):
    return {call for path in paths for call in re.findall(r"\b(cl[A-Z]\w+)\(", re.sub(r"//.*", "", path.read_text()))}


@pytest.mark.thorough
def test_call_list(report):
    text = (ROOT / "docs/calls.md").read_text()
    for call in sorted(calls_in(*ROOT.glob("[0-9][0-9]-*/host.cpp"), *ROOT.glob("common/*.h"))):
        report.must(f"{call} is in docs/calls.md", f"`{call}" in text)
    for call, chapter in re.findall(r"(?m)^### `(cl\w+)\(.*\)` · \[\d\d\]\(\.\./([^)]+)\)$", text):
        report.must(
            f"{chapter} makes the call {call}", call in calls_in(ROOT / chapter / "host.cpp", *ROOT.glob("common/*.h"))
        )
