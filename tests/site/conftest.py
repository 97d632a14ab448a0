"""The site in a browser: served on loopback, opened in Debian's Chromium by Playwright.

Run by site/test.sh, which builds it and whose Python has what this needs (site/requirements.txt); elsewhere these tests are
skipped by name.
"""

import functools
import http.server
import os
import pathlib
import shutil
import threading

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def site():
    folder = pathlib.Path(os.environ.get("SITE", ROOT / "build/site/out")).resolve()
    return folder if folder.exists() else pytest.skip("the site is not built: site/test.sh does it")


@pytest.fixture(scope="session")
def base(site):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    server.handle_error = lambda *_: None  # a page that was left while it was sent
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is missing: site/test.sh has it")
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("Chromium is missing (on Debian and Ubuntu: apt install chromium)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser):
    """opened(**options of a context): a page. When the test ends, nothing may have gone wrong on any of them: no
    exception, no error on the console, no request that failed or went to another host."""
    contexts, wrong = [], []

    def watch(request):
        if not request.url.startswith(("http://127.0.0.1", "data:", "blob:", "file:")):
            wrong.append(f"asks another server: {request.url}")

    def make(**options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        context.route("**/favicon.ico", lambda route: route.fulfill(status=204))  # asked for beside a picture alone
        page = context.new_page()
        page.set_default_timeout(60_000)  # a busy machine takes its time
        page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
        page.on("console", lambda said: wrong.append(f"{page.url}: {said.text}") if said.type == "error" else None)
        page.on("response", lambda got: wrong.append(f"{got.status}: {got.url}") if got.status >= 400 else None)
        page.on("request", watch)
        return page

    yield make
    for context in contexts:
        context.close()
    assert not wrong


@pytest.fixture
def page(opened):
    return opened()
