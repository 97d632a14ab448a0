"""Are the checks on the site red when they should be? Each case breaks a copy of the built site in one way."""

import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

from tests.running import ROOT, run
from tests.site.site_pages import browser_program

PAGE = "03-launch-geometry/index.html"
EXERCISE = "06-dot-product-reduction/exercises/1-missing-barrier/index.html"


def into_article(html):
    return lambda text: text.replace("</article>", html + "</article>", 1)


def check(report):
    browser_program()

    def case(what, site, path, change, text, code=1):
        """With `change` made to the file at `path`, the check must end with `code` and say `text`."""
        file = site / path
        before = file.read_bytes()
        after = change(before.decode())
        assert after != before.decode() or code == 0, f"{what}: the change changes nothing"
        file.write_text(after)
        got, out, err = run(
            [sys.executable, ROOT / "tests/run.py", "site", "--site", site, "--only", f"{PAGE},{EXERCISE}"]
        )
        file.write_bytes(before)
        report.must(
            what,
            got == code and re.search(text, out + err) is not None,
            f"exit code {got}, where {code} and {text!r} were expected:\n{out}{err}",
        )

    with tempfile.TemporaryDirectory() as name:
        built, site = ROOT / "build" / "site" / "out", pathlib.Path(name) / "site"
        if not built.is_dir():
            subprocess.run([ROOT / "site" / "build.sh", built], check=True)
        shutil.copytree(built, site)
        figure = sorted(str(p.relative_to(site)) for p in site.rglob("*.svg") if "assets" not in p.parts)[0]
        css, index = "extra.css", "search/search_index.json"
        case("the site as it is", site, PAGE, lambda text: text, "0 failures", code=0)
        case(
            "no copy buttons",
            site,
            PAGE,
            lambda text: text.replace('"content.code.copy"', '"content.code"'),
            "no copy button on",
        )
        case(
            "no previous page",
            site,
            PAGE,
            lambda text: text.replace("md-footer__link--prev", "md-footer__link"),
            "previous is ''",
        )
        case(
            "no next page",
            site,
            PAGE,
            lambda text: text.replace("md-footer__link--next", "md-footer__link"),
            "next is ''",
        )
        case(
            "the wrong next page",
            site,
            PAGE,
            lambda text: re.sub(
                r'href="[^"]*" class="md-footer__link md-footer__link--next"',
                'href="../01-vector-add/" class="md-footer__link md-footer__link--next"',
                text,
            ),
            "next is '.*01-vector-add",
        )
        case(
            "small text",
            site,
            css,
            lambda text: text + ".md-typeset { font-size: 11px !important }",
            r"\(desk\): small text",
        )
        case(
            "small text on a phone only",
            site,
            css,
            lambda text: text + "@media (max-width: 600px) { .md-typeset p { font-size: 13px } }",
            r"\(phone\): small text: 13",
        )
        case(
            "small text in tables only",
            site,
            css,
            lambda text: text + ".md-typeset table:not([class]) td { font-size: 10px }",
            "small text: 10",
        )
        case(
            "a figure shrunk",
            site,
            css,
            lambda text: text + ".md-typeset img { width: 100px !important }",
            "a figure is shrunk",
        )
        case(
            "a search index without a word",
            site,
            index,
            lambda text: re.sub("latency", "delay", text, flags=re.I),
            "the search for 'latency' does not bring up 11",
        )
        case(
            "an empty search index",
            site,
            index,
            lambda text: (
                '{"config":{"lang":["en"],"separator":"[\\\\s\\\\-]+","pipeline":["stopWordFilter"]},"docs":[]}'
            ),
            "the search for 'barrier' does not bring up 06",
        )
        case(
            "no search field",
            site,
            "index.html",
            lambda text: text.replace('data-md-component="search-query"', ""),
            "the search for 'latency'",
        )
        case(
            "a picture missing",
            site,
            PAGE,
            lambda text: text.replace("figures/ndrange.svg", "figures/no.svg"),
            "no picture: ",
        )
        case(
            "too wide",
            site,
            PAGE,
            into_article('<div style="width: 900px">wide</div>'),
            r"\(phone\): sticks out to the right",
        )
        case(
            "a link that leads nowhere",
            site,
            PAGE,
            into_article('<a href="../no-such-page/">link</a>'),
            "no-such-page/ leads nowhere",
        )
        case(
            "an anchor that is not there",
            site,
            PAGE,
            into_article('<a href="#no-such-anchor">link</a>'),
            "no #no-such-anchor",
        )
        case("an error on the console", site, PAGE, into_article("<script>console.error('no')</script>"), "console: ")
        case("an exception", site, PAGE, into_article("<script>nothing()</script>"), "exception: ")
        case(
            "another server asked",
            site,
            PAGE,
            into_article('<img src="http://127.0.0.2:9/x.png" alt="">'),
            "asks another server",
        )
        case(
            "no colours",
            site,
            PAGE,
            lambda text: text.replace("language-opencl", "language-text"),
            "no listing in OpenCL C",
        )
        case("a fence left in the text", site, PAGE, into_article("<p>```c</p>"), "a fence")
        case(
            "no heading", site, PAGE, lambda text: re.sub(r"<h1(.*?)</h1>", r"<p\1</p>", text, flags=re.S), "no heading"
        )
        case(
            "a text that leaves its figure",
            site,
            figure,
            lambda text: text.replace("</svg>", '<text x="-9" y="30" font-size="14">out</text></svg>'),
            "cut off, .*'out'",
        )
        case(
            "a figure that moves",
            site,
            figure,
            lambda text: text.replace(
                "<defs>", "<style>rect{animation:x 5s infinite}@keyframes x{0%{opacity:0}}</style><defs>", 1
            ),
            "it moves",
        )
        case(
            "a small text in a figure",
            site,
            figure,
            lambda text: text.replace("</svg>", '<text x="60" y="60" font-size="9">tiny</text></svg>'),
            "too small: 'tiny'",
        )
        case(
            "a pale text in a figure",
            site,
            figure,
            lambda text: text.replace("</svg>", '<text x="60" y="60" font-size="14" fill="#bbbbbb">pale</text></svg>'),
            "hard to read, light: pale",
        )
        case(
            "a text that is dark on a dark page",
            site,
            figure,
            lambda text: text.replace("</svg>", '<text x="60" y="60" font-size="14" fill="#1f2933">dark</text></svg>'),
            "hard to read, dark: dark",
        )
        case(
            "a search index behind every page",
            site,
            "site.js",
            lambda text: text.replace("if (this.forSearch) wanted", "if (0) wanted"),
            "the search index is loaded before anybody searches",
        )
        case(
            "a heavy page",
            site,
            "extra.css",
            lambda text: (
                text + "/* " + "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=300_000)) + " */"
            ),
            r"the page is \d+ bytes, more than 300000",
        )
        case(
            "a picture with one word",
            site,
            PAGE,
            lambda text: re.sub(r'alt="[^"]*"', 'alt="launch"', text, count=1),
            "a picture without words: .*launch",
        )
        case(
            "a hint that is open",
            site,
            EXERCISE,
            lambda text: text.replace('class="hint"', 'class="hint" open', 1),
            "1 of them unfolded",
        )
        case("no hints", site, EXERCISE, lambda text: text.replace('class="hint"', 'class="note"'), "0 hints")
        case(
            "no way back from an exercise",
            site,
            EXERCISE,
            lambda text: text.replace('href="../../"', 'href="../"'),
            "no way back to the lesson",
        )
        case(
            "an exercise that is passed by",
            site,
            EXERCISE,
            lambda text: re.sub(
                r'(?s)href="[^"]*"( class="md-footer__link md-footer__link--next")',
                r'href="../../../07-dot-product-profiling/"\1',
                text,
            ),
            "exercises/1-missing-barrier/index.html .desk.: next is",
        )
        case(
            "a hint that does not unfold",
            site,
            EXERCISE,
            lambda text: text.replace("<summary>Hint 1</summary>", "<b>Hint 1</b>"),
            "without JavaScript: 1 hints do not unfold",
        )
        case(
            "a page that only a script shows",
            site,
            EXERCISE,
            lambda text: text.replace("</head>", "<style>.no-js article { display: none }</style></head>"),
            "without JavaScript: 0 characters",
        )
        case(
            "CUDA's words not known",
            site,
            index,
            lambda text: text.replace("CUDA: thread", "CUDA: fiber").replace("thread", "fiber"),
            "the search for 'thread' does not bring up 03",
        )
        case(
            "listings before lessons",
            site,
            index,
            lambda text: re.sub(r'"boost":0.05', '"boost":9e9', re.sub(r'"tags":\[[^]]*\],?', "", text)).replace(
                ",}", "}"
            ),
            "brings up a listing first|does not bring up 06",
        )
