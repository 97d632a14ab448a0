"""Are the recordings (site/recordings/) those of the kernels as they stand?

The files that were recorded are those of now, to the letter; so are the launches of launches.py, and the lines of site/what-if/.
That a recording gives the kernel's result, test_players.py sees: the player has to make exactly its accesses.
"""

import json
import sys

import pytest

from tests.site.conftest import ROOT

FOLDER = ROOT / "site" / "recordings"
sys.path.insert(0, str(FOLDER))
import make  # noqa: E402  site/recordings/make.py

ALL = make.LAUNCHES + make.QUEUES
AGAIN = "record again: python3 site/recordings/make.py"
of_chapters = pytest.mark.parametrize("launch", ALL, ids=[launch["chapter"] for launch in ALL])


def recording_of(launch):
    return json.loads((FOLDER / f"{launch['chapter']}.json").read_text())


def test_each_has_its_launch():
    assert {path.stem for path in FOLDER.glob("*.json")} == {launch["chapter"] for launch in ALL}


@of_chapters
def test_recording(launch):
    recording = recording_of(launch)
    digests = recording.get("digests") or {"kernel.cl": recording["digest"]}
    now = {name: make.digest((ROOT / launch["chapter"] / name).read_text()) for name in digests}
    assert digests == now, AGAIN
    assert recording["launch"] == json.loads(json.dumps(launch)), AGAIN
    if what_if := recording.get("what_if"):
        places, puzzles = make.what_if.read(launch["chapter"])
        assert [place["choices"] for place in what_if["places"]] == json.loads(json.dumps(places)), AGAIN
        assert what_if["puzzles"] == puzzles, AGAIN
