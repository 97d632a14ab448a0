"""Assembles the site's pages from the READMEs and docs/, which stay the only copy in git.

    python3 site/assemble.py FOLDER SITE      writes FOLDER/pages and FOLDER/mkdocs.yml; SITE: the output

The landing page is site/home.md; the README is a page among others. An
exercise stands in the navigation below its lesson, with its hints folded. Below the figure of a chapter that has a
recording (site/recordings/) stands its player, site/player/, and below that of a laboratory (site/labs/) the
laboratory, site/labs/: without JavaScript, the figure alone.

Done on the way: README.md becomes index.md; links to source files lead to pages that show them; lists are
indented as Python-Markdown wants them; ```c becomes OpenCL C, and on some pages also CUDA C++ (in_cuda.py); the comments for
the check `docs` are left out; figures learn to be dark. What concerns finished pages and the search is in pages.py.
"""

import html
import json
import os
import pathlib
import re
import shutil
import sys

from in_cuda import with_tabs

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Folders whose README is about the house, and the first page of no section.
HOUSE = ("common", "checker", "tests", "site/recordings", "tools", "examples")
ANSWERS = ROOT / "docs/exam_answers.md"  # a page that no menu leads to
ADDRESSES = {"site": "SITE_URL", "repo": "REPOSITORY_URL"}
SHOWN = "cpp:cpp h:cpp cu:cpp cl:opencl py:python txt:cmake cmake:cmake sh:sh json:json csv:text"
SHOWN = dict(f".{suffix}".split(":") for suffix in SHOWN.split())

# What the page of the first steps adds where nobody has said where the repository is.
NO_ADDRESS = (
    "This copy of the site was not told the address. Until you have it,"
    " [the puzzles](../06-dot-product-reduction/index.md?puzzle=1#see-it-run) need nothing but your browser."
)
DARK = dict(re.findall(r"(?m)^ *--c(\w{6}): (#\w{6});$", (ROOT / "site/dark.css").read_text()))


def both_schemes(svg):
    """A figure in its own colours on a light page, and in those of dark.css on a dark one."""
    pattern = r'(?<![\w("])#([0-9a-f]{6})(?![\w-])|(?<==")#([0-9a-f]{6})(?=")'
    used = sorted({a or b for a, b in re.findall(pattern, svg)})
    if missing := [color for color in used if color not in DARK]:
        sys.exit(f"site/dark.css does not say what becomes of {missing} on a dark page")
    light = "".join(f"--c{color}:#{color};" for color in used)
    dark = "".join(f"--c{color}:{DARK[color]};" for color in used)
    style = f"<style>svg{{{light}}}@media (prefers-color-scheme: dark){{svg{{{dark}}}}}</style>"
    svg = re.sub(pattern, lambda m: f"var(--c{m[1] or m[2]})", svg)
    return re.sub(r"(<svg\b[^>]*>)", lambda m: m[1] + style, svg, count=1)


def page_of(path):
    """Where a Markdown file of the repository lies in the site."""
    if path == ROOT / "README.md":
        return pathlib.Path("repository.md")
    path = path.relative_to(ROOT)
    if path.parts[0] == "site":  # site/labs/coalescing.md is the page labs/coalescing/
        path = path.relative_to("site")
    if path.name == "README.md" and path.parts[0] in ("recordings", *HOUSE):  # not the first page of a section
        return path.parent.with_suffix(".md")
    return path.parent / "index.md" if path.name == "README.md" else path


def sections():
    """The pages by section of the navigation, in the order in which they are read; a chapter has its exercises with it."""
    docs, results = ROOT / "docs", ROOT / "docs" / "results"
    first = "questions setup concepts calls errors tools cuda gpu gpu-and-cuda benchmarking beyond sources".split()
    house = [page for folder in HOUSE for page in sorted((ROOT / folder).rglob("README.md"))]
    found = {
        "Laboratories": sorted((ROOT / "site" / "labs").glob("*.md")),
        "To look up": [docs / f"{name}.md" for name in first],
        "Measured": [results / "README.md", *sorted(results.glob("*/README.md")), results / "log.md"],
        "For teachers": [docs / f"{name}.md" for name in ("teaching", "exam")],
        "How it is made": [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *house],
    }
    named = {page for pages in found.values() for page in pages} | {docs / "start.md", ANSWERS}
    found["How it is made"] += sorted(page for page in docs.glob("**/*.md") if page not in named)
    return found


def chapters():
    """Each lesson, and its exercises in order."""
    lessons = sorted(ROOT.glob("[0-9][0-9]-*/README.md"))
    return {lesson: sorted(lesson.parent.glob("exercises/*/README.md")) for lesson in lessons}


def title(path):
    if path == ROOT / "README.md":
        return "The repository"
    return next((line[2:].strip() for line in path.read_text().splitlines() if line.startswith("# ")), path.stem)


def folded_hints(exercise):
    """The hints of an exercise, each folded: hints.txt has them by paragraph, with the line that says when."""
    lines = ["", "## Hints", "", "One at a time, when you are stuck:", ""]
    for i, hint in enumerate(re.split(r"\n\s*\n", (exercise.parent / "hints.txt").read_text().strip()), 1):
        text = html.escape(" ".join(re.sub(r"(?m)^when:.*", "", hint).split()), quote=False)
        text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
        lines += [f'<details class="hint"><summary>Hint {i}</summary><p>{text}</p></details>', ""]
    return lines


def reindent(lines):
    """Lists as Python-Markdown reads them: four spaces a level, and a blank line before the first item."""
    result, stack, fence = [], [], False
    for line in lines:
        text, indent = line.lstrip(), len(line) - len(line.lstrip())
        if not text:
            result.append("")
            continue
        item = re.match(r"(?:[-*]|\d+\.) +(?=\S)", text) if not fence else None
        ends_a_list = result[-1:] == [""] or re.match(r"([-*]|\d+\.) |```|#|\|", text)
        while not fence and stack and indent < stack[-1] and ends_a_list:
            stack.pop()
        if text.startswith("```"):
            fence = not fence
        if item and not stack and result and result[-1] and not re.match(r"([-*]|\d+\.) ", result[-1].lstrip()):
            result.append("")
        result.append(" " * max(0, indent + 4 * len(stack) - (stack[-1] if stack else 0)) + text)
        if item:
            stack.append(indent + item.end())
    return result


def players():
    """The recordings by the figure that their player stands below, {(chapter, figure): path}, and their puzzles, {chapter: [...]}."""
    found, puzzles = {}, {}
    for path in sorted((ROOT / "site" / "recordings").glob("*.json")):
        recording = json.loads(path.read_text())
        launch = recording["launch"]
        found[launch["chapter"], launch["figure"]] = path
        puzzles[launch["chapter"]] = recording.get("what_if", {}).get("puzzles", [])
    return found, puzzles


def player(up, recording, number=None):
    """A player as HTML; `up` leads to the top of the site, `number` is that of the puzzle it begins with."""
    text = recording.read_text()
    queues = '"runs": [' in text  # a host's commands, not a kernel's accesses
    scripts = ("commands", "queues") if queues else ("machine", "player")
    kind = " player-queues" * queues + " player-tries" * ('"try":' in text and not number)  # higher, from the start
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
    """The README's table of rates as bars: of each row the largest size, as a share of what the library reaches."""
    table = re.search(r"<!-- fast:.*?-->\n\n(.*?)\n\n<!-- end of fast", readme, re.DOTALL)
    if not table:
        sys.exit("site/assemble.py: README.md has no table of rates")
    head, _, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table[1].splitlines()]
    largest = []
    for what, _, _, library, *cells in rows:
        size, cell = [pair for pair in zip(head[4:], cells) if pair[1]][-1]
        largest.append((what, size, library, re.match(r"\*\*([\d.]+)", cell)[1]))
    most = max(float(ratio) for *_, ratio in largest)
    bars = [
        f'<li><span class="home-what">matrix product, {size}: chapter {what}</span>'
        f'<span class="home-rate"><span class="home-bar" style="--share: {float(ratio) / most:.2f}"></span>'
        f"<b>{ratio}</b> of {library}</span></li>"
        for what, size, library, ratio in largest
    ]
    return '<ul class="home-fast">\n' + "\n".join(bars) + "\n</ul>"


class Site:
    def __init__(self, folder):
        self.pages = folder / "pages"
        self.sources = {}  # source file -> page that shows it
        self.players, self.puzzles = players()

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
        """A page of the repository, with the player or the laboratory below its figure."""
        lines, inside = [], False
        lab, up = page.stem, os.path.relpath(ROOT, page.with_suffix(""))  # of a laboratory: its page is a folder
        for line in re.sub(r"(?ms)^ *<!-- .*?-->\n", "", page.read_text()).splitlines():
            figure = None
            if line.strip().startswith("```"):
                inside = not inside
                line = re.sub(r"```c$", "```opencl", line)
            elif not inside:
                line = line.replace("<details>", '<details markdown="1">')
                line = re.sub(r"\]\(([^)\s]+)\)", lambda m: f"]({self.link(page, m.group(1))})", line)
                figure = re.search(r"^!\[.*\]\(\S*figures/([\w-]+)\.svg\)$", line)
            lines.append(line)
            if line == "## Exercises" and (puzzles := self.puzzles.get(page.parent.name)):
                links = [f"[{puzzle['title']}](index.md?puzzle={i}#see-it-run)" for i, puzzle in enumerate(puzzles, 1)]
                lines += ["", f"Before them, in this page and with nothing to install: {' · '.join(links)}", ""]
            if figure and (page.parent.name, figure[1]) in self.players:
                lines += player(os.path.relpath(ROOT, page.parent), self.players[page.parent.name, figure[1]])
            if figure and page.parent.name == "labs":
                scripts = [f'<script src="{up}/labs/{name}.js" defer></script>' for name in ("machines", "lab", lab)]
                lines += ["", f'<div class="lab" data-lab="{lab}"></div>', *scripts, ""]
        if page.parent.parent.name == "exercises":
            lesson = page.parents[2]
            lines[1:1] = ["", f"Exercise of [{title(lesson / 'README.md')}](../../index.md)", ""]
            for i, puzzle in enumerate(self.puzzles.get(lesson.name, []), 1):
                if ROOT / puzzle["exercise"] == page.parent:
                    lines[2] += f" · Before it: [a puzzle in the page](../../index.md?puzzle={i}#see-it-run)"
            lines += folded_hints(page)
        text = with_tabs(page.relative_to(ROOT), "\n".join(reindent(lines)) + "\n")
        # The line that clones the repository, and what docs/start.md says of it.
        if address := os.environ.get("REPOSITORY_URL"):
            text = re.sub(r"(?<=git clone )ADDRESS[A-Z-]*", lambda _: address, text)
            text = re.sub(r"(?ms)^`ADDRESS` is .*?\n\n", "", text)
        else:
            text = re.sub(r"(?ms)^(`ADDRESS` is .*?)\n\n", rf"\1 {NO_ADDRESS}\n\n", text)
        self.write(page_of(page), text)

    def add_home(self):
        """The landing page: site/home.md, with a puzzle, and the README's rates and new ideas."""
        readme = (ROOT / "README.md").read_text()
        text = (ROOT / "site/home.md").read_text().replace("{{fast}}", fast(readme))
        puzzle = "\n".join(player(".", self.players["06-dot-product-reduction", "reduction-tree"], number=1))
        text = text.replace("{{puzzle}}", puzzle.replace("### See it run", "### Make it right {#see-it-run}"))
        text = re.sub(r"\{\{(\d\d)-(\d\d)\}\}", lambda m: part(readme, *m.groups()), text)
        self.write("index.md", text.replace("{{code}}", os.environ.get("REPOSITORY_URL") or "repository.md"))
        # Whoever asks for the movement has seen the whole figure: it begins at once.
        tree = (ROOT / "docs/figures/reduction-tree.svg").read_text()
        moving = re.sub(r"s linear [\d.]+s infinite", "s linear infinite", tree)
        self.write("home/reduction-tree-moving.svg", both_schemes(moving))

    def add_sources(self):
        done = set()
        while todo := set(self.sources) - done:
            done |= todo
            for path in todo:
                text = f"# {path.relative_to(ROOT)}"
                if path.is_dir():
                    files = [file for file in sorted(path.iterdir()) if file.suffix in SHOWN]
                    self.sources.update({file: file.relative_to(ROOT).with_name(file.name + ".md") for file in files})
                    text += "/\n\n" + "\n".join(f"- [{file.name}]({file.name}.md)" for file in files) + "\n"
                else:
                    readme = path.parent / "README.md"  # the lesson or exercise that it is of
                    if re.match(r"\d\d-", str(path.relative_to(ROOT))) and readme.exists():
                        text += f"\n\nOf [{title(readme)}](index.md)"
                    text += f"\n\n```{SHOWN.get(path.suffix, 'text')}\n{path.read_text().rstrip()}\n```\n"
                self.write(self.sources[path], with_tabs(path.relative_to(ROOT), text))


def short_names():
    """The machines of docs/results, as the first link to each calls it there: {folder: name}."""
    text = (ROOT / "docs/results/README.md").read_text()
    links = re.findall(r"\[([^]]+)\]\((\w[\w-]*)/README\.md\)", text)
    return {folder: " ".join(name.split()) for name, folder in reversed(links)}


def machines():
    """For the laboratories: each machine of docs/results whose memory has been measured, with its ceilings, in 10^9 a
    second, and what the chapters reached at their largest size: name, FLOP per byte moved at least, GFLOP/s."""
    sys.path.append(str(ROOT / "tools" / "bench"))
    import tables

    found = []
    for folder, name in sorted(short_names().items()):
        results = ROOT / "docs/results" / folder
        record = json.loads((results / "record.json").read_text()) if (results / "record.json").exists() else {}
        if "GB/s" in record:
            points = tables.points(record, *(tables.read(results / f"{table}.csv") for table in ("matmul", "vectors")))
            ours = [list(point) for point in points if point[0][:2].isdigit()]
            found.append({"name": name, "bytes": record["GB/s"], "flops": record["GFLOP/s"], "points": ours})
    found.sort(key=lambda machine: -machine["bytes"])
    return "const MACHINES = " + json.dumps(found) + ";\n"


def navigation():
    """The lines of `nav` in mkdocs.yml."""
    lines = ["nav:", "  - Home: index.md", f'  - "{title(ROOT / "docs/start.md")}": docs/start.md', "  - Chapters:"]
    for lesson, exercises in chapters().items():
        lines += [f'    - "{title(lesson)}":', f"      - {page_of(lesson)}"]
        lines += [f'      - "{title(p)}": {page_of(p)}' for p in exercises]
    short = {ROOT / "docs/results" / folder / "README.md": name for folder, name in short_names().items()}
    for name, pages in sections().items():
        lines += [f"  - {name}:", *[f'    - "{short.get(p, title(p))}": {page_of(p)}' for p in pages]]
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
    for pattern in ("docs/**/*.svg", "[0-9][0-9]-*/*.svg", "tools/**/*.svg"):
        for figure in ROOT.glob(pattern):
            # Without its movement: nothing could stop it in the middle of a page; what moves there are the players.
            standing = re.sub(r"(?s)<style>@media screen.*?</style>\n", "", figure.read_text())
            site.write(figure.relative_to(ROOT), both_schemes(standing))
    for name in ("extra.css", "favicon.svg", "card.png"):
        shutil.copy(ROOT / "site" / name, site.pages)
    for scripts in ("player", "labs"):  # pages of the laboratories stand there already
        ignore = shutil.ignore_patterns("*.md")
        shutil.copytree(ROOT / "site" / scripts, site.pages / scripts, dirs_exist_ok=True, ignore=ignore)
    site.write("labs/machines.js", machines())
    for recording in site.players.values():
        site.write(recording.relative_to(ROOT), recording.read_text())
    settings = [
        f"INHERIT: {os.path.relpath(ROOT / 'site/mkdocs.yml', folder)}",
        "docs_dir: pages",
        f"site_dir: {output}",
        f"theme:\n  custom_dir: {ROOT}/site/theme",
        f"hooks:\n  - {ROOT}/site/opencl_lexer.py\n  - {ROOT}/site/pages.py",
        *navigation(),
        # Where the site will stand, and where its repository is, if whoever builds it says so.
        *(f"{key}_url: {os.environ[name]}" for key, name in ADDRESSES.items() if os.environ.get(name)),
        "not_in_nav: |",
        *(f"  /{to}" for to in sorted(map(str, [*site.sources.values(), page_of(ANSWERS)]))),
    ]
    (folder / "mkdocs.yml").write_text("\n".join(settings) + "\n")
    print(f"{len(pages) + 1} pages and {len(site.sources)} source files in {site.pages}")


main()
