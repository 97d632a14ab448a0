"""Assembles the site's pages from the READMEs and docs/, which stay the only copy in git.

    python3 docs/site/assemble.py FOLDER SITE      writes FOLDER/pages and FOLDER/mkdocs.yml; SITE: the output

Below the figure of a chapter that has a recording (docs/recordings/) stands its player, docs/site/player/: without
JavaScript, the figure alone.

Done on the way: README.md becomes index.md; links to source files lead to pages that show them; lists are
indented as Python-Markdown wants them; ```c becomes OpenCL C; the comments for the check `docs` are left out.
"""

import json
import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHOWN = {
    ".cpp": "cpp",
    ".h": "cpp",
    ".cl": "opencl",
    ".py": "python",
    ".txt": "cmake",
    ".cmake": "cmake",
    ".sh": "sh",
    ".json": "json",
}


def page_of(path):
    """Where a Markdown file of the repository lies in the site."""
    path = path.relative_to(ROOT)
    return path.parent / "index.md" if path.name == "README.md" else path


def markdown_files():
    chapters = sorted(ROOT.glob("[0-9][0-9]-*/README.md"))
    docs = [
        p
        for name in ("setup", "concepts", "calls", "errors", "tools", "cuda", "beyond", "sources")
        if (p := ROOT / "docs" / f"{name}.md").exists()
    ]
    more = sorted(
        page
        for place in ("CONTRIBUTING.md", "docs/**/*.md", "tests/README.md", "bench/README.md")
        for page in ROOT.glob(place)
    )
    return [ROOT / "README.md"], chapters, docs + [p for p in more if p not in docs]


def title(path):
    return next((line[2:].strip() for line in path.read_text().splitlines() if line.startswith("# ")), path.stem)


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
    """The recordings by the figure that their player stands below: {(chapter, figure): path}."""
    found = {}
    for path in sorted((ROOT / "docs" / "recordings").glob("*.json")):
        launch = json.loads(path.read_text())["launch"]
        found[launch["chapter"], launch["figure"]] = path
    return found


class Site:
    def __init__(self, folder):
        self.pages = folder / "pages"
        self.sources = {}  # source file -> page that shows it
        self.players = players()
        self.exercises = set()  # texts of exercises that a page links to: pages too, but not in the list of pages

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
            if path.parent.parent.name == "exercises":
                self.exercises.add(path)
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
            figure = re.search(r"^!\[.*\]\(\S*/figures/([\w-]+)\.svg\)$", line)
            recording = self.players.get((page.parent.name, figure.group(1))) if figure and not inside else None
            if recording:
                up = os.path.relpath(ROOT, page.parent)
                lines += [
                    "",
                    f'<div class="player" data-recording="{up}/{recording.relative_to(ROOT)}"></div>',
                    *[f'<script src="{up}/player/{name}.js" defer></script>' for name in ("machine", "player")],
                    "",
                ]
        self.write(page_of(page), "\n".join(reindent(lines)) + "\n")

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
                    self.write(self.sources[path], f"# {name}\n\n```{language}\n{path.read_text().rstrip()}\n```\n")


def main():
    folder, output = (pathlib.Path(a).resolve() for a in sys.argv[1:])
    shutil.rmtree(folder / "pages", ignore_errors=True)
    site = Site(folder)
    top, chapters, docs = markdown_files()
    for page in top + chapters + docs:
        site.add_page(page)
    for page in sorted(site.exercises):
        site.add_page(page)
    site.add_sources()
    for figure in (
        list(ROOT.glob("docs/**/*.svg")) + list(ROOT.glob("[0-9][0-9]-*/*.svg")) + list(ROOT.glob("bench/**/*.svg"))
    ):
        to = site.pages / figure.relative_to(ROOT)
        to.parent.mkdir(parents=True, exist_ok=True)
        # The site's pages stand still: nothing could stop what moves in a picture. What moves there are the players.
        to.write_text(re.sub(r"(?s)<style>@media screen.*?</style>\n", "", figure.read_text()))
    shutil.copy(ROOT / "docs/site/extra.css", site.pages)
    shutil.copytree(ROOT / "docs/site/player", site.pages / "player")
    (site.pages / "docs/recordings").mkdir(exist_ok=True)
    for recording in site.players.values():
        shutil.copy(recording, site.pages / "docs/recordings")
    # Read in this order.
    nav = ["nav:", "  - Start: index.md", "  - Chapters:"]
    nav += [f'    - "{title(p)}": {page_of(p)}' for p in chapters]
    nav += ["  - To look up:"] + [f'    - "{title(p)}": {page_of(p)}' for p in docs]
    base = os.path.relpath(ROOT / "docs/site/mkdocs.yml", folder)
    hidden = sorted(map(str, [*site.sources.values(), *map(page_of, site.exercises)]))
    nav += ["not_in_nav: |", *[f"  /{to}" for to in hidden]] if hidden else []
    (folder / "mkdocs.yml").write_text(
        f"INHERIT: {base}\ndocs_dir: pages\nsite_dir: {output}\nhooks:\n  - {ROOT}/docs/site/opencl_lexer.py\n"
        + "\n".join(nav)
        + "\n"
    )
    print(
        f"{len(top + chapters + docs) + len(site.exercises)} pages and {len(site.sources)} source files in {site.pages}"
    )


main()
