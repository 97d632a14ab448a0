"""Builds the site and looks at every page in headless Chromium, as wide as a desk and as narrow as a phone.

    python3 tests/site/site.py                        build, then check
    python3 tests/site/site.py --site FOLDER          check a site that is built already
    python3 tests/site/site.py --screenshots FOLDER   also write pictures of three pages, at both widths

On every page: it loads, with all it asks for; no error on the console; every image has a picture; nothing
sticks out to the right; every link within the site, with its anchor, leads somewhere; listings are
coloured and have a copy button; previous and next are there. In every figure: no text is cut off by the
figure's edge or smaller than 11 pixels. The search finds words that the book explains.
"""
import base64
import functools
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WIDTHS = {"desk": (1280, 900), "phone": (390, 844)}
SHOTS = ["index.html", "03-launch-geometry/index.html", "docs/errors/index.html"]


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
            [path, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars",
             f"--user-data-dir={self.profile.name}", "about:blank"],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
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
            elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("http://127.0.0.1", "data:", "blob:")):
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


LOOK = """(() => {
  const wide = document.documentElement.scrollWidth > innerWidth + 1;
  return {
    images: [...document.images].filter(i => i.complete ? i.naturalWidth === 0 : true).map(i => i.src),
    pictures: document.images.length,
    wide: wide ? [...document.querySelectorAll('article *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1)
                   .slice(0, 3).map(e => e.tagName + ' ' + e.textContent.slice(0, 60)) : null,
    links: [...document.querySelectorAll('a[href]')].map(a => a.href),
    ids: [...document.querySelectorAll('[id]')].map(e => e.id),
    title: (document.querySelector('article h1') || {}).textContent || '',
    listings: document.querySelectorAll('article .highlight').length,
    copy: document.querySelectorAll('article .highlight .md-clipboard, article .highlight button').length,
    fences: document.querySelectorAll('article p').length && [...document.querySelectorAll('article p')]
              .filter(p => p.textContent.includes('```')).length,
    opencl: document.querySelectorAll('.language-opencl').length,
    colored: document.querySelectorAll('.language-opencl .k').length,
    footer: document.querySelectorAll('.md-footer__link').length,
    small: parseFloat(getComputedStyle(document.querySelector('article') || document.body).fontSize),
  };
})()"""

CUT = """(() => {
  const svg = document.documentElement, box = svg.viewBox.baseVal;
  return [...svg.querySelectorAll('text')].filter(t => {
    const r = t.getBoundingClientRect(), s = svg.getBoundingClientRect();
    return r.left < s.left + 3 || r.right > s.right - 3 || r.top < s.top + 2 || r.bottom > s.bottom - 2 ||
      parseFloat(t.getAttribute('font-size')) < 11;
  }).map(t => t.textContent);
})()"""


def main():
    browser_path = next((p for name in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(name))), None)
    if browser_path is None:
        print("SKIPPED  no Chromium: apt install chromium")
        return 77
    options = sys.argv[1:]
    if "--site" in options:
        site = pathlib.Path(options[options.index("--site") + 1]).resolve()
    else:
        site = ROOT / "build" / "site" / "out"
        done = subprocess.run([ROOT / "docs" / "site" / "build.sh", site], capture_output=True, text=True)
        print(done.stdout + done.stderr)
        if done.returncode != 0:
            print("FAILED  the site does not build")
            return 1
    shots = pathlib.Path(options[options.index("--screenshots") + 1]).resolve() if "--screenshots" in options else None

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}/"
    pages = sorted(str(p.relative_to(site)) for p in site.rglob("*.html") if p.name != "404.html")
    figures = sorted(str(p.relative_to(site)) for p in site.rglob("*.svg") if "assets" not in p.parts)
    wrong, seen, pictures, links = [], {}, 0, 0
    browser = Browser(browser_path)
    try:
        for name, (width, height) in WIDTHS.items():
            for page in pages:
                url = base + page.removesuffix("index.html")
                problems = browser.open(url, width, height)
                browser.run("new Promise(done => { document.querySelectorAll('img').forEach(i => i.loading = 'eager');"
                            " Promise.all([...document.images].map(i => i.decode().catch(() => 0))).then(done) })")
                look = browser.run(LOOK)
                seen[url] = look
                pictures += look["pictures"]
                problems += [f"no picture: {src}" for src in look["images"]]
                problems += [f"sticks out to the right: {look['wide']}"] if look["wide"] is not None else []
                problems += ["no heading"] if not look["title"] else []
                problems += ["a fence (```) is left in the text"] if look["fences"] else []
                problems += ["no copy button on a listing"] if look["copy"] < look["listings"] else []
                chapter = page[:2].isdigit() and page.count("/") == 1
                needs_opencl = page.endswith("kernel.cl/index.html") or (chapter and not page.startswith("02"))
                problems += ["no listing in OpenCL C, coloured as such"] if needs_opencl and not look["colored"] else []
                problems += ["text smaller than 14 px"] if look["small"] < 14 else []
                problems += ["no previous or next page"] if look["footer"] == 0 and chapter else []
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
        index = (site / "search" / "search_index.json").read_text()
        wrong += [f"the search does not know {word!r}" for word in ("grid-stride", "barrier", "CL_INVALID_WORK_GROUP_SIZE") if word not in index]
    finally:
        browser.close()
        server.shutdown()
    for text in wrong[:60]:
        print("FAILED  " + text)
    print(f"{len(pages)} pages at {len(WIDTHS)} widths, {links} links, {pictures // len(WIDTHS)} images, {len(figures)} figures; {len(wrong)} wrong")
    return 1 if wrong or not pages or not figures else 0


if __name__ == "__main__":
    sys.exit(main())
