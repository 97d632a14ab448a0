"""Do the laboratories of the site show what their formulas say? At many settings of their sliders, and in their tables."""

import csv
import json
import math
import re

import pytest

from tests.site.conftest import ROOT
from tests.site.test_pages import LOOK

SET = """values => {
  const root = document.querySelector('.lab');
  for (const [part, value] of Object.entries(values)) {
    const e = root.querySelector(`[data-part="${part}"]`);
    e.value = value;
    e.dispatchEvent(new Event(e.matches('select') ? 'change' : 'input', {bubbles: true}));
  }
  return Object.fromEntries([...root.querySelectorAll('[data-fact]')].map(e => [e.dataset.fact, e.querySelector('dd').textContent]));
}"""


def number(text):
    return float(re.match(r"[\d,.]+", text).group().replace(",", ""))


def shows(right):
    """Three digits are shown."""
    return pytest.approx(right, rel=0.006)


def machines():
    """Ceilings and points as docs/results has them: [(10^9 bytes a second, GFLOP/s, {series: GFLOP/s})]."""
    found = []
    for path in (ROOT / "docs/results").glob("*/record.json"):
        record, rates = json.loads(path.read_text()), {}
        if "GB/s" not in record:
            continue
        for name in ("vectors.csv", "matmul.csv"):
            for series, size, rate, *_ in list(csv.reader((path.parent / name).read_text().splitlines()))[1:]:
                if series[:2].isdigit() and int(size) >= rates.get(series, (0,))[0]:
                    work = record["FLOP per byte"].get(series, 0.25) if name == "vectors.csv" else 1
                    rates[series] = int(size), float(rate) * work
        found.append((record["GB/s"], record["GFLOP/s"], {series: rate for series, (_, rate) in rates.items()}))
    return sorted(found, key=lambda machine: -machine[0])


def coalescing(stride, start):
    segments = len({(start + i * stride) // 8 for i in range(32)})
    return {"segments": segments, "bytes moved": 32 * segments, "of them asked for": 100 * 128 / (32 * segments)}


def roofline(machine, intensity):
    bytes_, flops, _ = machines()[machine]
    return {"at most": min(flops, bytes_ * 2 ** (intensity / 4)), "ridge": flops / bytes_}


def in_flight(machine, items, loads, width, latency):
    peak = machines()[machine][0]
    flying = round(2 ** (items / 2)) * loads * (4, 8, 16)[width]
    rate = min(peak, flying / latency)
    return {"bytes needed": peak * latency, "bytes in flight": flying, "rate": rate, "share": 100 * rate / peak}


LABS = {  # name: formula, settings, a slider
    "coalescing": (coalescing, [dict(stride=s, start=f) for s in range(1, 17) for f in (0, 1, 3, 7)], "stride"),
    "roofline": (roofline, [dict(machine=m, intensity=i) for m in range(3) for i in range(-16, 45, 5)], "intensity"),
    "in-flight": (
        in_flight,
        [dict(machine=m, items=i, loads=n, width=w, latency=t) for m in (0, 2) for i in (0, 17, 30, 40) for n in (1, 8)
         for w in (0, 2) for t in (100, 600, 1000)],
        "items",
    ),
}  # fmt: skip


def table(name):
    """Rows of the page's table: what stands there, and what must."""
    for line in re.findall(r"(?m)^\| \d.*$", (ROOT / "site/labs" / f"{name}.md").read_text()):
        row = [number(cell) for cell in re.split(r" *\| *", line)[1:-1] if re.match(r"[\d,.]+", cell)]
        if name == "coalescing":
            yield row[1:], list(coalescing(int(row[0]), 0).values())
        elif name == "roofline":
            bytes_, flops, _ = machines()[0]
            yield row[1:2], [min(flops, bytes_ * row[0])]
        else:
            peak, flying = machines()[0][0], 32768 * row[0] * row[1]
            rate = min(peak, flying / 600)
            yield row[2:], [flying, rate, 100 * rate / peak]


@pytest.mark.parametrize("name", LABS)
def test_numbers(page, base, name):
    formula, settings, slider = LABS[name]
    page.goto(f"{base}labs/{name}/")
    for values in settings:
        seen = page.evaluate(SET, values)
        for what, right in formula(**values).items():
            assert number(seen[what]) == shows(right), (values, what)
    rows = list(table(name))
    assert rows
    for shown, right in rows:
        assert shown == shows(right)
    said = page.locator(".lab-say").inner_text()
    page.locator(f"[data-part={slider}]").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.locator(".lab-say").inner_text() != said, "the arrow keys do not move it"


def test_points_of_the_roofline(page, base):
    """Each lies where it was measured, and has its words."""
    page.goto(f"{base}labs/roofline/")
    for at, (bytes_, flops, right) in enumerate(machines()):
        page.evaluate(SET, {"machine": at, "intensity": 0})
        shown = page.evaluate(
            "[...document.querySelectorAll('.lab-point')].map(e => [e.querySelector('title').textContent, e.cy.baseVal.value])"
        )
        found = {text.partition(": ")[0]: number(text.partition(": ")[2]) for text, _ in shown}
        assert found == {series: shows(rate) for series, rate in right.items()}
        # On a logarithmic axis: as far apart as the logarithms, by the roof's own ends.
        level = page.evaluate("document.querySelector('.lab-roof').getAttribute('d').match(/[\\d.]+/g).map(Number)")
        slope = (level[1] - level[3]) / math.log10(flops / (bytes_ * 2**-4))
        for text, y in shown:
            rate = right[text.partition(": ")[0]]
            assert y == pytest.approx(level[3] + slope * math.log10(flops / rate), abs=1), text


@pytest.mark.parametrize("name", LABS)
def test_on_a_phone(opened, base, name):
    slider = LABS[name][2]
    page = opened(viewport={"width": 360, "height": 800}, is_mobile=True, has_touch=True)
    page.goto(f"{base}labs/{name}/")
    assert page.evaluate(LOOK, 360) == []
    said, control = page.locator(".lab-say").inner_text(), page.locator(f"[data-part={slider}]")
    control.tap(position={"x": 0.8 * control.bounding_box()["width"], "y": 10})
    assert page.locator(".lab-say").inner_text() != said, "a finger does not move it"
