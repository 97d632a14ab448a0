"""Assembles the site's pages from the READMEs and docs/, which stay the only copy in git.

    python3 site/assemble.py FOLDER SITE      writes FOLDER/pages and FOLDER/mkdocs.yml; SITE: the output

The landing page is site/home.md, with parts of the README in it; the README itself is a page among others. An
exercise stands in the navigation below its lesson, with its hints folded. Below the figure of a chapter that has a
recording (site/recordings/) stands its player, site/player/, and below that of a laboratory (site/labs/) the
laboratory, site/labs/: without JavaScript, the figure alone.

Done on the way: README.md becomes index.md; links to source files lead to pages that show them; lists are
indented as Python-Markdown wants them; ```c becomes OpenCL C; the comments for the check `docs` are left out; figures
learn to be dark. What concerns finished pages and the search is in pages.py.
"""

import csv
import html
import json
import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Folders whose README is about the house, and the first page of no section.
HOUSE = ("checker", "common", "examples", "recordings", "tests", "tools")
ANSWERS = ROOT / "docs/exam_answers.md"  # a page that no menu leads to
SHOWN = {
    ".cpp": "cpp",
    ".h": "cpp",
    ".cl": "opencl",
    ".py": "python",
    ".txt": "cmake",
    ".cmake": "cmake",
    ".sh": "sh",
    ".json": "json",
    ".csv": "text",
}


# What the page of the first steps adds where nobody has said where the repository is.
NO_ADDRESS = (
    "This copy of the site was not told the address. Until you have it,"
    " [the puzzles](../06-dot-product-reduction/index.md?puzzle=1#see-it-run) need nothing but your browser."
)

# The figures' colours (tools/figures/draw.py, tools/bench/) on a dark page. A picture asks the page's own scheme, not the
# system's: `color-scheme` goes down to what is shown as a picture.
DARK = {
    "#1f2933": "#e8ebee",
    "#000000": "#e8ebee",
    "#5b6670": "#b3bcc5",
    "#8a949d": "#84909c",
    "#fcfbf7": "#1c222b",
    "#cfcabd": "#3a4450",
    "#ffffff": "#12171e",
    "#eceae2": "#2a323c",
    "#f1f0ea": "#252d36",
    "#2b6cb0": "#86bdf5",
    "#2f7d4f": "#85d3a4",
    "#b7561a": "#f2ab76",
    "#c22f2f": "#f59a9a",
    "#6b4fa3": "#c3b0f2",
    "#147a7e": "#74cfd2",
    "#dcebfa": "#1c3d61",
    "#dcf2e3": "#1b4630",
    "#fce8d6": "#54300f",
    "#fbdcdc": "#5e2323",
    "#e9e2f7": "#3a2e5c",
    "#d8f0f0": "#12484b",
    "#93bde8": "#2f5f90",
    "#8fcca5": "#2d6b45",
    "#f2b78a": "#7f4c1f",
    "#a8a949": "#a8a949",
    "#f4f8fc": "#18212c",
    "#fdf4ec": "#2a2019",
    "#f3f8f4": "#18241d",
    "#2866a8": "#86bdf5",
    "#2a7448": "#85d3a4",
    "#a94e14": "#f2ab76",
    "#b82a2a": "#f59a9a",
    "#12696d": "#74cfd2",
    "#0b5cad": "#79b4f2",
    "#8a1c62": "#f09bcf",
    "#7a5c00": "#e3c15a",
}


def both_schemes(svg):
    """A figure in its own colours on a light page, and in those of DARK on a dark one."""
    pattern = r'(?<![\w("])#[0-9a-f]{6}(?![\w-])|(?<==")#[0-9a-f]{6}(?=")'
    used = sorted(set(re.findall(pattern, svg)))
    if missing := [color for color in used if color not in DARK]:
        sys.exit(f"site/assemble.py: DARK does not say what becomes of {missing} on a dark page")
    light = "".join(f"--c{c[1:]}:{c};" for c in used)
    dark = "".join(f"--c{c[1:]}:{DARK[c]};" for c in used)
    style = f"<style>svg{{{light}}}@media (prefers-color-scheme: dark){{svg{{{dark}}}}}</style>"
    svg = re.sub(pattern, lambda m: f"var(--c{m.group()[1:]})", svg)
    return re.sub(r"(<svg\b[^>]*>)", lambda m: m.group(1) + style, svg, count=1)


def standing(svg):
    """A figure without its movement. Nothing could stop it in the middle of a page; what moves there are the players."""
    return re.sub(r"(?s)<style>@media screen.*?</style>\n", "", svg)


def page_of(path):
    """Where a Markdown file of the repository lies in the site."""
    if path == ROOT / "README.md":
        return pathlib.Path("repository.md")
    path = path.relative_to(ROOT)
    if path.parts[0] == "site":  # site/labs/coalescing.md is the page labs/coalescing/
        path = path.relative_to("site")
    if path.name == "README.md" and path.parts[0] in HOUSE:  # not the first page of a section
        return path.parent.with_suffix(".md")
    return path.parent / "index.md" if path.name == "README.md" else path


def sections():
    """The pages by section of the navigation, in the order in which they are read; a chapter has its exercises with it."""
    docs = ROOT / "docs"
    first = ("questions", "setup", "concepts", "calls", "errors", "tools", "cuda", "benchmarking", "beyond", "sources")
    found = {
        "Laboratories": sorted((ROOT / "site" / "labs").glob("*.md")),
        "To look up": [docs / f"{name}.md" for name in first if (docs / f"{name}.md").exists()],
        "Measured": [
            docs / "results" / "README.md",
            *sorted((docs / "results").glob("*/README.md")),
            docs / "results" / "log.md",
        ],
        "For teachers": [docs / f"{name}.md" for name in ("teaching", "exam")],
        "How it is made": [
            ROOT / "README.md",
            ROOT / "CONTRIBUTING.md",
            *(
                page
                for folder in ("common", "checker", "tests", "site/recordings", "tools", "examples")
                for page in sorted((ROOT / folder).rglob("README.md"))
            ),
        ],
    }
    named = {page for pages in found.values() for page in pages} | {docs / "start.md", ANSWERS}
    found["How it is made"] += sorted(p for p in docs.glob("**/*.md") if p not in named)
    return {name: [p for p in pages if p.exists()] for name, pages in found.items()}


def chapters():
    """Each lesson, and its exercises in order."""
    return {
        lesson: sorted(lesson.parent.glob("exercises/*/README.md"))
        for lesson in sorted(ROOT.glob("[0-9][0-9]-*/README.md"))
    }


def title(path):
    if path == ROOT / "README.md":
        return "The repository"
    return next((line[2:].strip() for line in path.read_text().splitlines() if line.startswith("# ")), path.stem)


def folded_hints(exercise):
    """The hints of an exercise, each folded: hints.txt has them by paragraph, with the line that says when."""
    path = exercise.parent / "hints.txt"
    hints = [p for p in re.split(r"\n\s*\n", path.read_text().strip())] if path.exists() else []
    lines = ["", "## Hints", "", "One at a time, when you are stuck:", ""] if hints else []
    for i, hint in enumerate(hints, 1):
        text = "\n".join(line for line in hint.splitlines() if not line.startswith("when:"))
        lines += [f'<details class="hint"><summary>Hint {i}</summary><p>{in_html(text)}</p></details>', ""]
    return lines


def in_html(text):
    """Plain text with code in backticks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False)).replace("\n", " ")


def reindent(lines):
    """Lists as Python-Markdown reads them: four spaces a level, and a blank line before the first item."""
    result, stack, fence = [], [], None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            result.append("")
            continue
        if fence is None:
            while (
                stack
                and indent < stack[-1]
                and (
                    result[-1:] == [""]
                    or re.match(r"\s*([-*]|\d+\.) ", line)
                    or line.lstrip().startswith(("```", "#", "|"))
                )
            ):
                stack.pop()
        base = stack[-1] if stack else 0
        shift = 4 * len(stack) - base
        if line.strip().startswith("```"):
            fence = None if fence is not None else indent
        elif fence is None and (match := re.match(r"(\s*)([-*]|\d+\.)( +)\S", line)):
            if not stack and result and result[-1] and not re.match(r"([-*]|\d+\.) ", result[-1].lstrip()):
                result.append("")
            result.append(" " * (4 * len(stack) + indent - base) + line.lstrip())
            stack.append(len(match.group(1)) + len(match.group(2)) + len(match.group(3)))
            continue
        result.append(" " * max(0, indent + shift) + line.lstrip() if indent + shift >= 0 else line)
    return result


def players():
    """The recordings by the figure that their player stands below: {(chapter, figure): path}; and the puzzles in them by the
    exercise that they prepare: {exercise: (chapter, number)}, and what they are called: {chapter: [title, ...]}."""
    found, puzzles, titles = {}, {}, {}
    for path in sorted((ROOT / "site" / "recordings").glob("*.json")):
        recording = json.loads(path.read_text())
        launch = recording["launch"]
        found[launch["chapter"], launch["figure"]] = path
        for i, puzzle in enumerate(recording.get("what_if", {}).get("puzzles", []), 1):
            puzzles.setdefault(puzzle["exercise"], (launch["chapter"], i))
            titles.setdefault(launch["chapter"], []).append(puzzle["title"])
    return found, puzzles, titles


def player(up, recording, kind="", number=None):
    """A player as HTML; `up` leads to the top of the site, `number` is that of the puzzle it begins with."""
    text = recording.read_text()
    queues = '"runs": [' in text  # a host's commands, not a kernel's accesses
    scripts = ("commands", "queues") if queues else ("machine", "player")
    kind += " player-queues" * queues + " player-tries" * ('"try":' in text and not number)  # higher, from the start
    kind += " player-tabbed" * ('"puzzles": [{' in text)
    begin = f' data-puzzle="{number}"' if number else ""
    return [
        "",
        f'<div class="player{kind}" data-recording="{up}/{recording.relative_to(ROOT)}" data-root="{up}"{begin} markdown="1">',
        "",
        "### See it run",  # in the table of contents, too
        "",
        "</div>",
        *[f'<script src="{up}/player/{name}.js" defer></script>' for name in ("frame", *scripts)],
        "",
    ]


def part(readme, first, last):
    """The chapters from `first` to `last` as a list: their titles, and the new idea as the README's table has it."""
    ideas = dict(re.findall(r"(?m)^\| (\d\d) \| \[.*?\]\(.*?\) \| (.*?) \|$", readme))
    lines = []
    for lesson in chapters():
        number = lesson.parent.name[:2]
        if first <= number <= last:
            name, idea = title(lesson), ideas.get(number)
            if idea:  # it says what the title says behind its colon
                name = name.split(": ")[0]
                idea = idea.removeprefix(name[5:].lower() + ", ")
            lines.append(f"- [{name}]({page_of(lesson)})" + (f"<br>{idea}" if idea else ""))
    return '<div class="home-chapters" markdown="1">\n\n' + "\n".join(lines) + "\n\n</div>"


def fast(readme):
    """The README's table of rates as bars: of each kernel the largest size, as a share of what the library reaches."""
    rows = re.findall(
        r"(?m)^\| ([^|]+) \| [^|]+ \| [^|]+ \| ([^|,]+), ([^|,]+), [^|]+ \| ([^|]+?) ([\d.,]+) \| (\w+) [\d.,]+ \| ([\d.]+) \|$",
        readme,
    )
    if not rows:
        sys.exit("site/assemble.py: README.md has no table of rates")
    largest = {
        (machine, work, kernel): (size, library, ratio) for machine, work, size, kernel, _, library, ratio in rows
    }
    bars = []
    for (machine, work, kernel), (size, library, ratio) in largest.items():
        size = re.sub(r"\^(\d+)", r"<sup>\1</sup>", size)
        bars.append(
            f'<li><span class="home-what">{work}, {size}, on {machine}: {kernel}</span>'
            f'<span class="home-rate"><span class="home-bar" style="--share: {float(ratio) / 2:.2f}"></span>'
            f"<b>{ratio}</b> of {library}</span></li>"
        )
    return '<ul class="home-fast">\n' + "\n".join(bars) + "\n</ul>"


class Site:
    def __init__(self, folder):
        self.pages = folder / "pages"
        self.sources = {}  # source file -> page that shows it
        self.players, self.puzzles, self.titles = players()

    def link(self, page, target):
        """A link's target as the site has it; source files get a page of their own."""
        if re.match(r"[a-z]+:|#", target):
            return target
        name, hash_sign, anchor = target.partition("#")
        path = (page.parent / name).resolve()
        if path.is_dir():
            path = path / "README.md" if (path / "README.md").exists() else path
        here = (ROOT / page_of(page)).parent
        if path.is_dir():
            to = path.relative_to(ROOT) / "files.md"
            self.sources[path] = to
        elif path.suffix == ".md":
            to = page_of(path)
        elif path.suffix in SHOWN or path.name in (".clang-format", "LICENSE", "run.sh", "test.sh"):
            to = path.relative_to(ROOT).parent / (path.name + ".md")
            self.sources[path] = to
        else:
            to = path.relative_to(ROOT)
        return os.path.relpath(ROOT / to, here) + hash_sign + anchor

    def write(self, to, text):
        path = self.pages / to
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def add_page(self, page):
        lines, inside = [], False
        for line in re.sub(r"(?ms)^ *<!-- .*?-->\n", "", page.read_text()).splitlines():
            if line.strip().startswith("```"):
                inside = not inside
                line = re.sub(r"```c$", "```opencl", line)
            elif not inside:
                line = line.replace("<details>", '<details markdown="1">')
                line = re.sub(r"\]\(([^)\s]+)\)", lambda m: f"]({self.link(page, m.group(1))})", line)
            lines.append(line)
            if line == "## Exercises" and page.parent.name in self.titles:
                links = (
                    f"[{title}](index.md?puzzle={i}#see-it-run)"
                    for i, title in enumerate(self.titles[page.parent.name], 1)
                )
                lines += ["", f"Before them, in this page and with nothing to install: {' · '.join(links)}", ""]
            figure = re.search(r"^!\[.*\]\(\S*figures/([\w-]+)\.svg\)$", line)
            recording = self.players.get((page.parent.name, figure.group(1))) if figure and not inside else None
            if recording:
                lines += player(os.path.relpath(ROOT, page.parent), recording)
            if page.parent.name == "labs" and figure and not inside:
                lab, up = page.stem, os.path.relpath(ROOT, page.with_suffix(""))  # a page is a folder
                lines += [
                    "",
                    f'<div class="lab" data-lab="{lab}"></div>',
                    f'<script src="{up}/labs/{lab}.js" defer></script>',
                    "",
                ]
                lines[-2:-2] = [f'<script src="{up}/labs/{name}.js" defer></script>' for name in ("machines", "lab")]
        if page.parent.parent.name == "exercises":
            lesson = page.parent.parent.parent / "README.md"
            chapter, number = self.puzzles.get(str(page.parent.relative_to(ROOT)), (None, 0))
            puzzle = (
                f" · Before it: [a puzzle in the page](../../index.md?puzzle={number}#see-it-run)" if chapter else ""
            )
            lines[1:1] = ["", f"Exercise of [{title(lesson)}](../../index.md){puzzle}", ""]
            lines += folded_hints(page)
        text = "\n".join(reindent(lines)) + "\n"
        # The line that clones the repository, and what docs/start.md says of it.
        if address := os.environ.get("REPOSITORY_URL"):
            text = re.sub(r"(?<=git clone )ADDRESS[A-Z-]*", lambda _: address, text)
            text = re.sub(r"(?ms)^`ADDRESS` is .*?\n\n", "", text)
        else:
            text = re.sub(r"(?ms)^(`ADDRESS` is .*?)\n\n", rf"\1 {NO_ADDRESS}\n\n", text)
        self.write(page_of(page), text)

    def add_home(self):
        """The landing page: site/home.md, where {{## A}} stands for a section of the README, without its heading."""
        readme = ROOT / "README.md"

        def section(match):
            text = readme.read_text()
            found = re.search(rf"(?ms)^{re.escape(match.group(1))}\n(.*?)(?=^## |\Z)", text)
            if not found:
                sys.exit(f"site/home.md: README.md has no section {match.group(1)!r}")
            return re.sub(r"\]\(([^)\s]+)\)", lambda m: f"]({self.link(readme, m.group(1))})", found.group(1).strip())

        text = (ROOT / "site/home.md").read_text().replace("{{fast}}", fast(readme.read_text()))
        puzzle = player(".", self.players["06-dot-product-reduction", "reduction-tree"], number=1)
        text = text.replace(
            "{{puzzle}}", "\n".join(puzzle).replace("### See it run", "### Make it right {#see-it-run}")
        )
        text = re.sub(r"\{\{(\d\d)-(\d\d)\}\}", lambda m: part(readme.read_text(), *m.groups()), text)
        text = text.replace("{{code}}", os.environ.get("REPOSITORY_URL") or "repository.md")
        self.write("index.md", re.sub(r"\{\{(## .*?)\}\}", section, text))
        # Whoever asks for the movement has seen the whole figure: it begins at once.
        moving = re.sub(
            r"s linear [\d.]+s infinite", "s linear infinite", (ROOT / "docs/figures/reduction-tree.svg").read_text()
        )
        moving = both_schemes(moving)
        self.write("home/reduction-tree-moving.svg", moving)

    def add_sources(self):
        done = set()
        while todo := set(self.sources) - done:
            for path in todo:
                done.add(path)
                name = path.relative_to(ROOT)
                if path.is_dir():
                    rows = []
                    for file in sorted(path.iterdir()):
                        if file.suffix in SHOWN:
                            self.sources[file] = name / (file.name + ".md")
                            rows.append(f"- [{file.name}]({file.name}.md)")
                    self.write(self.sources[path], f"# {name}/\n\n" + "\n".join(rows) + "\n")
                else:
                    language = SHOWN.get(path.suffix, "text")
                    readme = path.parent / "README.md"  # the lesson or exercise that it is of
                    back = (
                        f"Of [{title(readme)}](index.md)\n\n"
                        if re.match(r"\d\d-", str(name)) and readme.exists()
                        else ""
                    )
                    self.write(
                        self.sources[path], f"# {name}\n\n{back}```{language}\n{path.read_text().rstrip()}\n```\n"
                    )


def machines():
    """For the laboratories: each machine of docs/results with its ceilings, in 10^9 a second, and what the chapters
    reached at their largest size: name, FLOP per byte moved at least (as in tools/bench/plots.py), GFLOP/s."""
    found = []
    results = ROOT / "docs/results"
    links = re.findall(r"\[([^]]+)\]\((\w[\w-]*)/README\.md\)", (results / "README.md").read_text())
    for to, name in sorted({to: name for name, to in reversed(links)}.items()):  # called as the first link calls it
        if not (results / to / "record.json").exists():  # several devices of one machine
            continue
        record = json.loads((results / to / "record.json").read_text())
        if "GB/s" not in record:  # its memory has not been measured
            continue
        points = []
        for file in ("vectors.csv", "matmul.csv"):
            largest = {}
            for series, size, median, *_ in list(csv.reader((results / to / file).read_text().splitlines()))[1:]:
                if series[:2].isdigit() and int(size) >= largest.get(series, (0, 0))[0]:
                    largest[series] = int(size), float(median)
            for series, (size, rate) in largest.items():
                per_byte = record["FLOP per byte"].get(series, 1 / 4)
                points.append(
                    [series, per_byte, rate * per_byte] if file == "vectors.csv" else [series, size / 6, rate]
                )
        found.append(
            {"name": " ".join(name.split()), "bytes": record["GB/s"], "flops": record["GFLOP/s"], "points": points}
        )
    found.sort(key=lambda machine: -machine["bytes"])
    return "const MACHINES = " + json.dumps(found) + ";\n"


def navigation():
    """The lines of `nav` in mkdocs.yml."""
    lines = ["nav:", "  - Home: index.md", f'  - "{title(ROOT / "docs/start.md")}": docs/start.md', "  - Chapters:"]
    for lesson, exercises in chapters().items():
        lines += [f'    - "{title(lesson)}":', f"      - {page_of(lesson)}"]
        lines += [f'      - "{title(p)}": {page_of(p)}' for p in exercises]
    results = ROOT / "docs/results/README.md"  # calls its machines by short names
    links = re.findall(r"\[([^]]+)\]\(([\w-]+/README\.md)\)", results.read_text())
    short = {results.parent / to: " ".join(name.split()) for name, to in links}
    for name, pages in sections().items():
        lines += [f"  - {name}:"] * bool(pages) + [f'    - "{short.get(p, title(p))}": {page_of(p)}' for p in pages]
    return lines


def main():
    folder, output = (pathlib.Path(a).resolve() for a in sys.argv[1:])
    shutil.rmtree(folder / "pages", ignore_errors=True)
    site = Site(folder)
    lessons = [page for lesson, exercises in chapters().items() for page in (lesson, *exercises)]
    pages = [ROOT / "docs/start.md", ANSWERS, *lessons, *(page for some in sections().values() for page in some)]
    for page in pages:
        site.add_page(page)
    site.add_home()
    site.add_sources()
    for figure in (
        list(ROOT.glob("docs/**/*.svg")) + list(ROOT.glob("[0-9][0-9]-*/*.svg")) + list(ROOT.glob("tools/**/*.svg"))
    ):
        to = site.pages / figure.relative_to(ROOT)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(both_schemes(standing(figure.read_text())))
    for name in ("extra.css", "favicon.svg", "card.png"):
        shutil.copy(ROOT / "site" / name, site.pages)
    for part in ("player", "labs"):
        # Pages of the laboratories stand there already.
        shutil.copytree(
            ROOT / "site" / part,
            site.pages / part,
            dirs_exist_ok=True,
            ignore=lambda _, names: [n for n in names if n.endswith(".md")],
        )
    (site.pages / "labs/machines.js").write_text(machines())
    (site.pages / "site/recordings").mkdir(parents=True, exist_ok=True)
    for recording in site.players.values():
        shutil.copy(recording, site.pages / "site/recordings")
    nav = navigation()
    base = os.path.relpath(ROOT / "site/mkdocs.yml", folder)
    hidden = sorted(map(str, [*site.sources.values(), page_of(ANSWERS)]))
    # Where the site will stand, and where its repository is, if whoever builds it says so.
    nav += [
        f"{key}: {os.environ[name]}"
        for key, name in (("site_url", "SITE_URL"), ("repo_url", "REPOSITORY_URL"))
        if os.environ.get(name)
    ]
    nav += ["not_in_nav: |", *[f"  /{to}" for to in hidden]] if hidden else []
    (folder / "mkdocs.yml").write_text(
        f"INHERIT: {base}\ndocs_dir: pages\nsite_dir: {output}\n"
        f"theme:\n  custom_dir: {ROOT}/site/theme\n"
        f"hooks:\n  - {ROOT}/site/opencl_lexer.py\n  - {ROOT}/site/pages.py\n" + "\n".join(nav) + "\n"
    )
    print(f"{len(pages) + 1} pages and {len(site.sources)} source files in {site.pages}")


main()
