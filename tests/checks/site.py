"""Builds the site and looks at every page in headless Chromium, as wide as a desk and as narrow as a phone.

    python3 tests/run.py site                        build, then check
    python3 tests/run.py site --site FOLDER          check a site that is built already
    python3 tests/run.py site --screenshots FOLDER   also write pictures of three pages, at both widths
    python3 tests/run.py site --only PAGE,PAGE       look at these pages only (03-launch-geometry/index.html)

On every page: it loads, with all it asks for; no error on the console; every image has a picture; nothing
sticks out to the right; every link within the site, with its anchor, leads somewhere; listings are
coloured, and each has a copy button; a chapter's previous and next are the chapters before and after it;
no text is smaller than 12 pixels, running text not smaller than 14; a figure is not shrunk so far that it
cannot be read. In every figure: no text is cut off by the figure's edge or smaller than 11 pixels; none moves. A word
typed into the search brings up the page that explains it. checks/site_itself.py breaks each of these.
"""

import base64
import functools
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import urllib.parse

import harness
from harness import ROOT

WIDTHS = {"desk": (1280, 900), "phone": (390, 844)}
SHOTS = ["index.html", "03-launch-geometry/index.html", "docs/errors/index.html"]
SEARCHES = {
    "grid-stride": "03-launch-geometry/",
    "barrier": "06-dot-product-reduction/",
    "latency": "11-sum-reduction/",
    "CL_INVALID_WORK_GROUP_SIZE": "docs/errors/",
}


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

    def open(self, url, width, height):
        """Loads a page; returns what went wrong meanwhile."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.events = []
        self.send("Page.navigate", url=url)
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.receive())
        self.run("new Promise(done => setTimeout(done, 150))")  # the theme's scripts run after the load
        wrong = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                wrong.append("exception: " + json.dumps(params["exceptionDetails"])[:300])
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
                wrong.append("console: " + json.dumps(params["args"])[:300])
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


LOOK = """(width => { // not innerWidth: on a phone that grows with what is too wide
  const wide = document.documentElement.scrollWidth > width + 1;
  return {
    images: [...document.images].filter(i => i.complete ? i.naturalWidth === 0 : true).map(i => i.src),
    pictures: document.images.length,
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


FIND = """(async word => {
  const query = document.querySelector('[data-md-component=search-query]');
  if (!query) return [];
  query.focus();
  query.value = word;
  for (let i = 0; i < 50; i++) { // the search's own index is loaded in the background
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
        raise harness.Skip("Chromium is missing (on Debian and Ubuntu: apt install chromium)")
    return found


def check(report, words):
    browser_path, options = browser_program(), words
    if "--site" in options:
        site = pathlib.Path(options[options.index("--site") + 1]).resolve()
    else:
        site = ROOT / "build" / "site" / "out"
        done = subprocess.run([ROOT / "docs" / "site" / "build.sh", site], capture_output=True, text=True)
        print(done.stdout + done.stderr)
        if done.returncode != 0:
            report.failed("site", ["it does not build"])
            return
    shots = pathlib.Path(options[options.index("--screenshots") + 1]).resolve() if "--screenshots" in options else None

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}/"
    pages = sorted(str(p.relative_to(site)) for p in site.rglob("*.html") if p.name != "404.html")
    figures = sorted(str(p.relative_to(site)) for p in site.rglob("*.svg") if "assets" not in p.parts)
    chapters = [base + page.removesuffix("index.html") for page in pages if page[:2].isdigit() and page.count("/") == 1]
    if "--only" in options:
        pages = [page for page in pages if page in options[options.index("--only") + 1].split(",")]
        figures = figures[:1]
    wrong, seen, pictures, links = [], {}, 0, 0
    browser = Browser(browser_path)
    try:
        for name, (width, height) in WIDTHS.items():
            for page in pages:
                url = base + page.removesuffix("index.html")
                problems = browser.open(url, width, height)
                browser.run(
                    "new Promise(done => { document.querySelectorAll('img').forEach(i => i.loading = 'eager');"
                    " Promise.all([...document.images].map(i => i.decode().catch(() => 0))).then(done) })"
                )
                look = browser.run(f"{LOOK}({width})")
                seen[url] = look
                pictures += look["pictures"]
                problems += [f"no picture: {src}" for src in look["images"]]
                problems += [f"sticks out to the right: {look['wide']}"] if look["wide"] is not None else []
                problems += ["no heading"] if not look["title"] else []
                problems += ["a fence (```) is left in the text"] if look["fences"] else []
                problems += (
                    [f"no copy button on {look['naked']} of {look['listings']} listings"] if look["naked"] else []
                )
                chapter = page[:2].isdigit() and page.count("/") == 1
                needs_opencl = page.endswith("kernel.cl/index.html") or (
                    chapter and harness.has_kernel(page.split("/")[0])
                )
                problems += ["no listing in OpenCL C, coloured as such"] if needs_opencl and not look["colored"] else []
                problems += [f"small text: {text}" for text in look["small"]]
                problems += [f"a figure is shrunk: {text}" for text in look["shrunk"]]
                if chapter:
                    at = chapters.index(url)
                    before = chapters[at - 1] if at > 0 else base
                    problems += [f"previous is {look['previous']!r}"] if look["previous"] != before else []
                    after = chapters[at + 1] if at + 1 < len(chapters) else None
                    if not look["next"] or (after and look["next"] != after):
                        problems += [f"next is {look['next']!r}"]
                wrong += [f"{page} ({name}): {text}" for text in problems]
                if shots and page in SHOTS:
                    shots.mkdir(parents=True, exist_ok=True)
                    browser.screenshot(shots / f"{page.replace('/', '-').removesuffix('.html')}-{name}.png")
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
        for figure in figures:
            browser.open(base + figure, 1000, 800)
            cut = browser.run(CUT)
            wrong += [f"{figure}: cut off, too near the edge, or too small: {text!r}" for text in cut]
            if browser.run("document.getAnimations().length"):
                wrong.append(f"{figure}: it moves, and a reader of the page cannot stop it")
        for word, page in SEARCHES.items():
            browser.open(base, *WIDTHS["desk"])
            found = browser.run(f"{FIND}({json.dumps(word)})")
            if not any(link.startswith(base + page) for link in found):
                wrong.append(
                    f"the search for {word!r} does not bring up {page}, only {[link.removeprefix(base) for link in found]}"
                )
    finally:
        browser.close()
        server.shutdown()
    report.failed("site", wrong[:60])
    for what, number in [
        ("pages", len(pages)),
        ("links", links),
        ("images", pictures // len(WIDTHS)),
        ("figures", len(figures)),
    ]:
        report.count(what, number)
        if not number:
            report.failed("site", [f"0 {what}"])
