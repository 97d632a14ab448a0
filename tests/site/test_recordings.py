"""Are the recordings (site/recordings/) those of the kernels as they stand, and do they say what is so?

The kernel file is the one that was recorded, to the letter; the launch is the one of launches.py; what the recorded
stores leave is what launches.py expects; loads, stores and barriers are as many as the chapter's costs() say. Of the
queues: no command began before the one in front of it in its queue had ended, nor before those that it waits for.
`test_recorded_again` records anew with Oclgrind, and compares.
"""

import json
import math
import re
import sys

import pytest

from tests import chapter_facts
from tests.site.conftest import ROOT

FOLDER = ROOT / "site" / "recordings"
SPACES = {"r": "loads", "w": "stores"}
AGAIN = "record again: python3 site/recordings/make.py"


def maker():
    """The module site/recordings/make.py."""
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    import make

    return make


def recorded(launch, kernel=None):
    """A launch recorded now, as text; without what that needs, the test is skipped."""
    make = maker()
    try:
        return make.record_commands(launch) if launch in make.QUEUES else make.record(launch, kernel, pocl=False)
    except make.Missing as what:
        pytest.skip(str(what))


def recording_of(launch):
    return json.loads((FOLDER / f"{launch['chapter']}.json").read_text())


def accesses(recording):
    for run in recording["accesses"]:
        for access in run.split(": ")[1].split("; "):
            yield access.split()[1:]


def counted(recording):
    """What the accesses of a recording cost, under the names of costs()."""
    variables = {v["name"]: v for v in recording["variables"]}
    counts = dict.fromkeys(["global loads", "global stores", "local loads", "local stores", "barriers"], 0)
    for kind, *what in accesses(recording):
        if kind == "b":
            counts["barriers"] += 1
        elif kind in SPACES:
            variable = variables[what[0]]
            floats = len(what[2].split(",")) * (2 if variable["type"] == "ulong" else 1)
            counts[f"{variable['space']} {SPACES[kind]}"] += floats
    return counts


def left(recording):
    """What the recorded stores leave in the buffers: {name: [number, ...]}. What atomics store is not recorded: a
    buffer that they touch is left out."""
    buffers = {}
    for variable, value in zip(recording["variables"], recording["launch"]["arguments"]):
        if isinstance(value, list):
            buffers[variable["name"]] = [math.nan if v is None else v for v in value]
    for kind, *what in accesses(recording):
        if kind == "w" and what[0] in buffers:
            for i, value in enumerate(what[2].split(",")):
                buffers[what[0]][int(what[1]) + i] = float(value)
        if kind == "x":
            buffers.pop(what[0], None)
    return buffers


def products(piece, length):
    return sum(a * b for a, b in zip(piece[:length], piece[length:]))


def sum_of(recording):
    """The dot product of a recording of queues, from the pieces that were copied."""
    return sum(products(piece, len(piece) // 2) for piece in recording["pieces"])


def of_chapters(launches):
    return pytest.mark.parametrize("launch", launches, ids=[launch["chapter"] for launch in launches])


def test_each_has_its_launch():
    names = {f"{launch['chapter']}.json" for launch in maker().LAUNCHES + maker().QUEUES}
    assert {path.name for path in FOLDER.glob("*.json")} == names


@of_chapters(maker().LAUNCHES)
def test_recording(launch):
    make, recording = maker(), recording_of(launch)
    assert recording["digest"] == make.digest((ROOT / launch["chapter"] / "kernel.cl").read_text()), AGAIN
    assert recording["launch"] == json.loads(json.dumps(make.plain(launch))), AGAIN
    memory = left(recording)
    for name, right in launch.get("expected", {}).items():
        assert memory.get(name, right) == right
    for name, right in launch.get("total", {}).items():
        assert sum(memory[name]) == right
    costs = next(
        c for kernel, c in chapter_facts.of(launch["chapter"]).costs(**launch["costs"]) if kernel == launch["kernel"]
    )
    counts = counted(recording)
    assert counts == {what: costs[what] for what in counts}


@of_chapters(maker().QUEUES)
def test_recording_of_queues(launch):
    make, recording = maker(), recording_of(launch)
    for name, text in make.commands.files(launch).items():
        assert recording["digests"].get(name) == make.digest(text), f"{name}: {AGAIN}"
    assert recording["launch"] == json.loads(json.dumps(launch)), AGAIN
    assert [run["queues"] for run in recording["runs"]] == launch["queues"]
    sums = [products(piece, len(piece) // 2) for piece in recording["pieces"]]
    assert (recording["partial_sums"], recording["total"]) == (sums, sum(sums))
    assert sum(map(len, recording["pieces"])) == 2 * int(launch["arguments"][0])
    for run in recording["runs"]:
        last, times = {}, run["times"]
        commands = [call for call in run["calls"] if call[1] in ("copy", "kernel", "result")]
        assert len(commands) == len(times) == 3 * len(sums)
        for _, what, number, queue, waits, *_ in commands:
            assert times[number] == sorted(times[number])
            for other in [*waits, *([last[queue]] if queue in last else [])]:
                assert times[other][3] <= times[number][2], f"{what} {number} began before {other} had ended"
            last[queue] = number


@of_chapters(maker().LAUNCHES + maker().QUEUES)
def test_recorded_again(launch):
    """All to the letter; of the queues all but the times, which are of the moment; what PoCL says is test_what_if's."""

    def kept(text):
        text = re.sub(r'"passes": .*', "", text)
        return re.sub(r'("times":)\[\[.*?\]\]|("recorded": ).*', r"\1\2", text) if launch in maker().QUEUES else text

    assert kept((FOLDER / f"{launch['chapter']}.json").read_text()) == kept(recorded(launch)), AGAIN
