"""Does each work-item of a kernel still touch what it touched when it was recorded (site/recordings/), in the same order?

Counts and results do not show that a tile is fetched after it was multiplied instead of before, that a tree begins
with the wrong half, or which memory a barrier fences. Recorded anew, accesses, barriers and fences must be those on
record, whatever their lines in the file. The kernel is the one beside the program where there is one, as with mutants. Skipped by name without Oclgrind's headers.
"""

import json
import re

import pytest

from tests import running
from tests.site.test_recordings import FOLDER, maker, recorded


def accesses(recording):
    """The stretches of work-items, without the numbers of lines: ["0: r a 0 3; w sums 5 9", ...]."""
    return [re.sub(r"(^\d+: |; ?)\d+ ", r"\1", stretch) for stretch in recording["accesses"]]


def fences(recording):
    """The barriers and fences in the code of its functions, with the memory they are for (1: local, 2: global)."""
    found = []
    for function in recording["program"]:
        calls = [each for block in function["blocks"] for each in block if re.search("barrier|fence", each[0])]
        found += [f"{function['name']}: {name}({flags[0]})" for name, _, _, _, flags in calls]
    return found


@pytest.mark.thorough
def test_access_order(report, chapter):
    launches = [launch for launch in maker().LAUNCHES if launch["chapter"] == chapter]
    if not launches:
        return report.nothing_to_do("no launch of it is on record")
    beside = running.BUILD / chapter / "kernel.cl"
    for launch in launches:
        try:
            new = recorded(launch, beside if beside.exists() else None)
        except SystemExit as what:
            report.failed(chapter, [str(what)])
            continue
        recordings = [json.loads(text) for text in ((FOLDER / f"{chapter}.json").read_text(), new)]
        old, new = map(fences, recordings)
        if old != new:
            report.failed(chapter, [f"barriers and fences on record: {', '.join(old)}; now: {', '.join(new)}"])
        old, new = map(accesses, recordings)
        report.count("stretches of work-items", len(new))
        different = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
        if old != new:
            there = (old[different:] or ["nothing"])[0], (new[different:] or ["nothing"])[0]
            report.failed(chapter, [f"on record: {there[0][:80]}; now: {there[1][:80]}"])
