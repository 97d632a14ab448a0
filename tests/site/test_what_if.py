"""Each line that a player offers (site/what-if/): does it come to the same in the player and in Oclgrind?

The player shows races, accesses outside and work-items that wait for ever where Oclgrind reports them, and nowhere else; in
Oclgrind's own order it leaves the same values. Each puzzle begins wrong, says so, and is solved by the kernel's own lines.
"""

import concurrent.futures
import math
import os
import re
import struct
import subprocess

import pytest

from tests.site.conftest import ROOT
from tests.site.test_players import LAUNCHES, RED, Player
from tests.site.test_recordings import make, recording_of

CHAPTERS = [chapter for chapter in LAUNCHES if "what_if" in recording_of(LAUNCHES[chapter])]
PUZZLES = [chapter for chapter in CHAPTERS if recording_of(LAUNCHES[chapter])["what_if"]["puzzles"]]
REPORTS = {"races": "data race", "outside": r"Invalid (read|write)|Index .* exceeds", "stuck": "Work-group divergence"}
RUNS = """([keys, orders]) => {
  const { recording } = document.querySelector('.player').player;
  return keys.map((lines) => orders.map(([order, seed]) => {
    const { memory, counts, ended } = Machine.run(recording, { order, seed, lines });
    const left = Object.fromEntries(Object.entries(memory).map(([name, values]) => [name, values.map(String)]));
    return { memory: left, races: counts.races > 0, outside: counts.outside > 0, unwritten: counts.unwritten > 0, stuck: ended === "stuck" };
  }));
}"""


def oclgrind(launch, text, folder):
    """(which of REPORTS there are, {buffer: its values in the end, None for NaN})."""
    folder.mkdir()
    kernel, simulation = folder / "kernel.cl", folder / "launch.sim"
    kernel.write_text(text)
    names = make.parameters(text, launch["kernel"])
    make.simulation(launch, kernel, names, simulation)
    simulation.write_text(re.sub(r"(?m)^(<size=\d+ u\w+)>", r"\1 dump>", simulation.read_text()))
    options = f"-cl-opt-disable {launch.get('options', '')}".strip()
    command = ["oclgrind-kernel", "--num-threads", "1", "--data-races", "--uniform-writes", "--build-options", options, simulation]  # fmt: skip
    env = {**os.environ, "XDG_CACHE_HOME": folder}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=200)
    left = {}
    for name, _, kind in names:
        values = [int(value) for value in re.findall(rf"(?m)^  {name}\[\d+\] = (\d+)$", done.stdout)]
        if kind.startswith("float"):
            values = [struct.unpack("<f", struct.pack("<I", value))[0] for value in values]
        values = [math.nan if value == 2**64 - 1 else value for value in values]  # nobody has written it
        left[name] = [None if math.isnan(value) else value for value in values]
    return {kind: re.search(report, done.stdout + done.stderr) is not None for kind, report in REPORTS.items()}, left


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_same_in_oclgrind(page, base, chapter, tmp_path):
    launch, what_if = LAUNCHES[chapter], make.what_if
    places, _ = what_if.read(chapter)
    chosen = [which for which in what_if.choices(places, []) if sum(map(bool, which)) == 1]
    source = (ROOT / chapter / "kernel.cl").read_text()
    Player(page, base, chapter)
    orders = [["serial", 1], ["lockstep", 1], *[["shuffled", seed] for seed in range(1, 9)]]
    played = page.evaluate(RUNS, [[".".join(map(str, which)) for which in chosen], orders])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = [what_if.text_with(source, places, which) for which in chosen]
        theirs = [*pool.map(lambda i: oclgrind(launch, texts[i], tmp_path / str(i)), range(len(texts)))]
    wrong = []
    for which, runs, (reports, left) in zip(chosen, played, theirs):
        name = next(place[number - 1]["name"] for place, number in zip(places, which) if number)
        shown = {kind: any(run[kind] for run in runs) for kind in REPORTS}
        shown["stuck"] = runs[0]["stuck"]  # which may depend on the order
        # After an access outside, or where somebody waits for ever, each goes on in its own way.
        same = ["outside", "stuck"] if reports["outside"] or reports["stuck"] else [*REPORTS]
        wrong += [f"{name}: {kind} {shown[kind]}" for kind in same if shown[kind] != reports[kind]]
        if not (reports["outside"] or reports["stuck"] or runs[0]["unwritten"]):
            for buffer, values in runs[0]["memory"].items():
                if [None if value == "NaN" else float(value) for value in values] != left[buffer]:
                    wrong.append(f"{name}: {buffer} is {values}, Oclgrind {left[buffer]}")
    assert chosen and not wrong


@pytest.mark.parametrize("chapter", PUZZLES)
def test_puzzles(page, base, chapter):
    puzzles = recording_of(LAUNCHES[chapter])["what_if"]["puzzles"]
    for number, puzzle in enumerate(puzzles, 1):
        assert (ROOT / puzzle["exercise"] / "README.md").exists()
        player = Player(page, base, f"{chapter}/?puzzle={number}#see-it-run")
        answer = player.root.locator(".player-answer")
        player.click("Check in all orders")
        assert answer.inner_text().startswith(("Not yet: ", "The results are right in every order")), puzzle["title"]
        assert player.root.locator(RED).count(), f"{puzzle['title']}: nothing is red where the check leads"
        assert not player.root.locator(".player-verdict").inner_text().startswith("Right: ")
        assert player.root.locator(".player-hints li").count() == 0
        player.click("A hint")
        assert player.root.locator(".player-hints li").inner_text() == puzzle["hints"][0]
        told = [text for text in player.root.locator(".player-choice i").all_inner_texts() if text != "// (nothing)"]
        assert not told, f"{puzzle['title']}: a comment tells the kernel's own line from others: {told}"
        # By the keyboard: from the task to the lines, a stop each, and one more to the button.
        player.root.locator(".player-lead").press("Enter")
        for _ in puzzle["places"]:
            page.evaluate("((e) => { e.value = '0'; e.dispatchEvent(new Event('change')); })(document.activeElement)")
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert answer.inner_text().startswith("Solved: "), f"{puzzle['title']}: {answer.inner_text()}"
        assert not player.root.locator(".player-hints").is_visible()
        assert page.request.get(player.ask("root.querySelector('.player-answer a').href")).ok
    page.reload()
    player = Player(page, base, chapter)
    tabs = player.root.locator(".player-tabs button").all_inner_texts()
    assert [tab.startswith("✓ ") for tab in tabs] == [False, *[True] * len(puzzles)]
