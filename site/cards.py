"""Draws the picture that other sites show beside a link to a chapter: its title, and its first figure.

    build/site/venv/bin/python site/cards.py SITE        writes SITE/cards/CHAPTER.png

Links in the pages' heads lead to it where site/build.sh knows the site's address (SITE_URL), and draws it. Needs Chromium.
"""

import html
import pathlib
import re
import shutil
import sys

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = """<body style="align-items: center; background: #fcfbf7; box-sizing: border-box; display: flex; flex-direction: column; gap: 30px;
height: 630px; margin: 0; padding: 40px 60px"><p style="align-self: stretch; color: #1f2933; font: bold 44px/1.2 Georgia, serif; margin: 0">{title}</p>
<div style="display: flex; flex: 1; justify-content: center; min-height: 0; width: 100%">{figure}</div>
<p style="align-self: stretch; color: #5b6670; font: 26px sans-serif; margin: 0">OpenCL, step by step</p>
<style>svg {{ height: 100%; max-width: 100%; width: auto }}</style>"""


def main():
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        sys.exit("site/cards.py: Chromium is missing (on Debian and Ubuntu: apt install chromium)")
    folder = pathlib.Path(sys.argv[1]) / "cards"
    folder.mkdir(exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1200, "height": 630})
        for lesson in sorted(ROOT.glob("[0-9][0-9]-*/README.md")):
            text = lesson.read_text()
            figure = lesson.parent / re.search(r"\]\((\S+\.svg)\)", text).group(1)
            # Standing still.
            drawing = re.sub(r"(?s)<style>@media screen.*?</style>|<\?xml.*?\?>", "", figure.read_text())
            title = html.escape(re.search(r"(?m)^# (.*)$", text).group(1))
            page.set_content(PAGE.format(title=title, figure=drawing))
            page.screenshot(path=folder / f"{lesson.parent.name}.png")
        browser.close()


main()
