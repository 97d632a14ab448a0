"""Builds the site and looks at every page in headless Chromium, as wide as a desk and as narrow as a phone.

    python3 tests/run.py site-pages                        build, then check
    python3 tests/run.py site-pages --site FOLDER          check a site that is built already
    python3 tests/run.py site-pages --screenshots FOLDER   also write pictures of three pages, at both widths
    python3 tests/run.py site-pages --only PAGE,PAGE       look at these pages only (03-launch-geometry/index.html)

On every page, at both widths: it loads, with all it asks for, but not the search index, which waits for a search; no
error on the console; every image has a picture, and words in its place, eight at least for a figure; nothing
sticks out to the right; every link within the site, with its anchor, leads somewhere; listings are
coloured, and each has a copy button; previous and next go through the chapters and their exercises in order;
an exercise has its hints folded, and a way back to its lesson; no text is smaller than 12 pixels, running text not
smaller than 14; a figure is not shrunk so far that it cannot be read; a chapter is at most 300 kB, compressed, with
everything that it asks for. In every figure, light and dark: no text is cut off by the figure's edge, smaller than 11
pixels, or of a contrast below 4.5; none moves, but on the landing page, where a button stops it. A word typed into the
search brings up the page that explains it, CUDA's words too, and no listing before a lesson. Without JavaScript the
pages of WITHOUT_SCRIPTS can be read, their hints unfold, and nothing empty stands there.
checks/site_itself.py breaks each of these. The pages are shared out to two browsers.
"""

import base64
import contextlib
import functools
import gzip
import http.server
import json
import os
import pathlib
import queue
import re
import select
import shutil
import subprocess
import tempfile
import threading
import urllib.parse

from tests import running
from tests.running import ROOT

WIDTHS = {"desk": (1280, 900), "phone": (390, 844)}
ANSWERS = 60  # seconds, within which the browser says something
PAGE_BYTES = 300_000  # of a chapter and all it asks for, compressed, as a server sends them
SHOTS = ["index.html", "03-launch-geometry/index.html", "docs/errors/index.html"]
SEARCHES = {
    "grid-stride": "03-launch-geometry/",
    "barrier": "06-dot-product-reduction/",
    "latency": "11-sum-reduction/",
    "CL_INVALID_WORK_GROUP_SIZE": "docs/errors/",
    "thread": "03-launch-geometry/",
    "block": "03-launch-geometry/",
    "grid": "03-launch-geometry/",
    "shared memory": "06-dot-product-reduction/",
    "warp": "14-sum-sub-groups/",
    "__syncthreads": "06-dot-product-reduction/",
    "stream": "22-overlap/",
}
LISTING = re.compile(r"\.(cl|cpp|h|py|txt|cmake|sh|json)/")
WITHOUT_SCRIPTS = [
    "index.html",
    "06-dot-product-reduction/index.html",
    "06-dot-product-reduction/exercises/1-missing-barrier/index.html",
]


class Browser:
    """Chromium, driven over a pipe by its DevTools protocol: JSON messages with a zero byte after each."""

    def __init__(self, path):
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)

        def connect():  # the browser reads from 3 and writes to 4
            a, b = os.dup(to_read), os.dup(to_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [
                path,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-pipe",
                "--hide-scrollbars",
                f"--user-data-dir={self.profile.name}",
                "about:blank",
            ],
            preexec_fn=connect,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self.count, self.rest, self.events = 0, b"", []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(domain + ".enable")

    def receive(self):
        while b"\0" not in self.rest:
            if not select.select([self.back], [], [], ANSWERS)[0]:
                raise SystemExit(f"FAILED  the browser has not answered for {ANSWERS} seconds")
            piece = os.read(self.back, 1 << 16)
            if not piece:
                raise SystemExit("FAILED  the browser ended")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise SystemExit(f"FAILED  {method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def resize(self, width, height):
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def open(self, url, width, height, wait=150):
        """Loads a page; returns what went wrong meanwhile. `wait`: milliseconds for the theme's scripts, after the load."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.events = []
        self.send("Page.navigate", url=url)
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.receive())
        if wait:
            self.run(f"new Promise(done => setTimeout(done, {wait}))")
        return self.problems()

    def problems(self):
        """What has gone wrong on the page since the last time: exceptions, errors on the console, other hosts."""
        wrong = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                wrong.append("exception: " + json.dumps(params["exceptionDetails"])[:300])
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
                said = [one.get("description", one.get("value")) for one in params["args"]]
                wrong.append("console: " + json.dumps(said)[:300])
            elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
                wrong.append("log: " + params["entry"]["text"] + " " + params["entry"].get("url", ""))
            elif method == "Network.responseReceived" and params["response"]["status"] >= 400:
                wrong.append(f"status {params['response']['status']}: {params['response']['url']}")
            elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(
                ("http://127.0.0.1", "data:", "blob:")
            ):
                wrong.append("asks another server: " + params["request"]["url"])
        return wrong

    def run(self, expression):
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"FAILED  {expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def screenshot(self, path, full=False):
        data = self.send("Page.captureScreenshot", captureBeyondViewport=full)["data"]
        path.write_bytes(base64.b64decode(data))

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.profile.cleanup()


def weight(site, browser):
    """How many bytes the page on the screen asked for, compressed as a server would."""
    urls = browser.run("[location.href, ...performance.getEntriesByType('resource').map(e => e.name)]")
    files = {
        site / urllib.parse.unquote(urllib.parse.urlsplit(url).path).lstrip("/") for url in urls if url[:4] == "http"
    }
    files = {file / "index.html" if file.is_dir() else file for file in files}
    return sum(len(gzip.compress(file.read_bytes(), 6)) for file in files if file.exists())


LOOK = """(width => { // not innerWidth: on a phone that grows with what is too wide
  const wide = document.documentElement.scrollWidth > width + 1;
  return {
    images: [...document.images].filter(i => i.complete ? i.naturalWidth === 0 : true).map(i => i.src),
    pictures: document.images.length,
    wordless: [...document.querySelectorAll('article img')].filter(i => i.alt.split(/\\s+/).length < 8).map(i => i.src + ': ' + i.alt),
    hints: [document.querySelectorAll('details.hint').length, document.querySelectorAll('details.hint[open]').length],
    wide: wide ? [...document.querySelectorAll('article *')].filter(e => !e.closest('pre, table, :has(> img)') &&
                     e.getBoundingClientRect().left + Math.max(e.scrollWidth, e.getBoundingClientRect().width) > width + 1)
                   .slice(0, 3).map(e => e.tagName + ' ' + e.textContent.slice(0, 60)) : null,
    links: [...document.querySelectorAll('a[href]')].map(a => a.href),
    ids: [...document.querySelectorAll('[id]')].map(e => e.id),
    title: (document.querySelector('article h1') || {}).textContent || '',
    listings: document.querySelectorAll('article .highlight').length,
    naked: [...document.querySelectorAll('article .highlight')].filter(e => !e.querySelector('button, .md-clipboard')).length,
    fences: document.querySelectorAll('article p').length && [...document.querySelectorAll('article p')]
              .filter(p => p.textContent.includes('```')).length,
    opencl: document.querySelectorAll('.language-opencl').length,
    colored: document.querySelectorAll('.language-opencl .k').length,
    previous: (document.querySelector('.md-footer__link--prev') || {}).href || '',
    next: (document.querySelector('.md-footer__link--next') || {}).href || '',
    small: (() => {
      const walker = document.createTreeWalker(document.querySelector('article') || document.body, NodeFilter.SHOW_TEXT);
      const found = [];
      for (let t = walker.nextNode(); t; t = walker.nextNode()) {
        const e = t.parentElement, px = parseFloat(getComputedStyle(e).fontSize);
        if (t.data.trim() && e.getClientRects().length && !e.closest('.headerlink, .md-source-file, script, style')
            && px < (e.matches('p, li') && !e.closest('table') ? 14 : 12))
          found.push(px.toFixed(1) + ' px: ' + t.data.trim().slice(0, 40));
      }
      return found.slice(0, 3);
    })(),
    shrunk: [...document.querySelectorAll('article img[src$=".svg"]')].filter(i => i.naturalWidth && i.width < 0.8 * i.naturalWidth)
              .map(i => i.src + ' ' + (i.width / i.naturalWidth).toFixed(2)),
  };
})"""

CUT = """(() => {
  const svg = document.documentElement, box = svg.viewBox.baseVal;
  return [...svg.querySelectorAll('text')].filter(t => {
    const r = t.getBoundingClientRect(), s = svg.getBoundingClientRect();
    return r.left < s.left + 3 || r.right > s.right - 3 || r.top < s.top + 2 || r.bottom > s.bottom - 2 ||
      parseFloat(t.getAttribute('font-size')) < 11;
  }).map(t => t.textContent);
})()"""

# Each text against what is painted below its middle; a contrast as WCAG computes it.
PALE = """(() => {
  const parse = c => (c.match(/[\\d.]+/g) || []).map(Number);
  const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  return [...document.querySelectorAll('text')].filter(t => t.textContent.trim()).map(t => {
    const r = t.getBoundingClientRect(), ink = parse(getComputedStyle(t).fill);
    const below = document.elementsFromPoint(r.left + r.width / 2, r.top + r.height / 2).map(e => [e, getComputedStyle(e)])
      .find(([e, s]) => !e.closest('text') && e.ownerSVGElement && s.fill !== 'none' && (parse(s.fill)[3] ?? 1) > 0.5 && parseFloat(s.fillOpacity) > 0.5);
    if (!below) return [t.textContent, 0];
    const [a, b] = [light(ink.slice(0, 3)), light(parse(below[1].fill).slice(0, 3))];
    return [t.textContent, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
  }).filter(([, ratio]) => ratio < 4.5).map(([text, ratio]) => `${text} (${ratio.toFixed(2)})`);
})()"""

PLAIN = """(() => ({
  text: (e => e.checkVisibility() ? e.innerText.length : 0)(document.querySelector('article')),
  links: [...document.querySelectorAll('a[href]')].filter(a => a.checkVisibility()).length,
  empty: [...document.querySelectorAll('.player, .lab')].filter(e => e.getBoundingClientRect().height > 4).map(e => e.className),
  folded: [...document.querySelectorAll('details.hint')].filter(d => { const s = d.querySelector('summary'); if (s) s.click(); return !d.open; }).length,
}))()"""


FIND = """(async word => {
  const query = document.querySelector('[data-md-component=search-query]');
  if (!query) return [];
  query.focus();
  query.value = word;
  for (let i = 0; i < 300; i++) { // only now is the search's index loaded; a busy machine takes its time for that
    query.dispatchEvent(new Event('keyup'));
    await new Promise(done => setTimeout(done, 100));
    const links = [...document.querySelectorAll('.md-search-result__link')].map(a => a.href);
    if (links.length) return links;
  }
  return [];
})"""


def browser_program():
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        raise running.Skip("Chromium is missing (on Debian and Ubuntu: apt install chromium)")
    return found


def serve(site, spoil=None):
    """A server of a folder. `spoil`: {end of a path: function of its text}, asked at each request."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            path = pathlib.Path(self.translate_path(self.path))
            change = next((f for end, f in (spoil or {}).items() if str(path).endswith(end)), None)
            if change is None:
                return super().do_GET()
            data = change(path.read_text()).encode()
            self.send_response(200)
            self.send_header("Content-Type", self.guess_type(str(path)))
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def end_headers(self):
            if spoil is not None:  # what is spoilt now must not be what a page has kept, nor the other way round
                self.send_header("Cache-Control", "no-store")
            super().end_headers()

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(site)))
    server.handle_error = lambda *_: None  # a page that was left while it was sent
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def built_site(words, again=False):
    """The folder of the site that the option --site names, else of the one built here; built if it is not there, or
    `again`."""
    if "--site" in words:
        return pathlib.Path(words[words.index("--site") + 1]).resolve()
    site = ROOT / "build" / "site" / "out"
    if again or not site.is_dir():
        done = subprocess.run([ROOT / "site" / "build.sh", site], capture_output=True, text=True)
        print(done.stdout + done.stderr)
        if done.returncode != 0:
            raise SystemExit("FAILED  site: it does not build")
    return site


@contextlib.contextmanager
def opened(words):
    """A site (built_site), a server of it that can spoil what it sends, and a browser: (browser, base URL, folder, spoil)."""
    program, site, spoil = browser_program(), built_site(words), {}
    server = serve(site, spoil)
    browser = Browser(program)
    try:
        yield browser, f"http://127.0.0.1:{server.server_port}/", site, spoil
    finally:
        browser.close()
        server.shutdown()


def shot(browser, url, size, scheme, script, path, ready="null"):
    """A picture of a page in a colour scheme, when `script` has run there; none where `ready` gives a reason."""
    browser.open(url, *size)
    if browser.run(ready):
        return
    browser.run(
        f"document.body.setAttribute('data-md-color-scheme', '{scheme}'); (() => {{ {script} }})(); scrollBy(0, -60);"
        " new Promise(done => setTimeout(done, 300))"
    )
    browser.screenshot(path)


def is_lesson(page):
    return page[:2].isdigit() and page.count("/") == 1


def is_exercise(page):
    return "/exercises/" in page and page.count("/") == 3


def of_page(browser, site, base, page, route, shots):
    """What is wrong with a page: a list of sentences; and what was seen at the last width. `route`: lessons and
    exercises in order."""
    url = base + page.removesuffix("index.html")
    wrong = []
    problems = browser.open(url, *WIDTHS["desk"])
    if any(
        e.get("method") == "Network.requestWillBeSent" and "search_index" in e["params"]["request"]["url"]
        for e in browser.events
    ):
        problems.append("the search index is loaded before anybody searches")
    if is_lesson(page) and (bytes_ := weight(site, browser)) > PAGE_BYTES:
        problems.append(f"the page is {bytes_} bytes, more than {PAGE_BYTES}")
    for name, (width, height) in WIDTHS.items():
        if name != "desk":
            problems = []
            browser.resize(width, height)
        browser.run(
            "new Promise(done => { document.querySelectorAll('img').forEach(i => i.loading = 'eager');"
            " Promise.all([...document.images].map(i => i.decode().catch(() => 0))).then(done) })"
        )
        look = browser.run(f"{LOOK}({width})")
        problems += [f"no picture: {src}" for src in look["images"]]
        problems += [f"a picture without words: {src}" for src in look["wordless"]]
        problems += [f"sticks out to the right: {look['wide']}"] if look["wide"] is not None else []
        problems += ["no heading"] if not look["title"] else []
        problems += ["a fence (```) is left in the text"] if look["fences"] else []
        problems += [f"no copy button on {look['naked']} of {look['listings']} listings"] if look["naked"] else []
        needs_opencl = page.endswith("kernel.cl/index.html") or (
            is_lesson(page) and running.has_kernel(page.split("/")[0])
        )
        problems += ["no listing in OpenCL C, coloured as such"] if needs_opencl and not look["colored"] else []
        problems += [f"small text: {text}" for text in look["small"]]
        problems += [f"a figure is shrunk: {text}" for text in look["shrunk"]]
        if page in route:
            at = route.index(page)
            here = [
                base + route[i].removesuffix("index.html") if 0 <= i < len(route) else None for i in (at - 1, at + 1)
            ]
            for word, expected in zip(("previous", "next"), here):
                if not look[word] or expected and look[word] != expected:
                    problems += [f"{word} is {look[word]!r}"]
        if is_exercise(page):
            problems += (
                [f"{look['hints'][0]} hints, {look['hints'][1]} of them unfolded"]
                if look["hints"][0] < 1 or look["hints"][1]
                else []
            )
            lesson = base + page.split("/")[0] + "/"
            problems += ["no way back to the lesson"] if lesson not in look["links"] else []
        wrong += [f"{page} ({name}): {text}" for text in problems]
        if shots and page in SHOTS:
            shots.mkdir(parents=True, exist_ok=True)
            browser.screenshot(shots / f"{page.replace('/', '-').removesuffix('.html')}-{name}.png")
    return wrong, look


def of_figure(browser, base, figure):
    browser.open(base + figure, 1400, 1200, wait=0)
    wrong = [f"{figure}: cut off, too near the edge, or too small: {text!r}" for text in browser.run(CUT)]
    if browser.run("document.getAnimations().length") and not figure.endswith("-moving.svg"):
        wrong.append(f"{figure}: it moves, and a reader of the page cannot stop it")
    for scheme in ("light", "dark"):
        browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        wrong += [f"{figure}: hard to read, {scheme}: {text}" for text in browser.run(PALE)]
    browser.send("Emulation.setEmulatedMedia", features=[])
    return wrong


def of_search(browser, base, word, page):
    browser.open(base, *WIDTHS["desk"])
    found = [link.removeprefix(base) for link in browser.run(f"{FIND}({json.dumps(word)})")]
    wrong = []
    first = list(dict.fromkeys(re.match(r"[^?#]*", link).group() for link in found))[:3]
    if page not in first:
        wrong.append(f"the search for {word!r} does not bring up {page}, only {first}")
    if found and LISTING.search(found[0]):
        wrong.append(f"the search for {word!r} brings up a listing first: {found[0]}")
    return wrong


def without_scripts(browser, base, page):
    browser.send("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(base + page.removesuffix("index.html"), *WIDTHS["desk"], wait=0)  # a timer would never end
    look = browser.run(PLAIN)
    browser.send("Emulation.setScriptExecutionDisabled", value=False)
    wrong = [f"{look['text']} characters of text"] if look["text"] < 500 else []
    wrong += [f"{look['links']} links to be seen"] if look["links"] < 10 else []
    wrong += [f"empty boxes: {look['empty']}"] if look["empty"] else []
    wrong += [f"{look['folded']} hints do not unfold"] if look["folded"] else []
    return [f"{page}, without JavaScript: {text}" for text in wrong]


def check(report, words):
    browser_path, options = browser_program(), words
    site = built_site(options, again=True)
    shots = pathlib.Path(options[options.index("--screenshots") + 1]).resolve() if "--screenshots" in options else None
    server = serve(site)
    base = f"http://127.0.0.1:{server.server_port}/"
    pages = sorted(str(p.relative_to(site)) for p in site.rglob("*.html") if p.name != "404.html")
    figures = sorted(str(p.relative_to(site)) for p in site.rglob("*.svg") if "assets" not in p.parts)
    route = sorted(page for page in pages if is_lesson(page) or is_exercise(page))
    route.sort(key=lambda page: (page.split("/")[0], is_exercise(page), page))
    searches, plain = dict(SEARCHES), WITHOUT_SCRIPTS
    if "--only" in options:
        pages = [page for page in pages if page in options[options.index("--only") + 1].split(",")]
        figures, plain = figures[:1], [page for page in plain if page in pages]
        searches = {word: SEARCHES[word] for word in ("barrier", "latency", "thread")}
    wrong, seen, totals = [], {}, {"pictures": 0}
    work = queue.SimpleQueue()
    for kind, items in (("page", pages), ("figure", figures), ("search", searches.items()), ("plain", plain)):
        for item in items:
            work.put((kind, item))

    def worker():
        browser = Browser(browser_path)
        try:
            while True:
                kind, item = work.get_nowait()
                if kind == "page":
                    found, look = of_page(browser, site, base, item, route, shots)
                    seen[base + item.removesuffix("index.html")] = look
                    totals["pictures"] += look["pictures"]
                elif kind == "figure":
                    found = of_figure(browser, base, item)
                elif kind == "search":
                    found = of_search(browser, base, *item)
                else:
                    found = without_scripts(browser, base, item)
                wrong.extend(found)
        except queue.Empty:
            pass
        except BaseException as what:  # a thread's own end would be seen by nobody
            wrong.append(f"the look at the site broke off: {what!r}")
        finally:
            browser.close()

    threads = [threading.Thread(target=worker) for _ in range(2 if len(pages) > 9 else 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    server.shutdown()
    links = 0
    for url, look in seen.items():
        for target in set(look["links"]):
            if not target.startswith(base):
                continue
            links += 1
            plain, _, anchor = target.partition("#")
            file = site / urllib.parse.unquote(plain.removeprefix(base).partition("?")[0])
            file = file / "index.html" if file.is_dir() else file
            if not file.exists():
                wrong.append(f"{url.removeprefix(base)}: the link {target.removeprefix(base)} leads nowhere")
            elif anchor and plain in seen and urllib.parse.unquote(anchor) not in seen[plain]["ids"]:
                wrong.append(f"{url.removeprefix(base)}: no #{anchor} on {plain.removeprefix(base)}")
    report.failed("site", sorted(wrong)[:60])
    for what, number in [
        ("pages", len(seen)),
        ("links", links),
        ("images", totals["pictures"]),
        ("figures", len(figures)),
    ]:
        report.count(what, number)
        if not number:
            report.failed("site", [f"0 {what}"])
