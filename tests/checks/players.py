"""Steps through every player of the site in headless Chromium.

    python3 tests/run.py players                        on the site that the check `site` has built, else builds it
    python3 tests/run.py players --site FOLDER          on a site that is built already
    python3 tests/run.py players --only 06,09           these chapters' players only
    python3 tests/run.py players --screenshots FOLDER   pictures at telling moments too: light and dark, desk and phone

Each player: it makes the accesses that Oclgrind recorded, all of them, and no other; stepped to its end, by buttons
and by keyboard, it shows the kernel's result, computed here from the launch's inputs; in each order its counters end
at the chapter's costs() for that launch, with no data race; back at the beginning it looks as before; with each
barrier taken out there are races, and in some order a wrong result or work-items that wait for ever; put back, the
result is right again. Nothing on the console, no other host, nothing that sticks out or is too small to read on a
phone, a page of at most 300 kB. At each run, players with a mistake each must fail (SPOILT).
"""

import functools
import http.server
import json
import pathlib
import subprocess
import threading

import facts
import harness
from checks.recordings import maker
from checks.site import LOOK, PAGE_BYTES, Browser, browser_program, weight

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


def serve(site, spoil):
    """A server of a folder; `spoil`: {end of a path: function of the text}, asked at each request."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            path = pathlib.Path(self.translate_path(self.path))
            change = next((f for end, f in spoil.items() if str(path).endswith(end)), None)
            if change is None:
                return super().do_GET()
            text = path.read_text()
            data = change(text).encode()
            self.send_response(200)
            self.send_header("Content-Type", self.guess_type(str(path)))
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(data)

        def end_headers(self):
            self.send_header("Cache-Control", "no-store")
            super().end_headers()

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(site)))
    server.handle_error = lambda *_: None  # a page that was left while it was sent
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def of_player(browser, base, launch, quick=False):
    """What is wrong with the player of a launch: a list of sentences; and what was seen, to print."""
    chapter = launch["chapter"]
    costs = next(c for kernel, c in facts.of(chapter).costs(**launch["costs"]) if kernel == launch["kernel"])
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
    wrong = []
    for event in browser.events:
        method, params = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            wrong.append("exception: " + json.dumps(params["exceptionDetails"])[:300])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            wrong.append("console: " + json.dumps([a.get("description", a.get("value")) for a in params["args"]])[:300])
        elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(
            ("http://127.0.0.1", "data:", "blob:")
        ):
            wrong.append("asks another server: " + params["request"]["url"])
    browser.events = []
    return wrong


def on_a_phone(browser, base, launch):
    wrong = browser.open(f"{base}{launch['chapter']}/", *WIDTHS["phone"])
    started = browser.run(START)
    if started:
        return [started]
    browser.run("document.querySelector('.player').player.go(9)")
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
        "player.js",
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
    }  # fmt: skip
    for chapter in sorted(path.parent.name for path in harness.ROOT.glob("[0-9][0-9]-*/README.md")):
        for moment, script in moments.get(chapter, {"middle": "p.go(Math.floor(p.steps.length / 2))"}).items():
            for name, (width, _) in WIDTHS.items():
                for scheme in ("default", "slate"):
                    browser.open(f"{base}{chapter}/", width, 1250)
                    if browser.run("!document.querySelector('.player')") or browser.run(START):
                        continue
                    browser.run(
                        f"document.body.setAttribute('data-md-color-scheme', '{scheme}');"
                        f"(() => {{ const root = document.querySelector('.player'), p = root.player; {script}; root.scrollIntoView();"
                        " scrollBy(0, -60); return new Promise(done => setTimeout(done, 300)); })()"
                    )
                    browser.screenshot(folder / f"{chapter[:2]}-{moment}-{name}-{scheme}.png")


def check(report, words):
    program = browser_program()
    site = harness.ROOT / "build" / "site" / "out"
    if "--site" in words:
        site = pathlib.Path(words[words.index("--site") + 1]).resolve()
    elif not site.is_dir():
        subprocess.run([harness.ROOT / "docs" / "site" / "build.sh", site], check=True)
    only = words[words.index("--only") + 1].split(",") if "--only" in words else None
    launches = [one for one in maker().LAUNCHES if only is None or one["chapter"][:2] in only]
    spoil = {}
    server = serve(site, spoil)
    base = f"http://127.0.0.1:{server.server_port}/"
    browser = Browser(program)
    try:
        if "--screenshots" in words:
            screenshots(browser, base, pathlib.Path(words[words.index("--screenshots") + 1]).resolve())
        for launch in launches:
            wrong, seen = of_player(browser, base, launch)
            bytes_ = weight(site, browser)
            if bytes_ > PAGE_BYTES:
                wrong.append(f"the page is {bytes_} bytes, more than {PAGE_BYTES}")
            wrong += on_a_phone(browser, base, launch)
            if not report.failed(launch["chapter"], wrong):
                print(f"ok      {launch['chapter']}: {seen}; page {bytes_ / 1000:.0f} kB", flush=True)
            report.count("players")
        launch = next((one for one in launches if one["chapter"][:2] == "06"), None)
        for what, (file, change, words_of_it) in SPOILT.items() if launch else []:
            text = next(site.rglob(file)).read_text()
            assert change(text) != text, f"{what}: the change changes nothing"
            spoil[file] = change
            wrong, _ = of_player(browser, base, launch, quick=True)
            spoil.clear()
            report.must(f"{what}: noticed", any(words_of_it in text for text in wrong), f"{wrong}")
    finally:
        browser.close()
        server.shutdown()
