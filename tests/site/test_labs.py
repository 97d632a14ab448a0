"""Do the laboratories of the site show what their formulas say? At many settings of their sliders, and in their tables."""

import itertools
import json
import re

import pytest

from tests.site.conftest import ROOT

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
    return pytest.approx(right, rel=0.006)


def machines():
    """Ceilings as docs/results has them: [(10^9 bytes a second, GFLOP/s)], the fastest memory first."""
    records = [json.loads(path.read_text()) for path in (ROOT / "docs/results").glob("*/record.json")]
    return sorted(((record["GB/s"], record["GFLOP/s"]) for record in records if "GB/s" in record), reverse=True)


def coalescing(stride, start=0):
    transactions = len({(start + i * stride) // 8 for i in range(32)})
    moved = 32 * transactions
    return {"transactions": transactions, "bytes moved": moved, "of them asked for": 100 * 128 / moved}


def roofline(machine, intensity):
    bytes_, flops = machines()[machine]
    return {"at most": min(flops, bytes_ * 2 ** (intensity / 4)), "ridge": flops / bytes_}


def flight(peak, flying, latency):
    rate = min(peak, flying / latency)
    return {"bytes in flight": flying, "rate": rate, "share": 100 * rate / peak}


def in_flight(machine, items, loads, width, latency):
    peak = machines()[machine][0]
    flying = round(2 ** (items / 2)) * loads * (4, 8, 16)[width]
    return {"bytes needed": peak * latency, **flight(peak, flying, latency)}


# name: the formula, the settings, and what stands in a row of the page's table: (how many cells lead to it, the others).
LABS = {
    "coalescing": (coalescing, {"stride": range(1, 17), "start": (0, 1, 3, 7)}, 1,
                   lambda stride: coalescing(int(stride)).values()),
    "roofline": (roofline, {"machine": range(3), "intensity": range(-16, 45, 5)}, 1,
                 lambda intensity: [min(machines()[0][1], machines()[0][0] * intensity)]),
    "in-flight": (in_flight, {"machine": (0, 2), "items": (0, 17, 30, 40), "loads": (1, 8), "width": (0, 2),
                              "latency": (100, 600, 1000)}, 2,
                  lambda loads, width: flight(machines()[0][0], 32768 * loads * width, 600).values()),
}  # fmt: skip


@pytest.mark.parametrize("name", LABS)
def test_numbers(page, base, name):
    formula, settings, given, of_table = LABS[name]
    page.goto(f"{base}labs/{name}/")
    for values in itertools.product(*settings.values()):
        values = dict(zip(settings, values))
        seen = page.evaluate(SET, values)
        for what, right in formula(**values).items():
            assert number(seen[what]) == shows(right), (values, what)
    rows = re.findall(r"(?m)^\| (\d.*) \|$", (ROOT / "site/labs" / f"{name}.md").read_text())
    assert rows
    for row in rows:
        cells = [number(cell) for cell in row.split(" | ") if re.match(r"[\d,.]+", cell)]
        right = list(of_table(*cells[:given]))
        assert cells[given:][: len(right)] == shows(right)
