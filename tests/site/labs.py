"""Do the laboratories of the site show what their formulas say? In headless Chromium, as `players` does it.

    python3 tests/run.py labs                       on the site that the check `site` has built, else builds it
    python3 tests/run.py labs --site FOLDER         on a site that is built already
    python3 tests/run.py labs --screenshots FOLDER  pictures too: light and dark, desk and phone

Each laboratory of site/labs/: at many settings of its sliders, its numbers are those of the formula here; the tables of
its page, which stand there without JavaScript too, have the same; a slider moves by the arrow keys and by a finger, and the
numbers with it; nothing on the console, nothing that sticks out or is too small to read on a phone; the points of
the roofline are those of docs/results/. At each run, laboratories with a mistake each must fail (SPOILT).
"""

import csv
import json
import pathlib
import re

from tests import running
from tests.site.players import problems_since
from tests.site.site_pages import LOOK, opened, shot

SET = """(values => {
  const root = document.querySelector('.lab');
  for (const [part, value] of Object.entries(values)) {
    const e = root.querySelector(`[data-part="${part}"]`);
    e.value = value;
    e.dispatchEvent(new Event(e.matches('select') ? 'change' : 'input', {bubbles: true}));
  }
  return FACTS;
})"""
FACTS = """Object.fromEntries([...document.querySelectorAll('.lab [data-fact]')].map(e => [e.dataset.fact, e.querySelector('dd').textContent]))"""


def number(text):
    return float(re.match(r"[\d,.]+", text).group().replace(",", ""))


def machines():
    """Ceilings and points as docs/results has them: {folder: (10^9 bytes a second, GFLOP/s, [(series, GFLOP/s or GB/s)])}."""
    found = {}
    for path in (running.ROOT / "docs/results").glob("*/record.json"):
        record, rates = json.loads(path.read_text()), {}
        for name in ("vectors.csv", "matmul.csv"):
            for row in list(csv.reader((path.parent / name).read_text().splitlines()))[1:]:
                if row[0][:2].isdigit() and int(row[1]) >= rates.get(row[0], (0,))[0]:
                    rates[row[0]] = int(row[1]), float(row[2]), name
        found[path.parent.name] = record["GB/s"], record["GFLOP/s"], rates, record["FLOP per byte"]
    return sorted(found.values(), key=lambda machine: -machine[0])


def coalescing(stride, start):
    segments = len({(start + i * stride) // 8 for i in range(32)})
    return {"segments": segments, "bytes moved": 32 * segments, "of them asked for": 100 * 128 / (32 * segments)}


def roofline(machine, intensity):
    bytes_, flops, *_ = machines()[machine]
    return {"at most": min(flops, bytes_ * 2 ** (intensity / 4)), "ridge": flops / bytes_}


def in_flight(machine, items, loads, width, latency):
    peak = machines()[machine][0]
    flying = round(2 ** (items / 2)) * loads * (4, 8, 16)[width]
    rate = min(peak, flying / latency)
    return {"bytes needed": peak * latency, "bytes in flight": flying, "rate": rate, "share": 100 * rate / peak}


LABS = {  # name: formula, settings, a slider
    "coalescing": (coalescing, [dict(stride=s, start=f) for s in range(1, 17) for f in (0, 1, 3, 7)], "stride"),
    "roofline": (roofline, [dict(machine=m, intensity=i) for m in range(4) for i in range(-16, 45, 5)], "intensity"),
    "in-flight": (
        in_flight,
        [dict(machine=m, items=i, loads=n, width=w, latency=t) for m in (0, 3) for i in (0, 17, 30, 40) for n in (1, 8)
         for w in (0, 2) for t in (100, 600, 1000)],
        "items",
    ),
}  # fmt: skip


def tables(name):
    """Rows of the page's table, as settings and what must stand there."""
    text = (running.ROOT / "site/labs" / f"{name}.md").read_text()
    rows = [
        [number(c) for c in re.split(r" *\| *", line)[1:-1] if re.match(r"[\d,.]+", c)]
        for line in text.splitlines()
        if re.match(r"\| [\d]", line)
    ]
    for row in rows:
        if name == "coalescing":
            yield row[1:], list(coalescing(int(row[0]), 0).values())
        elif name == "roofline":
            bytes_, flops, *_ = machines()[0]
            yield row[1:2], [min(flops, bytes_ * row[0])]
        else:
            peak, flying = machines()[0][0], 32768 * row[0] * row[1]
            rate = min(peak, flying / 600)
            yield row[2:], [flying, rate, 100 * rate / peak]


def close(shown, right):
    return abs(shown - right) <= 0.006 * abs(right)  # three digits are shown


def of_lab(browser, base, name):
    """What is wrong with a laboratory: a list of sentences; and how many settings were tried."""
    formula, settings, slider = LABS[name]
    wrong = browser.open(f"{base}labs/{name}/", 1280, 1000)
    for values in settings:
        seen = browser.run(SET.replace("FACTS", FACTS) + f"({json.dumps(values)})")
        for what, right in formula(**values).items():
            if what not in seen or not close(number(seen[what]), right):
                wrong.append(f"{values}: {what} is shown as {seen.get(what)}, where {right:.4g} is right")
    for shown, right in tables(name):
        if not all(close(a, b) for a, b in zip(shown, right, strict=True)):
            wrong.append(f"the table says {shown}, where {right} is right")
    if name == "roofline":
        for at, (_, _, rates, per_byte) in enumerate(machines()):
            browser.run(SET.replace("FACTS", "0") + f"({{machine: {at}}})")
            shown = browser.run("[...document.querySelectorAll('.lab-point title')].map(e => e.textContent)")
            right = {
                s: rate * per_byte.get(s, 0.25) if file == "vectors.csv" else rate
                for s, (_, rate, file) in rates.items()
            }
            found = {text.partition(": ")[0]: number(text.rpartition(": ")[2]) for text in shown}
            if found.keys() != right.keys() or not all(close(found[s], right[s]) for s in right):
                wrong.append(f"the points of machine {at} are {found}, where docs/results has {right}")
    say = "document.querySelector('.lab-say').textContent"
    read = f"document.querySelector('[data-part={slider}]').value + '{{' + {say}"
    before = browser.run(read)
    browser.run(f"document.querySelector('[data-part={slider}]').focus()")
    for key, code in (("ArrowLeft", 37), ("ArrowLeft", 37)):
        browser.send("Input.dispatchKeyEvent", type="rawKeyDown", key=key, code=key, windowsVirtualKeyCode=code)
        browser.send("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)
    after = browser.run(read)
    wrong += (
        ["the arrow keys do not move it"]
        if after == before or after.partition("{")[2] == before.partition("{")[2]
        else []
    )
    wrong += browser.open(f"{base}labs/{name}/", 360, 800)
    look = browser.run(f"{LOOK}(360)")
    wrong += [f"phone: sticks out to the right: {look['wide']}"] if look["wide"] is not None else []
    wrong += [f"phone: small text: {text}" for text in look["small"]]
    before = browser.run(read)
    x, y = browser.run(f"(() => {{ const e = document.querySelector('[data-part={slider}]'); e.scrollIntoView({{block: 'center'}});"
                       " const r = e.getBoundingClientRect(); return [r.left + 0.8 * r.width, r.top + r.height / 2]; })()")  # fmt: skip
    browser.send("Input.synthesizeTapGesture", x=x, y=y, gestureSourceType="touch")
    browser.run("new Promise(done => setTimeout(done, 100))")
    after = browser.run(read)
    wrong += ["phone: a finger does not move it"] if after.partition("{")[2] == before.partition("{")[2] else []
    return wrong + problems_since(browser), len(settings)


SPOILT = {
    "a segment of 16 floats": ("coalescing.js", "coalescing", lambda text: text.replace("FLOATS = 8", "FLOATS = 16"), "is shown as"),
    "a roof that is the larger of the two": ("roofline.js", "roofline", lambda text: text.replace("most = Math.min", "most = Math.max"), "is shown as"),
    "half the latency": ("in-flight.js", "in-flight", lambda text: text.replace("flying / latency", "2 * flying / latency"), "is shown as"),
    "a slider that nobody hears": (
        "lab.js",
        "coalescing",
        lambda text: text.replace("set(); redraw(); });", "set(); });"),
        "do not move it",
    ),
    "a finger that is not felt": ("labs.css", "coalescing", lambda text: text + ".lab input { pointer-events: none }", "a finger does not move it"),
    "another machine's points": ("machines.js", "roofline", lambda text: text.replace('"08 naive", ', '"09 naive", '), "the points of machine"),
}  # fmt: skip


def screenshots(browser, base, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in LABS:
        for width in (360, 1280):
            for scheme in ("default", "slate"):
                shot(browser, f"{base}labs/{name}/", (width, 1100), scheme,
                     "document.querySelector('.lab').scrollIntoView()", folder / f"lab-{name}-{width}-{scheme}.png")  # fmt: skip


def check(report, words):
    pages = {path.stem for path in (running.ROOT / "site/labs").glob("*.md")}
    report.must("each page of site/labs has its formula here", pages == set(LABS), f"{sorted(pages)}, {sorted(LABS)}")
    with opened(words) as (browser, base, site, spoil):
        if "--screenshots" in words:
            screenshots(browser, base, pathlib.Path(words[words.index("--screenshots") + 1]).resolve())
        for name in sorted(LABS):
            wrong, tried = of_lab(browser, base, name)
            if not report.failed(name, wrong[:20]):
                print(f"ok      {name}: {tried} settings", flush=True)
            report.count("laboratories")
        for what, (file, name, change, words_of_it) in SPOILT.items():
            text = (site / "labs" / file).read_text()
            assert change(text) != text, f"{what}: the change changes nothing"
            spoil[f"labs/{file}"] = change
            wrong, _ = of_lab(browser, base, name)
            spoil.clear()
            report.must(f"{what}: noticed", any(words_of_it in text for text in wrong), json.dumps(wrong[:3]))
