"""The slides and sheets of tools/lecture/, made from the lessons as they stand, and looked at in Chromium."""

import base64
import html
import re
import shutil
import subprocess
import sys

import pytest

from tests.site.conftest import ROOT
from tests.site.test_pages import LESSONS

# A slide fills the window, nothing sticks out of it, and all can be read from the last row.
LOOK = """() => {
  const px = e => parseFloat(getComputedStyle(e).fontSize), box = e => e.getBoundingClientRect();
  const paper = matchMedia('print').matches, scale = paper ? 1 : Math.min(innerWidth / 1280, innerHeight / 720);
  return [...document.querySelectorAll('body > section')].map((s, at) => {
    for (const other of paper ? [] : document.querySelectorAll('body > section')) other.removeAttribute('aria-selected');
    if (!paper) s.setAttribute('aria-selected', 'true');
    const b = box(s), wrong = [];
    const centre = Math.abs(b.left + b.right - innerWidth) < 3 && Math.abs(b.top + b.bottom - innerHeight) < 3;
    if (!paper && !(centre && Math.abs(b.width - 1280 * scale) < 3 && Math.abs(b.height - 720 * scale) < 3))
      wrong.push(`the slide is at ${[b.left, b.top, b.right, b.bottom].map(Math.round)} of ${innerWidth} x ${innerHeight}`);
    const body = box(document.body);
    if (!paper && (body.right < b.right - 2 || body.bottom < b.bottom - 2)) wrong.push('the body cuts it off');
    for (const e of s.querySelectorAll('pre, table, p, ul, ol, img'))
      if (box(e).right > b.right + 1 || box(e).bottom > b.bottom - 8 * scale || e.scrollWidth > e.clientWidth + 1 && e.tagName === 'PRE') wrong.push(`${e.tagName} sticks out`);
    for (const e of s.querySelectorAll('li, p, pre, code, td'))
      if (e.textContent.trim() && px(e) < 18) wrong.push(`${px(e)} px: ${e.textContent.slice(0, 40)}`);
    for (const i of s.querySelectorAll('img'))
      if (i.naturalWidth && Math.min(i.clientWidth / i.naturalWidth, i.clientHeight / i.naturalHeight) < 0.9) wrong.push('a figure is shrunk');
    return {text: s.textContent, wrong: wrong.map(what => `slide ${at + 1}: ${what}`), figures: s.querySelectorAll('img').length};
  });
}"""


def make(folder, *arguments):
    if shutil.which("pandoc") is None:
        pytest.skip("pandoc is missing (on Debian and Ubuntu: apt install pandoc)")
    command = [sys.executable, ROOT / "tools/lecture/make.py", folder, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    made = sorted(folder.glob("*.html"))
    for page in made:
        assert not re.findall(r"""(?:src|href)=["']?((?!data:|#)[^"'> ]+)|url\((?!["']?data:)""", page.read_text())
    return made


def bare(text):
    return re.sub(r"[`*\s]", "", text)


@pytest.mark.parametrize("chapter", LESSONS)
def test_slides(page, tmp_path, chapter):
    pdf = ["--pdf"] * (chapter in LESSONS[::8])  # which takes as long as all else here
    deck = next(path for path in make(tmp_path, chapter[:2], *pdf) if path.stem == chapter)
    lesson = (ROOT / chapter / "README.md").read_text()
    for size in [(1920, 1080), (1024, 768)]:  # wider and narrower than a slide is drawn
        page.set_viewport_size(dict(zip(("width", "height"), size)))
        page.goto(deck.as_uri())
        page.add_style_tag(content="* { transition: none !important }")
        look = page.evaluate(LOOK)
        assert look and not sum((slide["wrong"] for slide in look), [])
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 1280, "height": 720})
    look = page.evaluate(LOOK)
    assert not sum((slide["wrong"] for slide in look), [])
    assert sum(slide["figures"] for slide in look) == len(re.findall(r"^\s*!\[", lesson, re.MULTILINE))
    shown = bare("".join(slide["text"] for slide in look))
    listings = re.findall(r"^( *)```\w*\n(.*?)^ *```$", lesson.split("\n## Exercises")[0], re.MULTILINE | re.DOTALL)
    assert [line for _, code in listings for line in code.splitlines() if bare(line) not in shown] == []
    drawn = re.findall(r"data:image/svg\+xml;base64,([\w+/=]+)", deck.read_text())
    assert len(drawn) == sum(slide["figures"] for slide in look)
    assert not any(b"@keyframes" in base64.b64decode(svg) for svg in drawn), "a figure that moves is empty on paper"
    if pdf:
        pages = len(re.findall(rb"/Type\s*/Page\b", deck.with_suffix(".pdf").read_bytes()))
        assert pages == len(look), "a page of the PDF for each slide"


def test_sheets(page, tmp_path):
    made = {path.stem: path for path in make(tmp_path, "--sheets")}
    section = (ROOT / "docs/teaching.md").read_text().split("## Predict, then run")[1].split("\n## ")[0]
    rows = re.findall(r"^\| \d\d \| (.*?) \| (.*?) \|$", section, re.MULTILINE)
    words = {name: bare(html.unescape(re.sub(r"<[^>]*>", "", path.read_text()))) for name, path in made.items()}
    assert rows and all(bare(question) in words["predict"] for question, _ in rows)
    assert not any(bare(answer) in words["predict"] for _, answer in rows)
    assert all(bare(question) in words["answers"] and bare(answer) in words["answers"] for question, answer in rows)
    assert "points" in words["rubric"]
    # A question with its two lines to write on stays on one page.
    page.goto(made["predict"].as_uri())
    page.emulate_media(media="print")
    assert page.evaluate("[...document.querySelectorAll('h3')].every(e => getComputedStyle(e.parentElement).breakInside === 'avoid'"
                         " && e.parentElement.querySelectorAll('em').length === 2)")  # fmt: skip
