"""Can everybody use the site? axe-core on whole pages, and a chapter by keyboard alone, in headless Chromium.

    python3 tests/run.py accessible                  on the site that the check `site` has built, else builds it
    python3 tests/run.py accessible --site FOLDER    on a site that is built already

PAGES has one of every kind: on each, axe-core's rules of WCAG 2.2, A and AA, and its best practices find nothing, at 360,
768 and 1280 pixels, light and dark, players and laboratories running. Then, with no other keys than Tab, Space, Enter and
the arrows: from the top of chapter 06 every control of its player is reached, seen, and does what it says, nothing holds
the keyboard, and Enter on the last link leads to the next page. At each run, sites with a mistake each must fail (SPOILT).

axe-core comes from the package of PyPI that AXE names, for its one file; without a network it is skipped by name.
"""

import json
import subprocess
import sys
import time
import zipfile

from tests import running
from tests.site.players import START
from tests.site.site_pages import opened

AXE = "axe-playwright-python==0.1.8"  # brings axe-core 4.12.1
PAGES = {
    "the landing page": "",
    "a chapter with a player": "06-dot-product-reduction/",
    "an exercise": "06-dot-product-reduction/exercises/1-missing-barrier/",
    "the first steps": "docs/start/",
    "a page to look things up": "docs/concepts/",
    "a page with plots and wide tables": "docs/results/h200/",
    "a teacher's page": "docs/teaching/",
    "a laboratory": "labs/coalescing/",
    "a listing": "06-dot-product-reduction/kernel.cl/",
}
WIDTHS = (360, 768, 1280)
SCHEMES = ("default", "slate")
RULES = """(async () => {
  const found = await axe.run(document, {resultTypes: ['violations'], rules: {'color-contrast-enhanced': {enabled: false}}});
  return found.violations.map(v => `${v.id}: ${v.nodes.length} times, ${v.nodes[0].target.join(' ')}: ` +
    (v.nodes[0].any.concat(v.nodes[0].all, v.nodes[0].none)[0] || {message: v.help}).message.slice(0, 160));
})()"""
AT = """(() => {
  const e = document.activeElement, s = getComputedStyle(e);
  const next = e.nextElementSibling; // what is shown in place of a hidden box
  const label = e.matches('[type=radio], [type=checkbox]') ? (next && next.matches('label') ? next : (e.labels || [])[0]) : null;
  const beside = getComputedStyle(label || e), r = (label || e).getBoundingClientRect();
  const on = document.elementFromPoint(r.left + Math.min(r.width, 40) / 2, r.top + Math.min(r.height, 20) / 2);
  return {name: e.getAttribute('aria-label') || (e.closest('label') || e).textContent.trim().slice(0, 40), tag: e.tagName,
    player: !!e.closest('.player'), footer: e.matches('.md-footer__link--next'), line: e.dataset.line || '', href: e.href || '',
    ring: [s, beside].some(s => s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2),
    seen: r.bottom > 0 && r.top < innerHeight && r.width * r.height > 0 && (!on || e.contains(on) || on.contains(e) || !!on.closest('label'))};
})()"""
CODES = {"Tab": 9, "Enter": 13, " ": 32, "ArrowRight": 39, "ArrowLeft": 37, "End": 35, "Home": 36, "ArrowDown": 40}


def axe(report):
    """The text of axe.min.js, fetched once into build/site/."""
    folder = running.ROOT / "build" / "site" / ("axe-" + AXE.rpartition("=")[2])
    if not (folder / "axe.min.js").exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--only-binary",
            ":all:",
            "-d",
            folder,
            AXE,
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        wheels = list(folder.glob("*.whl"))
        if done.returncode != 0 or not wheels:
            raise running.Skip(f"axe-core cannot be had ({AXE} from PyPI): {done.stderr.strip()[-200:]}")
        with zipfile.ZipFile(wheels[0]) as wheel:
            name = next(n for n in wheel.namelist() if n.endswith("/axe.min.js"))
            (folder / "axe.min.js").write_bytes(wheel.read(name))
    return (folder / "axe.min.js").read_text()


def by_rules(browser, url, script, widths=WIDTHS, schemes=SCHEMES):
    """What axe-core finds on a page: a list of sentences."""
    wrong = browser.open(url, widths[-1], 900)
    browser.run(
        "document.querySelector('.player') ? " + START.replace("'there is no player on the page'", "null") + " : null"
    )
    browser.run("new Promise(done => setTimeout(done, 300))")
    browser.run(script + "; 0")
    browser.run("document.head.append(Object.assign(document.createElement('style'), {textContent:"
                " '*{transition:none !important;animation:none !important}'})); scrollTo(0, 0)")  # fmt: skip
    for width in reversed(widths):
        browser.resize(width, 900)
        for scheme in schemes:
            browser.run(
                f"document.body.setAttribute('data-md-color-scheme', '{scheme}'); new Promise(done => setTimeout(done, 60))"
            )
            wrong += [f"{width} pixels, {scheme}: {text}" for text in browser.run(RULES)]
    return wrong


def press(browser, key):
    text = {"Enter": "\r", " ": " "}.get(key)
    code = "Space" if key == " " else key
    common = dict(key=key, code=code, windowsVirtualKeyCode=CODES[key])
    browser.send(
        "Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **common, **({"text": text} if text else {})
    )
    browser.send("Input.dispatchKeyEvent", type="keyUp", **common)


def by_keyboard(browser, base, chapter="06-dot-product-reduction/"):
    """What somebody without a mouse meets on a chapter with a player: a list of sentences."""
    wrong = browser.open(base + chapter, 1280, 900)
    started = browser.run(START)
    if started:
        return [started]
    browser.run("scrollTo(0, 0)")
    browser.send("Page.bringToFront")
    player = "document.querySelector('.player').player"
    stops, names, worked = [], [], {}
    for _ in range(400):
        press(browser, "Tab")
        at = browser.run(AT)
        stops.append(at)
        if not at["ring"]:
            wrong.append(f"{at['tag']} {at['name']!r} has the keyboard, and nothing shows it")
        if not at["seen"]:
            wrong.append(f"{at['tag']} {at['name']!r} has the keyboard, and cannot be seen")
        if at["player"]:
            names.append(at["name"])
            before = browser.run(f"{player}.at")
            if at["name"] == "one step forward":
                press(browser, "Enter")
                worked["a step by Enter"] = browser.run(f"{player}.at") == before + 1
                press(browser, "ArrowRight")
                worked["a step by the right arrow"] = browser.run(f"{player}.at") == before + 2
                press(browser, "ArrowLeft")
                worked["a step back by the left arrow"] = browser.run(f"{player}.at") == before + 1
            elif at["name"].endswith("Play"):
                press(browser, " ")
                worked["play by Space"] = browser.run(f"!!{player}.timer")
                press(browser, " ")
                worked["pause by Space"] = browser.run(f"!{player}.timer")
            elif at["line"]:
                press(browser, " ")
                worked[f"the barrier of line {at['line']} out by Space"] = browser.run(
                    f"{player}.options.without.includes({at['line']})"
                )
                press(browser, " ")
            elif at["name"] == "step":
                press(browser, "End")
                worked["to the end on the slider"] = browser.run(f"{player}.at === {player}.steps.length - 1")
                press(browser, "Home")
        if at["footer"]:
            break
    else:
        return wrong + [f"Tab does not reach the next page in {len(stops)} steps; it was last at {stops[-1]['name']!r}"]
    barriers = browser.run(f"{player}.barriers.length")
    wanted = browser.run("[...document.querySelectorAll('.player button, .player select, .player input, .player summary')]"
                         ".filter(e => e.checkVisibility()).length")  # fmt: skip
    inside = sum(stop["player"] for stop in stops)
    if inside < wanted:
        wrong.append(f"Tab reaches {inside} of the player's {wanted} controls")
    if len(worked) < 6 + barriers:
        wrong.append(f"of what the player can do the keyboard reaches only: {', '.join(worked)}")
    wrong += [f"{what}: it does nothing" for what, done in worked.items() if not done]
    target = stops[-1]["href"]
    browser.events = []
    press(browser, "Enter")
    for _ in range(100):  # asked of the browser, since the page may be gone
        time.sleep(0.1)
        try:
            history = browser.send("Page.getNavigationHistory")
        except SystemExit:  # between two pages
            continue
        if history["entries"][history["currentIndex"]]["url"] == target:
            # To its end: the next open() would take this page's load for its own.
            while not any(e.get("method") == "Page.loadEventFired" for e in browser.events):
                browser.events.append(browser.receive())
            break
    else:
        wrong.append("Enter on the link to the next page does not lead there")
    return list(dict.fromkeys(wrong))


def after(end, new):
    return lambda text: text.replace(end, new + end, 1)


SPOILT = {  # file or end of a path, change, by the rules or by keyboard, what must be said
    "a picture without words": ("index.html", after("</article>", '<img src="../docs/figures/memory.svg">'), "rules", "image-alt"),
    "pale text": ("extra.css", lambda text: text + ".md-typeset p { color: #999 }", "rules", "color-contrast"),
    "a link by colour alone": (
        "extra.css",
        lambda text: text + ".md-typeset a { text-decoration: none !important }",
        "rules",
        "link-in-text-block",
    ),
    "a search without a name": ("index.html", lambda text: text.replace('aria-label="Search"', ""), "rules", "aria-dialog-name"),
    "no ring around what has the keyboard": (
        "extra.css",
        lambda text: text + ":focus, :focus-visible { outline: none !important }",
        "keyboard",
        "nothing shows it",
    ),
    "a control that Tab passes by": (
        "player.js",
        lambda text: text.replace('"data-line": line', '"data-line": line, tabindex: -1'),
        "keyboard",
        "of the player's",
    ),
    "keys that do nothing": ("frame.js", lambda text: text.replace("ArrowRight: this.at + 1", "ArrowRight: this.at"), "keyboard", "by the right arrow: it does nothing"),
    "a player that holds the keyboard": (
        "frame.js",
        lambda text: text.replace("if (to === undefined &&", 'if (event.key === "Tab") event.preventDefault(); if (to === undefined &&'),
        "keyboard",
        "does not reach the next page",
    ),
}  # fmt: skip


def check(report, words):
    script = axe(report)  # first: without a network nothing has to be built to say so
    with opened(words) as (browser, base, site, spoil):
        for what, page in PAGES.items():
            if not report.failed(what, by_rules(browser, base + page, script)):
                print(f"ok      {what}: nothing at {len(WIDTHS)} widths, light and dark", flush=True)
            report.count("pages")
        if not report.failed("by keyboard", by_keyboard(browser, base)):
            print("ok      by keyboard through chapter 06", flush=True)
        for what, (file, change, how, words_of_it) in SPOILT.items():
            chapter = "docs/concepts/" if "link" in words_of_it else "06-dot-product-reduction/"
            path = site / chapter / file if file.endswith(".html") else next(site.rglob(file))
            chapter += "index.html" * file.endswith(".html")
            text = path.read_text()
            assert change(text) != text, f"{what}: the change changes nothing"
            spoil[str(path)] = change
            wrong = (
                by_keyboard(browser, base)
                if how == "keyboard"
                else by_rules(browser, base + chapter, script, (1280,), ("default",))
            )
            spoil.clear()
            report.must(f"{what}: noticed", any(words_of_it in text for text in wrong), json.dumps(wrong[:4]))
