"""The slides and sheets of tools/lecture/, made from the lessons as they stand, and looked at in Chromium.

    python3 tests/run.py slides 06                a chapter's slides; 00: the sheets
    python3 tests/run.py slides 06 pictures       also writes them as a picture, build/lecture/06.png

Every figure of a lesson is on a slide, and every line of its listings and outputs; no slide holds more than fits; no
letter is smaller than can be read from the last row; a figure is not shrunk. The sheets have all questions of
docs/teaching.md, and only those of answers have the answers. Each is one file that asks for nothing else, and prints:
a page for each slide.
"""

import html
import re
import shutil
import sys

from tests import running
from tests.running import BUILD, ROOT
from tests.site import site_pages

LOOK = """(() => {
  const px = e => parseFloat(getComputedStyle(e).fontSize), box = e => e.getBoundingClientRect();
  return [...document.querySelectorAll('body > section')].map(s => ({
    text: s.textContent,
    over: [...s.querySelectorAll('pre, table, p, ul, ol, img')].filter(e => box(e).right > box(s).right + 1 ||
            box(e).bottom > box(s).bottom - 8 || e.scrollWidth > e.clientWidth + 1 && e.tagName === 'PRE').map(e => e.tagName),
    small: [...s.querySelectorAll('li, p, pre, code, td')].filter(e => e.textContent.trim() && px(e) < 18)
             .map(e => px(e) + ' px: ' + e.textContent.slice(0, 40)),
    shrunk: [...s.querySelectorAll('img')].filter(i => i.naturalWidth && Math.min(i.clientWidth / i.naturalWidth,
              i.clientHeight / i.naturalHeight) < 0.9).map(i => (i.clientHeight / i.naturalHeight).toFixed(2)),
    figures: s.querySelectorAll('img').length,
  }));
})()"""


def squeezed(text):
    return re.sub(r"\s+", "", text)


def check(report, words):
    if shutil.which("pandoc") is None:
        raise running.Skip("pandoc is missing (on Debian and Ubuntu: apt install pandoc)")
    site_pages.browser_program()
    number = words[0][:2] if words else "06"
    folder = BUILD / "lecture" / number
    shutil.rmtree(folder, ignore_errors=True)
    command = [
        sys.executable,
        ROOT / "tools/lecture/make.py",
        folder,
        "--pdf",
        *([number] if number != "00" else ["--sheets"]),
    ]
    code, out, err = running.run(command, timeout=300)
    if not report.must("they are made", code == 0, out + err):
        return
    for page in sorted(folder.glob("*.html")):
        asks = re.findall(r"""(?:src|href)=["']?((?!data:|#)[^"'> ]+)|url\((?!["']?data:)""", page.read_text())
        report.must(f"{page.name} has all it needs in it", not asks, str(asks))
    browser = site_pages.Browser(site_pages.browser_program())
    try:
        if number == "00":
            sheets(report, folder)
        for page in sorted(folder.glob("[0-9]*.html")):
            slides(report, browser, page, "pictures" in words)
    finally:
        browser.close()


def slides(report, browser, page, picture):
    lesson = (ROOT / page.stem / "README.md").read_text()
    browser.send("Emulation.setEmulatedMedia", media="print")
    wrong = [what for what in browser.open(page.as_uri(), 1280, 720) if page.as_uri() not in what]
    report.must(f"{page.name} loads", not wrong, str(wrong))
    look = browser.run(LOOK)
    for at, slide in enumerate(look, 1):
        name = f"slide {at}: {slide['text'].strip()[:50]!r}"
        report.failed(page.name, [f"{name}: {what} sticks out" for what in slide["over"][:1]])
        report.failed(page.name, [f"{name}: too small: {what}" for what in slide["small"][:1]])
        report.failed(page.name, [f"{name}: a figure is shrunk to {what}" for what in slide["shrunk"]])
    report.count("slides", len(look))
    figures = len(re.findall(r"^\s*!\[", lesson, re.MULTILINE))
    report.must(f"{page.name}: all {figures} figures", sum(s["figures"] for s in look) == figures)
    shown = squeezed("".join(slide["text"] for slide in look))
    listings = re.findall(r"^( *)```\w*\n(.*?)^ *```$", lesson.split("\n## Exercises")[0], re.MULTILINE | re.DOTALL)
    missing = [line for _, code in listings for line in code.splitlines() if squeezed(line) not in shown]
    report.must(f"{page.name}: every line of the {len(listings)} listings and outputs", not missing, "\n".join(missing))
    pages = len(re.findall(rb"/Type\s*/Page\b", page.with_suffix(".pdf").read_bytes()))
    report.must(
        f"{page.name}: a page of the PDF for each slide", pages == len(look), f"{pages} pages, {len(look)} slides"
    )
    if picture:
        browser.send(
            "Emulation.setDeviceMetricsOverride",
            width=1280,
            height=720 * len(look),
            deviceScaleFactor=0.5,
            mobile=False,
        )
        browser.screenshot(page.parent.parent / f"{page.stem}.png", full=True)


def sheets(report, folder):
    page = (ROOT / "docs/teaching.md").read_text().split("## Predict, then run")[1].split("\n## ")[0]
    rows = re.findall(r"^\| \d\d \| (.*?) \| (.*?) \|$", page, re.MULTILINE)

    def words(name):
        return bare(html.unescape(re.sub(r"<[^>]*>", "", (folder / f"{name}.html").read_text())))

    def bare(text):
        return re.sub(r"[`*\s]", "", text)

    asked, told = words("predict"), words("answers")
    report.must(f"predict: all {len(rows)} questions", rows and all(bare(question) in asked for question, _ in rows))
    report.must("predict: no answer", not any(bare(answer) in asked for _, answer in rows))
    report.must("answers: all of them, with their questions", all(bare(q) in told and bare(a) in told for q, a in rows))
    report.must("rubric: its table", "points" in words("rubric"))
    for name in ("predict", "answers", "rubric"):
        report.must(f"{name}.pdf", (folder / f"{name}.pdf").read_bytes()[:5] == b"%PDF-")
