"""Steps through every player of the site, by what a reader has: buttons, keys, lists and boxes.

Each makes the accesses that were recorded and no other; stepped to its end it shows the kernel's result, computed from
the launch's inputs, and counters that are Oclgrind's; back at the beginning it looks as before. What other lines do,
test_what_if.py compares with Oclgrind.

The player of the queues shows races and a wrong sum without a wait list where there are several queues, and none where one
queue keeps the order.
"""

import json

import pytest

from tests.site.conftest import ROOT
from tests.site.test_pages import LOOK
from tests.site.test_recordings import make, recording_of

LAUNCHES = {launch["chapter"]: launch for launch in make.LAUNCHES}
QUEUES = {launch["chapter"]: launch for launch in make.QUEUES}
RED = ".player-stage :is(.player-race, .player-wrong)"
COUNTED = ["global loads", "global stores", "local loads", "local stores", "barriers"]


class Player:
    def __init__(self, page, base, chapter):
        self.page = page
        page.goto(f"{base}{chapter}/" if "?" not in chapter else base + chapter)
        self.root = page.locator(".player")
        self.root.scroll_into_view_if_needed()
        page.wait_for_function("document.querySelector('.player').player || document.querySelector('.player > p')")
        assert self.ask("player !== undefined"), self.root.inner_text()
        self.settings = self.root.locator(".player-options select")

    def ask(self, expression):
        """The value of an expression of `root` and `player`."""
        return self.page.evaluate(
            f"(() => {{ const root = document.querySelector('.player'), player = root.player; return {expression}; }})()"
        )

    def click(self, name, times=1):
        """A button, by its name, several times without waiting in between."""
        self.ask(f"""(() => {{ const button = root.querySelector('button[aria-label="{name}"]');
          for (let i = 0; i < {times}; i++) button.click(); }})()""")  # fmt: skip

    def order(self, order, seed=0):
        self.settings.nth(1 if "queues" in self.root.get_attribute("class") else 0).select_option(order)
        if seed:
            self.ask(f"(player.options.seed = {seed}, player.rerun())")

    def without(self, *gates):
        """Takes these wait lists out, and puts the others back."""
        for box in self.root.locator("[data-gate]").all():
            box.set_checked(box.get_attribute("data-gate") not in gates)

    def choose(self, line, text):
        self.root.locator(f"select[data-line='{line}']").select_option(label=text)

    def look(self):
        return self.ask("root.querySelector('.player-stage').innerText + root.querySelector('.player-say').innerText")

    def to_the_end(self, by="button"):
        """Steps to the end and back; returns what it said and counted there, and what lay in memory."""
        before, steps = self.look(), self.ask("player.steps.length - 1")
        if by == "button":
            self.click("one step forward", steps)
        elif by == "key":
            self.root.locator(".player-play").focus()
            self.page.keyboard.press("End")
        else:
            self.click("to the end")
        assert self.ask("player.at") == steps >= 3
        seen = self.ask("""({verdict: root.querySelector('.player-verdict').textContent,
          memory: Object.fromEntries([...player.cells].map(([name, cells]) => [name, cells.map(c => c.textContent.replace('−', '-'))])),
          counts: Object.fromEntries([...root.querySelectorAll('[data-count]')].map(e => [e.dataset.count, Number(e.querySelector('b').textContent)]))})""")  # fmt: skip
        if by == "button":
            self.click("one step back", steps)
        elif by == "key":
            self.page.keyboard.press("Home")
        else:
            self.click("to the beginning")
        assert self.ask("player.at") == 0 and self.look() == before, "back at the beginning it looks otherwise"
        return seen


def counts_of(recording):
    """What Oclgrind did, in the player's words; a load of four floats counts as four, a ulong as two."""
    variables = {variable["name"]: variable for variable in recording["variables"]}
    counts = dict.fromkeys(COUNTED, 0)
    for access in "; ".join(stretch.partition(": ")[2] for stretch in recording["accesses"]).split("; "):
        _, kind, *of = access.split()
        if kind == "b":
            counts["barriers"] += 1
        elif kind in "rw":
            variable, floats = variables[of[0]], len(of[2].split(","))
            what = f"{variable['space']} {'loads' if kind == 'r' else 'stores'}"
            counts[what] += floats * (2 if variable["type"] == "ulong" else 1)
    return counts


@pytest.mark.parametrize("chapter", LAUNCHES)
def test_player(page, base, chapter):
    launch, counted = LAUNCHES[chapter], counts_of(recording_of(LAUNCHES[chapter]))
    player = Player(page, base, chapter)
    assert player.ask("Machine.compare(player.recording, Machine.run(player.recording))") is None
    for order, by in [("lockstep", "button"), ("lockstep", "key"), ("serial", "end"), ("shuffled", "end")]:
        player.order(order)
        seen = player.to_the_end(by)
        assert seen["verdict"].startswith("Right: "), order
        for name, right in launch.get("expected", {}).items():
            assert list(map(float, seen["memory"][name])) == right, order
        for name, right in launch.get("total", {}).items():
            assert sum(map(float, seen["memory"][name])) == right, order
        assert {what: seen["counts"].get(what, 0) for what in COUNTED} == counted, order
        assert not seen["counts"].get("races"), order
    # The lines in hand are those of the group in view, if that one has done anything.
    player.order("lockstep")
    assert player.ask("""player.steps.every((step, i) => { player.go(i); const mine = step.filter((a) => a.group === player.group);
      return !mine.length || [...root.querySelectorAll('.player-now .player-number')].every((e) => mine.some((a) => a.line === +e.textContent)); })""")  # fmt: skip


def test_a_link_opens_the_very_state(page, base):
    player = Player(page, base, "06-dot-product-reduction")
    assert page.locator(".md-nav--secondary a[href='#see-it-run']").is_visible(), "not in the table of contents"
    struck = player.root.locator(".player-lines s")
    player.root.locator("select[data-line='22']").select_option("1")  # the neighbour instead
    assert struck.first.inner_text().startswith("// Tree: "), "what is not true of another line stands as if it were"
    player.root.locator("select[data-line='22']").select_option("0")
    player.choose(23, "(nothing)")
    assert not struck.count(), "what is still true is struck out"
    player.order("shuffled", 5)
    player.root.get_by_label("Pace").select_option("fast")
    player.click("next mistake (key m)")
    assert "A race: " in player.root.locator(".player-say").inner_text()
    assert player.root.locator(RED).count(), "nothing is red at the next mistake"
    seen = player.look()
    assert not player.root.locator(".player-verdict").inner_text(), "the end is told before it is there"
    step = player.ask("player.at")  # on a busy machine the address may still be that of the line alone
    page.wait_for_function(f"/lines=23-2.*step={step}$/.test(location.search)")
    page.reload()
    player.root.scroll_into_view_if_needed()
    page.wait_for_function("document.querySelector('.player').player")
    assert player.look() == seen and player.ask("player.speed") == 12
    player.click("to the end")
    assert player.root.locator(".player-verdict").inner_text().startswith("Wrong: ")


@pytest.mark.parametrize("chapter", [*LAUNCHES, *QUEUES])
def test_player_on_a_phone(opened, base, chapter):
    page = opened(viewport={"width": 360, "height": 800}, is_mobile=True, has_touch=True)
    player = Player(page, base, chapter)
    assert not player.ask("root.querySelector('.player-settings').open"), "the settings are not folded"
    player.ask("(root.querySelector('.player-settings').open = true, player.go(9))")
    assert page.evaluate(LOOK, 360) == []
    assert player.ask("root.querySelector('.player-play').parentElement.offsetHeight") <= 110, "the bar is too high"
    assert player.ask("[...root.querySelectorAll('.player-tabs')].every(e => e.scrollWidth <= e.clientWidth)"), "cut"
    assert not player.ask("[...root.querySelectorAll('button, select, [type=checkbox]')].filter(e => e.checkVisibility()"
                          " && (e.parentElement.closest('label, .player-choice') || e).getBoundingClientRect().height < 24).map(e => e.outerHTML)")  # fmt: skip


def test_queues(page, base):
    chapter, launch = next(iter(QUEUES.items()))
    recording = json.loads((ROOT / "site/recordings" / f"{chapter}.json").read_text())
    products = [a * b for piece in recording["pieces"] for a, b in zip(piece, piece[len(piece) // 2 :])]
    right, pieces = f"{sum(products):g}", len(recording["pieces"])
    player = Player(page, base, chapter)
    assert player.ask("Commands.compare(player.recording)") is None
    for queues in map(str, launch["queues"]):
        player.settings.first.select_option(queues)
        for order, by in [("recorded", "button"), ("recorded", "key"), ("newest", "end"), ("shuffled", "button")]:
            player.order(order)
            seen = player.to_the_end(by)
            assert seen["verdict"].startswith("Right: ") and seen["memory"]["total"] == [right], (queues, order)
            assert seen["counts"] == {"commands": 3 * pieces, "pieces": pieces}, (queues, order)


@pytest.mark.parametrize("gate", ["kernel", "result", "host", "flush"])
def test_queues_without(page, base, gate):
    chapter, launch = next(iter(QUEUES.items()))
    player = Player(page, base, chapter)
    for queues in launch["queues"]:
        # A queue in order does without events, and to wait for one of its commands is to flush it.
        harmless = gate in ("kernel", "flush") and queues == 1 or gate == "result" and queues < 3
        player.settings.first.select_option(str(queues))
        player.without(gate)
        for order, seed in [("recorded", 0), ("shuffled", 1), ("shuffled", 2), ("newest", 0)]:
            player.order(order, seed)
            seen = player.to_the_end("end")
            if harmless:
                assert seen["verdict"].startswith("Right: ") and not seen["counts"].get("races"), (queues, order)
            elif gate == "flush":
                expected = "Right, by luck: " if order == "recorded" else "Stuck: "
                assert seen["verdict"].startswith(expected), (queues, order)
            else:
                assert seen["counts"].get("races") and not seen["verdict"].startswith("Right: "), (queues, order)
                player.click("next race (key r)")
                assert "A race: " in player.root.locator(".player-say").inner_text()
