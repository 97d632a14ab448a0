"""Steps through every player of the site in headless Chromium.

    python3 tests/run.py players                        on the site that the check `site` has built, else builds it
    python3 tests/run.py players --site FOLDER          on a site that is built already
    python3 tests/run.py players --only 06,09           these chapters' players only
    python3 tests/run.py players --screenshots FOLDER   pictures at telling moments too: light and dark, desk and phone

Each player: it makes the accesses that Oclgrind recorded, all of them, and no other; stepped to its end, by buttons
and by keyboard, it shows the kernel's result, computed here from the launch's inputs; in each order its counters end
at the chapter's costs() for that launch, with no data race; back at the beginning it looks as before; with each
barrier taken out there are races, and in some order a wrong result or work-items that wait for ever; put back, the
result is right again.

The player of the queues: its commands give what the recorded program printed, with one, two and three queues, in each order;
without a wait list, or a wait of the host, races are shown where there are several queues, and none where one queue keeps
the order; and the newest first, the sum is wrong by as much as that of the very program without it, which the queues'
layer (layers/queues_layer.cpp) runs in that order. Without flushes it is stuck there, as the layer is.

Of both: nothing on the console, no other host, nothing that sticks out or is too small to read on a
phone, a page of at most 300 kB. At each run, players with a mistake each must fail (SPOILT).
"""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile

from tests import chapter_facts, running
from tests.programs import test_command_order as command_order
from tests.site import recordings
from tests.site.recordings import maker
from tests.site.site_pages import LOOK, PAGE_BYTES, opened, shot, weight

WIDTHS = {"desk": (1280, 1000), "phone": (360, 800)}
COUNTED = ["global loads", "global stores", "local loads", "local stores", "multiply-adds", "barriers"]

START = """(async () => {
  const root = document.querySelector('.player');
  if (!root) return 'there is no player on the page';
  root.scrollIntoView();
  for (let i = 0; i < 100 && !root.player && !root.textContent; i++) await new Promise(done => setTimeout(done, 50));
  return root.player ? null : 'the player does not start: ' + root.textContent;
})()"""

# By what a reader has: buttons, keys, lists and boxes. Gives what can be seen at the end.
DRIVE = """(({order, seed, without, by}) => {
  const root = document.querySelector('.player'), player = root.player;
  const button = name => root.querySelector(`button[aria-label="${name}"]`);
  for (const box of root.querySelectorAll('[data-line]'))
    if (box.checked === without.includes(Number(box.dataset.line))) box.click();
  const select = root.querySelector('.player-options select');
  select.value = order;
  select.dispatchEvent(new Event('change'));
  if (seed) { player.options.seed = seed; player.rerun(); }
  const look = () => root.querySelector('.player-stage').innerText + root.querySelector('.player-say').innerText;
  const first = look(), steps = player.steps.length - 1;
  const key = name => root.querySelector('.player-play').dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true}));
  let held = 0; // the most elements of global memory that are marked as lying in local memory
  if (by === 'button') for (let i = 0; i < steps; i++) {
    button('one step forward').click();
    held = Math.max(held, root.querySelectorAll('.player-held').length);
  }
  else if (by === 'key') for (let i = 0; i < steps; i++) key('ArrowRight');
  else button('to the end').click();
  const counts = Object.fromEntries([...root.querySelectorAll('[data-count]')].map(e =>
    [e.dataset.count, Number(e.querySelector('b').textContent)]));
  const at = player.at, memory = {};
  for (const [name, cells] of player.cells) memory[name] = cells.map(c => Number(c.textContent.replace('−', '-')));
  const verdict = root.querySelector('.player-verdict').textContent;
  if (by === 'button') for (let i = 0; i < steps; i++) button('one step back').click();
  else if (by === 'key') key('Home');
  else button('to the beginning').click();
  return {counts, memory, verdict, held, at, steps, back: look() === first, differs: Machine.compare(player.recording, Machine.run(player.recording))};
})"""


# The same of the player of queues.
DRIVE_QUEUES = """(({queues, order, seed, without, by}) => {
  const root = document.querySelector('.player'), player = root.player;
  const button = name => root.querySelector(`button[aria-label="${name}"]`);
  const [first, second] = root.querySelectorAll('.player-options select');
  for (const [select, value] of [[first, queues], [second, order]]) {
    select.value = value;
    select.dispatchEvent(new Event('change'));
  }
  for (const box of root.querySelectorAll('[data-gate]')) if (box.checked === without.includes(box.dataset.gate)) box.click();
  if (seed) { player.options.seed = seed; player.rerun(); }
  const look = () => root.querySelector('.player-stage').innerText + root.querySelector('.player-say').innerText;
  const before = look(), steps = player.steps.length - 1;
  const key = name => root.querySelector('.player-play').dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true}));
  const shut = new Set(), open = new Set(); // gates, as they are shown
  const gates = () => player.boxes.forEach((box, i) => [[shut, 'shut'], [open, 'open']].forEach(([set, name]) =>
    box.classList.contains(`player-gate-${name}`) && set.add(i)));
  if (by === 'button') for (let i = 0; i < steps; i++) { button('one step forward').click(); gates(); }
  else if (by === 'key') for (let i = 0; i < steps; i++) key('ArrowRight');
  else button('to the end').click();
  const counts = Object.fromEntries([...root.querySelectorAll('[data-count]')].map(e => [e.dataset.count, Number(e.querySelector('b').textContent)]));
  const total = player.cells.get('total')[0].textContent.replace('−', '-'), at = player.at;
  const verdict = root.querySelector('.player-verdict').textContent;
  let raced = null;
  const jump = button('next race (key r)');
  button('to the beginning').click();
  if (!jump.hidden) { key('r'); raced = root.querySelector('.player-say').innerText; }
  if (by === 'button') { button('to the end').click(); for (let i = 0; i < steps; i++) button('one step back').click(); }
  else key('Home');
  return {counts, total, verdict, at, steps, raced, shut: shut.size, open: open.size, back: look() === before, differs: Commands.compare(player.recording)};
})"""

# The host without what a gate stands for, in the last of its six runs, before which everything has ended.
WITHOUT = {
    "kernel": [("&global_size, &local_size, 1,\n", "&global_size, &local_size, LAST ? 0 : 1,\n"), ("&done[0], &done[1]", "LAST ? nullptr : &done[0], &done[1]")],
    "result": [("1, &done[1], &done[2]", "LAST ? 0 : 1, LAST ? nullptr : &done[1], &done[2]")],
    "host": [("clerr_chk(clWaitForEvents(1, &done[2]));", "if (!LAST) clerr_chk(clWaitForEvents(1, &done[2]));")],
    "flush": [(f"clerr_chk(clFlush({queue}));", f"if (!LAST) clerr_chk(clFlush({queue}));") for queue in ("copies", "kernels", "results")],
}  # fmt: skip
START_OF_RUN = "    bars.clear();\n"


def worst(launch, gate):
    """What the chapter's own program prints as its result without a gate, when the layer runs the newest command first;
    "stuck" where a command waits for a queue that was never flushed."""
    folder = running.ROOT / launch["chapter"]
    host = (folder / "host.cpp").read_text().replace('"../common/', f'"{running.ROOT}/common/')
    changes = [(START_OF_RUN, START_OF_RUN + "    clerr_chk(clFinish(copies));\n    clerr_chk(clFinish(results));\n")]
    for old, new in changes + WITHOUT[gate]:
        assert host.count(old) == 1, f"the host has {host.count(old)} times {old!r}"
        host = host.replace(old, new.replace("LAST", "(times.size() == 5)"))
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name)
        (path / "host.cpp").write_text(host)
        shutil.copy(folder / "kernel.cl", path)
        command = ["g++", "-std=c++17", "-I", folder, path / "host.cpp", "-o", path / "program", "-lOpenCL"]
        subprocess.run(command, check=True)
        code, out, err, *_ = command_order.run([path / "program", *launch["arguments"], "3"], "newest", name)
    found = re.search(r"(?m)^result +(\S+)$", out)
    if "never flushed" in err:
        return "stuck"
    return found.group(1).replace("-nan", "nan") if found else f"exit code {code}: {out}{err}"


def of_queues(browser, base, launch, quick=False):
    """As of_player, of a launch of QUEUES. `quick`: without the runs of the real program."""
    chapter = launch["chapter"]
    wrong = browser.open(f"{base}{chapter}/", *WIDTHS["desk"])
    started = browser.run(START)
    wrong += problems_since(browser)
    if started:
        return wrong + [started], ""
    recording = json.loads((running.ROOT / "site/recordings" / f"{chapter}.json").read_text())
    right = f"{recordings.sum_of(recording):g}"
    runs = 0

    def drive(number, order, by="end", seed=0, without=()):
        nonlocal runs
        runs += 1
        asked = dict(queues=number, order=order, by=by, seed=seed, without=list(without))
        return browser.run(f"{DRIVE_QUEUES}({json.dumps(asked)})")

    for number in launch["queues"]:
        for order, by in [("recorded", "button"), ("recorded", "key"), ("newest", "end"), ("shuffled", "button")]:
            seen = drive(number, order, by)
            where = f"{number} queues, {order}, by {by}"
            pieces = len(recording["pieces"])
            wrong += [f"{where}: not what was recorded: {seen['differs']}"] if seen["differs"] else []
            wrong += (
                [f"{where}: step {seen['at']} is the last of {seen['steps']}"] if seen["at"] != seen["steps"] else []
            )
            wrong += [f"{where}: back at the beginning it looks otherwise"] if not seen["back"] else []
            wrong += [f"{where}: it says {seen['verdict']!r}"] if not seen["verdict"].startswith("Right: ") else []
            wrong += (
                [f"{where}: total is shown as {seen['total']}, where {right} is right"]
                if seen["total"] != right
                else []
            )
            for what, expected in [("commands", 3 * pieces), ("pieces", pieces), ("races", 0)]:
                if seen["counts"].get(what, 0) != expected:
                    wrong.append(f"{where}: {seen['counts'].get(what, 0)} {what}, where {expected} is right")
            if by == "button" and (seen["shut"], seen["open"]) != (2 * pieces, 2 * pieces):
                wrong.append(f"{where}: {seen['shut']} gates are shown shut and {seen['open']} open, of {2 * pieces}")
    said = []
    for gate in WITHOUT:
        real = worst(launch, gate) if not quick else None
        for number in launch["queues"]:
            # A queue in order does without events, and to wait for one of its commands is to flush it.
            harmless = gate in ("kernel", "flush") and number == 1 or gate == "result" and number < 3
            for order, seed in [("newest", 0), ("recorded", 0), *[("shuffled", seed) for seed in range(1, 4)]]:
                seen = drive(number, order, seed=seed, without=[gate])
                where = f"{number} queues, without the gate {gate}, {order}"
                if harmless:
                    if not seen["verdict"].startswith("Right: ") or seen["counts"].get("races"):
                        wrong.append(f"{where}: it says {seen['verdict']!r}")
                elif gate == "flush":
                    expected = "Right, by luck: " if order == "recorded" else "Stuck: "
                    wrong += (
                        [f"{where}: it says {seen['verdict']!r}"] if not seen["verdict"].startswith(expected) else []
                    )
                else:
                    if not seen["counts"].get("races") or "A race: " not in (seen["raced"] or ""):
                        wrong.append(f"{where}: no race is shown")
                    if seen["verdict"].startswith("Right: "):
                        wrong.append(f"{where}: it says {seen['verdict']!r}")
                if number == 3 and order == "newest":
                    said.append(f"{gate}: {seen['verdict']}")
                    if not harmless and not seen["verdict"].startswith(("Wrong: ", "Stuck: ")):
                        wrong.append(f"{where}: the result is not wrong")
                    shown = "stuck" if seen["verdict"].startswith("Stuck: ") else seen["total"].replace("?", "nan")
                    if real is not None and shown != real:
                        wrong.append(f"{where}: total is {shown}, and the program's own is {real}")
    seen = drive(3, "newest")
    wrong += [f"everything put back: {seen['verdict']!r}"] if not seen["verdict"].startswith("Right: ") else []
    return wrong + problems_since(browser), f"{runs} runs; newest first, without {'; '.join(said)}"


def of_player(browser, base, launch, quick=False):
    """What is wrong with the player of a launch: a list of sentences; and what was seen, to print."""
    chapter = launch["chapter"]
    costs = next(c for kernel, c in chapter_facts.of(chapter).costs(**launch["costs"]) if kernel == launch["kernel"])
    wrong = browser.open(f"{base}{chapter}/", *WIDTHS["desk"])
    started = browser.run(START)
    wrong += problems_since(browser)
    if started:
        return wrong + [started], ""

    def drive(order, by="end", seed=0, without=()):
        return browser.run(f"{DRIVE}({json.dumps(dict(order=order, by=by, seed=seed, without=list(without)))})")

    runs = 0
    for order, by in [("lockstep", "button"), ("lockstep", "key"), ("serial", "end"), ("shuffled", "end")]:
        seen = drive(order, by)
        runs += 1
        where = f"{order}, by {by}"
        wrong += [f"{where}: not what Oclgrind recorded: {seen['differs']}"] if seen["differs"] else []
        wrong += [f"{where}: step {seen['at']} is the last of {seen['steps']}"] if seen["at"] != seen["steps"] else []
        wrong += [f"{where}: back at the beginning it looks otherwise"] if not seen["back"] else []
        wrong += [f"{where}: it says {seen['verdict']!r}"] if not seen["verdict"].startswith("Right: ") else []
        for name, expected in launch.get("expected", {}).items():
            if seen["memory"][name] != expected:
                wrong.append(f"{where}: {name} is shown as {seen['memory'][name]}, where {expected} is right")
        for name, expected in launch.get("total", {}).items():
            if sum(seen["memory"][name]) != expected:
                wrong.append(f"{where}: {name} adds up to {sum(seen['memory'][name])}, where {expected} is right")
        for what in COUNTED:
            if seen["counts"].get(what, 0) != costs[what]:
                wrong.append(f"{where}: {seen['counts'].get(what, 0)} {what}, where costs() say {costs[what]}")
        if by == "button" and (seen["held"] > 0) != launch.get("copies", False):
            wrong.append(f"{where}: {seen['held']} elements are marked as copied into local memory")
        wrong += [f"{where}: {seen['counts']['races']} data races"] if seen["counts"].get("races") else []
    bad = []
    barriers = browser.run("document.querySelector('.player').player.barriers")
    for line in barriers:
        bad = []
        for order, seed in [
            ("serial", 0),
            *[("shuffled", seed) for seed in range(1, 2 if quick else 4)],
            ("lockstep", 0),
        ]:
            seen = drive(order, seed=seed, without=[line])
            runs += 1
            if not seen["counts"].get("races"):
                wrong.append(f"without the barrier of line {line}, {order}: no data race is shown")
            bad += [seen["verdict"]] if seen["verdict"].startswith(("Wrong: ", "Stuck: ")) else []
        wrong += [f"without the barrier of line {line} no order gives a wrong result"] if not bad else []
        seen = drive("serial")
        wrong += [f"line {line} put back: {seen['verdict']!r}"] if not seen["verdict"].startswith("Right: ") else []
    wrong += problems_since(browser)
    return (
        wrong,
        f"{runs} runs, {len(barriers)} barriers taken out in turn; {(bad or [''])[0] if barriers else seen['verdict']}",
    )


def problems_since(browser):
    """What has gone wrong on the page since it was loaded: exceptions, errors on the console, other hosts."""
    browser.run("new Promise(done => setTimeout(done, 50))")
    wrong = browser.problems()
    browser.events = []
    return wrong


def on_a_phone(browser, base, launch):
    wrong = browser.open(f"{base}{launch['chapter']}/", *WIDTHS["phone"])
    started = browser.run(START)
    if started:
        return [started]
    folded = browser.run("!document.querySelector('.player-settings').open")
    wrong += [] if folded else ["phone: the settings are not folded"]
    browser.run(
        "document.querySelector('.player-settings').open = true; document.querySelector('.player').player.go(9)"
    )
    look = browser.run(f"{LOOK}({WIDTHS['phone'][0]})")
    wrong += [f"phone: sticks out to the right: {look['wide']}"] if look["wide"] is not None else []
    wrong += [f"phone: small text: {text}" for text in look["small"]]
    small = browser.run(
        "[...document.querySelectorAll('.player button, .player select, .player [type=checkbox]')].filter(e =>"
        " !e.hidden && (e.parentElement.closest('label') || e).getBoundingClientRect().height < 24).map(e => e.outerHTML)"
    )
    return wrong + [f"phone: less than 24 pixels high: {text}" for text in small]


SPOILT = {
    "a counter that counts one too many": (
        "machine.js",
        lambda text: text.replace('"global loads": 0', '"global loads": 1'),
        "global loads, where costs",
    ),
    "a barrier that cannot be taken out": (
        "machine.js",
        lambda text: text.replace("!without.includes(it[1])", "true").replace(
            "if (without.includes(line)) return", "if (0) return"
        ),
        "no data race is shown",
    ),
    "arithmetic that is wrong": (
        "machine.js",
        lambda text: text.replace("fadd: (a, b) => a + b", "fadd: (a, b) => a + b + 1"),
        "does not do what Oclgrind recorded",
    ),
    "a recording with another value": (
        "06-dot-product-reduction.json",
        lambda text: text.replace("22 r sums 4 5;", "22 r sums 4 6;"),
        "does not do what Oclgrind recorded",
    ),
    "a recording with other inputs": (
        "06-dot-product-reduction.json",
        lambda text: text.replace('"arguments":[[1,', '"arguments":[[2,'),
        "does not do what Oclgrind recorded",
    ),
    "a step that goes nowhere": (
        "frame.js",
        lambda text: text.replace('"+1", () => this.go(this.at + 1)', '"+1", () => this.go(this.at)'),
        "is the last of",
    ),
    "steps back that forget nothing": (
        "player.js",
        lambda text: text.replace("!this.state || to < this.state.at", "!this.state"),
        "looks otherwise",
    ),
    "a verdict that is always content": (
        "player.js",
        lambda text: text.replace("bad = bad || wrong > 0", "bad = false"),
        "no order gives a wrong result",
    ),
    "memory that is shown before it is written": (
        "player.js",
        lambda text: text.replace('if (a.kind !== "w" && a.kind !== "x") continue;', 'if (a.kind !== "x") continue;'),
        "is shown as",
    ),
    "another host": (
        "player.js",
        lambda text: text + "\nfetch('http://127.0.0.2:9/x').catch(() => 0);",
        "asks another server",
    ),
}


SPOILT_QUEUES = {
    "a sum that is wrong": (
        "commands.js",
        lambda text: text.replace("sum + m.slots", "sum + 1 + m.slots"),
        "does not do what was recorded",
    ),
    "a recording of other numbers": (
        "22-overlap.json",
        lambda text: text.replace('"pieces": [[-2,', '"pieces": [[-3,'),
        "does not do what was recorded",
    ),
    "a command that began too early": (
        "22-overlap.json",
        lambda text: re.sub(r'("times":\[\[\d+,\d+,\d+),\d+', r"\1,999999999", text, count=1),
        "does not do what was recorded",
    ),
    "a gate that cannot be taken out": (
        "commands.js",
        lambda text: text.replace("without.includes(what) ? [] : waits", "waits"),
        "no race is shown",
    ),
    "a queue that keeps no order": (
        "commands.js",
        lambda text: text.replace("[...ahead, ...it.waits].every", "it.waits.every"),
        "it says 'Wrong: ",
    ),
    "an order that is not the newest first": (
        "commands.js",
        lambda text: text.replace("can[can.length - 1]", "can[0]"),
        "the result is not wrong",
    ),
    "races that nobody counts": (
        "commands.js",
        lambda text: text.replace("if (place && !ordered)", "if (0)"),
        "no race is shown",
    ),
    "flushes that nobody needs": (
        "commands.js",
        lambda text: text.replace("flushed.has(id) && [", "["),
        "without the gate flush, newest: it says",
    ),
    "a verdict that is always content": (
        "queues.js",
        lambda text: text.replace("const bad = result.total !== right", "const bad = false"),
        "the result is not wrong",
    ),
    "gates that stay shut": (
        "queues.js",
        lambda text: text.replace('" player-gate-open"', '" player-gate-shut"'),
        "open, of",
    ),
    "a step that goes nowhere": (
        "frame.js",
        lambda text: text.replace('"+1", () => this.go(this.at + 1)', '"+1", () => this.go(this.at)'),
        "is the last of",
    ),
    "a key that leads to no race": ("frame.js", lambda text: text.replace("if (jump) this.leap(jump.is)", "if (jump) return"), "no race is shown"),
}  # fmt: skip


def screenshots(browser, base, folder):
    """Telling moments, for people to look at."""
    folder.mkdir(parents=True, exist_ok=True)
    race = "[...root.querySelectorAll('[data-line]')].pop().click(); p.orderSelect.value = 'shuffled';" \
        " p.orderSelect.dispatchEvent(new Event('change'));"  # fmt: skip
    moments = {
        "06-dot-product-reduction": {"tree": "p.go(9)", "race": race + "p.go(p.steps.findIndex(s => s.some(a => a.race)))",
                                     "wrong": race + "p.go(9999)"},
        "09-matmul-tiled": {"bring": "p.go(3)", "multiply": "p.go(11)", "gate": "p.orderSelect.value = 'serial';"
                            " p.orderSelect.dispatchEvent(new Event('change')); p.go(41)", "end": "p.go(9999)"},
        "22-overlap": {"ran": "p.go(18)", "wrong": "root.querySelector('[data-gate=kernel]').click(); p.orderSelect.value = 'newest';"
                       " p.orderSelect.dispatchEvent(new Event('change')); p.leap(s => s.races && s.races.length)", "end": "p.go(9999)"},
    }  # fmt: skip
    for chapter in sorted(path.parent.name for path in running.ROOT.glob("[0-9][0-9]-*/README.md")):
        for moment, script in moments.get(chapter, {"middle": "p.go(Math.floor(p.steps.length / 2))"}).items():
            for name, (width, _) in WIDTHS.items():
                for scheme in ("default", "slate"):
                    shot(browser, f"{base}{chapter}/", (width, 1250), scheme,
                         f"const root = document.querySelector('.player'), p = root.player; {script}; root.scrollIntoView()",
                         folder / f"{chapter[:2]}-{moment}-{name}-{scheme}.png", ready=START)  # fmt: skip


def check(report, words):
    only = words[words.index("--only") + 1].split(",") if "--only" in words else None
    make = maker()
    launches = [one for one in make.LAUNCHES + make.QUEUES if only is None or one["chapter"][:2] in only]
    with opened(words) as (browser, base, site, spoil):
        if "--screenshots" in words:
            screenshots(browser, base, pathlib.Path(words[words.index("--screenshots") + 1]).resolve())
        for launch in launches:
            look = of_queues if launch in make.QUEUES else of_player
            wrong, seen = look(browser, base, launch)
            bytes_ = weight(site, browser)
            if bytes_ > PAGE_BYTES:
                wrong.append(f"the page is {bytes_} bytes, more than {PAGE_BYTES}")
            wrong += on_a_phone(browser, base, launch)
            if not report.failed(launch["chapter"], wrong):
                print(f"ok      {launch['chapter']}: {seen}; page {bytes_ / 1000:.0f} kB", flush=True)
            report.count("players")
        for chapter, look, spoilt in [("06", of_player, SPOILT), ("22", of_queues, SPOILT_QUEUES)]:
            launch = next((one for one in launches if one["chapter"][:2] == chapter), None)
            for what, (file, change, words_of_it) in spoilt.items() if launch else []:
                text = next(site.rglob(file)).read_text()
                assert change(text) != text, f"{what}: the change changes nothing"
                spoil[file] = change
                wrong, _ = look(browser, base, launch, quick=True)
                spoil.clear()
                report.must(f"{chapter}, {what}: noticed", any(words_of_it in text for text in wrong), f"{wrong}")
