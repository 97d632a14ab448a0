"""Every page of the site: it opens, fits, can be read and used by everybody, and is found.

That links and their anchors lead somewhere is seen by `mkdocs build --strict`, which site/build.sh runs.
"""

import json
import re

import pytest

from tests.site.conftest import ROOT

WIDTHS = (1280, 768, 390)
# A page of each kind, for what takes long.
KINDS = {
    "the landing page": "",
    "a chapter with a player": "06-dot-product-reduction/",
    "a chapter with queues": "22-overlap/",
    "an exercise": "06-dot-product-reduction/exercises/1-missing-barrier/",
    "the first steps": "docs/start/",
    "a page to look things up": "docs/concepts/",
    "plots and wide tables": "docs/results/h200/",
    "a teacher's page": "docs/teaching/",
    "a laboratory": "labs/coalescing/",
    "listings in two languages": "docs/gpu/",
    "a listing": "06-dot-product-reduction/kernel.cl/",
}
# What people type, and the page it leads to: docs/errors.md#cl_invalid_value is docs/errors/.
SEARCHES = {}
for line in (ROOT / "tests/site/questions.txt").read_text().splitlines()[1:]:
    question, to = map(str.strip, line.split("|")[:2])
    SEARCHES[question] = re.sub(r"(README)?\.md(#.*)?$", "/", to).replace("//", "/")
LESSONS = sorted(path.parent.name for path in ROOT.glob("[0-9][0-9]-*/README.md"))
LISTING = re.compile(r"\.(cl|cpp|h|py|txt|cmake|sh|json)/")

# What sticks out, or cannot be read, at a width.
LOOK = """width => { // not innerWidth: on a phone that grows with what is too wide
  const wrong = [], seen = e => e.getClientRects().length, article = document.querySelector('article') || document.body;
  if (document.documentElement.scrollWidth > width + 1)
    wrong.push('sticks out to the right: ' + [...article.querySelectorAll('*')].filter(e => !e.closest('pre, table, :has(> img)')
      && e.getBoundingClientRect().left + Math.max(e.scrollWidth, e.getBoundingClientRect().width) > width + 1)
      .slice(0, 3).map(e => e.tagName + ' ' + e.textContent.slice(0, 60)));
  for (const i of document.images) if (seen(i) && !i.naturalWidth) wrong.push('no picture: ' + i.src);
  if (!article.querySelector('h1')) wrong.push('no heading');
  if ([...article.querySelectorAll('p')].some(p => p.textContent.includes('```'))) wrong.push('a fence is left in the text');
  const words = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  for (let t = words.nextNode(); t; t = words.nextNode()) {
    const e = t.parentElement, px = parseFloat(getComputedStyle(e).fontSize);
    if (t.data.trim() && seen(e) && !e.closest('.headerlink, .md-source-file, script, style, svg')
        && px < (e.matches('p, li') && !e.closest('table') ? 14 : 12))
      { wrong.push(`small, ${px.toFixed(1)} px: ` + t.data.trim().slice(0, 40)); break; }
  }
  return wrong;
}"""


def pages(site):
    """All pages but the listings, of which only one of a kind needs a look."""
    found = sorted(str(path.parent.relative_to(site)) + "/" for path in site.rglob("index.html"))
    return [page.removeprefix("./") for page in found if not LISTING.search(page)]


def show(page, address, scheme="default"):
    page.goto(address)
    page.evaluate(f"document.body.setAttribute('data-md-color-scheme', '{scheme}')")
    page.evaluate("document.querySelectorAll('img').forEach(i => i.loading = 'eager');"
                  " Promise.all([...document.images].map(i => i.decode().catch(() => 0)))")  # fmt: skip


def test_pages_fit(page, site, base):
    wrong = []
    for name in [*pages(site), KINDS["a listing"], "404.html"]:
        page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        show(page, base + name)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            wrong += [f"{name or 'landing page'}, {width} px: {what}" for what in page.evaluate(LOOK, width)]
    assert not wrong


def test_chapters(page, base):
    """In colours; at 1280 pixels no listing is cut: what may be wider is what a program prints."""
    assert LESSONS
    for lesson in LESSONS:
        show(page, f"{base}{lesson}/")
        if page.locator(".language-opencl", has_text="__kernel").count():  # 20 and 24 show none
            assert page.locator(".language-opencl .k").count(), f"{lesson}: OpenCL C has no colours"
        cut = "e => e.scrollWidth > e.clientWidth + 1"
        assert not page.evaluate(
            f"[...document.querySelectorAll('article pre > code')].filter({cut}).map(e => e.textContent)"
        )


def test_listings_in_cuda(page, site, base):
    left = r"__(?:kernel|global|local|attribute__)\b|\bget_\w+|\bCLK_\w+|\bulong\b|work-item"
    names = [name.parent.relative_to(site) for name in site.rglob("index.html") if "language-cuda" in name.read_text()]
    assert len(names) > 1
    for name in names:
        page.goto(f"{base}{name}/")
        page.locator(".tabbed-labels label", has_text="CUDA").first.click()  # one for all
        shown = page.locator(".language-cuda:visible").all_inner_texts()
        assert shown and not page.locator(".language-opencl:visible").count(), name
        assert not re.findall(left, "".join(shown)), name


@pytest.mark.parametrize("scheme", ["default", "slate"])
@pytest.mark.parametrize("kind", KINDS)
def test_everybody_can_use_it(page, base, kind, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="site/test.sh has axe").Axe()
    show(page, base + KINDS[kind], scheme)
    page.add_style_tag(content="* { transition: none !important; animation: none !important }")
    if page.locator(".player").count():
        page.locator(".player").scroll_into_view_if_needed()
        page.wait_for_function("document.querySelector('.player').player")
    for width in WIDTHS[::-1] if scheme == "default" else WIDTHS[:1]:  # what is dark is so at each width
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(100)
        found = axe.run(page, options={"resultTypes": ["violations"]})
        assert not found.violations_count, f"{width} px: {found.generate_report()}"


@pytest.mark.parametrize("name", ["", "06-dot-product-reduction/", KINDS["an exercise"]])
def test_without_javascript(opened, base, name):
    page = opened(java_script_enabled=False)
    page.goto(base + name)
    assert len(page.locator("article").inner_text()) > 500
    assert page.locator("article a:visible").count() >= 4
    assert not page.locator(".player:visible, .lab:visible").count(), "an empty box"
    for hint in page.locator("details.hint").all():
        hint.locator("summary").click()
        assert hint.locator("p").is_visible()


@pytest.mark.parametrize("half", [0, 1])
def test_search(page, base, half):
    page.goto(base)
    query, hits = page.locator("[data-md-component=search-query]"), page.locator(".md-search-result__link")
    wrong = []
    for word in list(SEARCHES)[half::2]:
        for text in ["", word]:
            query.fill(text)
            query.press("End")  # the theme listens to keys
            hits.first.wait_for(state="attached" if text else "detached")
        found = [link.removeprefix(base) for link in hits.evaluate_all("all => all.map(a => a.href)")]
        pages_found = list(dict.fromkeys(re.match(r"[^?#]*", link).group() for link in found))[:3]
        wrong += [f"{word}: {pages_found}, not {SEARCHES[word]}"] * (SEARCHES[word] not in pages_found)
        wrong += [f"{word}: a listing first: {found[0]}"] * bool(LISTING.search(found[0]))
    assert not wrong


# Each text: within the figure, and of enough contrast against what is painted below its middle, as WCAG computes it.
LEGIBLE = """() => {
  const parse = c => (c.match(/[\\d.]+/g) || []).map(Number), s = document.documentElement.getBoundingClientRect();
  const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  return [...document.querySelectorAll('text')].filter(t => t.textContent.trim()).map(t => {
    const r = t.getBoundingClientRect(), ink = parse(getComputedStyle(t).fill);
    const below = document.elementsFromPoint(r.left + r.width / 2, r.top + r.height / 2).map(e => [e, getComputedStyle(e)])
      .find(([e, s]) => !e.closest('text') && e.ownerSVGElement && s.fill !== 'none' && (parse(s.fill)[3] ?? 1) > 0.5 && parseFloat(s.fillOpacity) > 0.5);
    const [a, b] = below ? [light(ink.slice(0, 3)), light(parse(below[1].fill).slice(0, 3))] : [0, 0];
    return [t.textContent, r.left < s.left + 3 || r.right > s.right - 3 || r.top < s.top + 2 || r.bottom > s.bottom - 2 ? 'cut off' :
      parseFloat(t.getAttribute('font-size')) < 11 ? 'small' : (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5 ? 'pale' : ''];
  }).filter(([, wrong]) => wrong).map(([text, wrong]) => `${wrong}: ${text}`);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_are_legible(opened, site, base, scheme):
    page = opened(color_scheme=scheme, viewport={"width": 1400, "height": 1200})
    figures = [path for path in site.rglob("*.svg") if "assets" not in path.parts]
    assert figures
    wrong = []
    for path in figures:
        page.goto(base + str(path.relative_to(site)))
        wrong += [f"{path.name}: {what}" for what in page.evaluate(LEGIBLE)]
        if page.evaluate("document.getAnimations().length") and not path.stem.endswith("-moving"):
            wrong.append(f"{path.name} moves, and a reader of the page cannot stop it")
    assert not wrong


def test_by_keyboard(page, base):
    """From the top of a chapter with a player to the next page: every stop is seen, every control is reached."""
    page.goto(f"{base}06-dot-product-reduction/")
    page.locator(".player").scroll_into_view_if_needed()
    page.wait_for_function("document.querySelector('.player').player")
    page.evaluate("scrollTo(0, 0)")
    reached, wrong = set(), []
    for _ in range(400):
        page.keyboard.press("Tab")
        at = page.evaluate("""() => {
          const e = document.activeElement, next = e.nextElementSibling, r = e.getBoundingClientRect();
          const label = e.matches('[type=radio], [type=checkbox]') ? (next && next.matches('label') ? next : (e.labels || [])[0]) : null;
          return {name: e.getAttribute('aria-label') || e.textContent.trim().slice(0, 30), player: !!e.closest('.player'),
            end: e.matches('.md-footer__link--next') && e.href, number: [...document.querySelectorAll('.player *')].indexOf(e),
            ring: [e, label || e].some(x => getComputedStyle(x).outlineStyle !== 'none' && parseFloat(getComputedStyle(x).outlineWidth) >= 2),
            inside: (label || e).getBoundingClientRect().bottom > 0 && r.top < innerHeight};
        }""")  # fmt: skip
        wrong += [] if at["ring"] and at["inside"] else [f"{at['name']!r} has the keyboard, and nothing shows it"]
        if at["player"]:
            reached.add(at["number"])
        if at["end"]:
            break
    assert at["end"] and not wrong, json.dumps([at, *wrong])
    controls = page.evaluate("[...document.querySelectorAll('.player :is(button, select, input, summary)')]"
                             ".filter(e => e.checkVisibility() && !e.disabled).length")  # fmt: skip
    assert len(reached) >= controls > 8
    page.locator(".player-skip").press("Enter")
    page.keyboard.press("Tab")
    behind = "document.querySelector('.player').compareDocumentPosition(document.activeElement)"
    assert page.evaluate(behind) == 4
    page.locator(".md-footer__link--next").press("Enter")
    page.wait_for_url(at["end"])
