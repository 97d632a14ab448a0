"""Is the text in step with the code? Checks Markdown files, or mends them.

With --record, listings and outputs that differ are rewritten: `./test.sh --record -k "test_pages and 06"`.

An HTML comment before a fenced block says what the block is; it is invisible on the page:

    <!-- code: kernel.cl -->                              the whole file
    <!-- code: kernel.cl from `A` to `B` -->              from the line that begins with A to the next one
                                                          that begins with B; `}` is the closing brace of
                                                          A's own block; without "to", the one line.
                                                          Also: from `A`, 12 lines; after `B` from `A`
    <!-- diff: 05-x/host.cpp 06-y/host.cpp -->            hunks of a diff: all lines must stand in the files
    <!-- output: 06-dot-product-reduction 1000003 -->     what the program prints
    <!-- trap: 03-launch-geometry 1000; errors            what it prints with a defect: the lines that follow, in
    - if (i < n)                                          the notation of tests/defects.py
    -->
    <!-- run -->, <!-- run: 02-device-query; exit 1 -->   commands, executed in a copy of the repository,
                                                          in its root or in a folder of it
    <!-- seen: where -->, <!-- sketch: why -->, <!-- not run: why -->
                                                          a block that is not checked, and why

`trap` takes `env NAME=VALUE`, `tool oclgrind --data-races` and, for what is compared, `errors` (standard
error) or `both`; without either it is standard output. The lines of the defect may be left out. Files in `code` are looked for beside the page, then in the root. In outputs, device names, times and rounding
errors are masked; a line of `…` stands for any number of lines. Nothing is remembered from an earlier
run (chapter 20): each program finds an empty folder to remember in.

In chapters and in docs/, every block must be marked. Checked as well: that the first page leads to every chapter, and a
chapter's README to its exercises, and that such a README has its sections in order and three questions with folded
answers. (That links and anchors lead somewhere, MkDocs sees: site/build.sh.)
"""

import difflib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap

import pytest

from tests import defects, running

ROOT = running.ROOT
KINDS = ("code", "diff", "output", "trap", "run", "seen", "sketch", "not run", "provokes")
UNCHECKED = ("seen", "sketch", "not run", "provokes")  # provokes: test_error_list.py
FOR_LANGUAGE = {
    "c": ("code", "sketch", "provokes"),
    "cpp": ("code", "sketch", "provokes"),
    "diff": ("diff",),
    "sh": ("run", "not run"),
    "": ("output", "trap", "seen", "sketch"),
}
# What a chapter's README has, in this order; not every one changes a host, or has a kernel.
SECTIONS = ["What you will learn", "The idea", "The kernel", "What changed in the host", "Run it", "What to notice"]
SECTIONS += ["Traps", "What you can do now", "Exercises"]
FENCE = re.compile(r"(?m)^( *)```(\w*)\n((?:.*\n)*?) *```$")
MARKER = re.compile(rf"<!-- ({'|'.join(KINDS)})(?:[:;] ((?:(?!<!--)[\s\S])*?))?\s*-->\s*\Z")


class Wrong(Exception):
    """What is out of step, in words."""


class Block:
    """A fenced block of a page: `kind` and `text` are those of its marker, "code" and "kernel.cl …"; `line` is its own."""

    def __init__(self, page, fence, marker):
        indent, self.language, content = fence.groups()
        self.indent, self.span, self.line = indent, fence.span(3), page.count("\n", 0, fence.start()) + 1
        self.content = [line.removeprefix(indent).rstrip() for line in content.splitlines()]
        self.kind, self.text = (marker[1], marker[2] or "") if marker else ("", "")


def blocks_of(page):
    """The fenced blocks of a page's text, in order."""
    found, at = [], 0
    for fence in FENCE.finditer(page):
        found.append(Block(page, fence, MARKER.search(page[at : fence.start()])))
        at = fence.end()
    return found


# ---- listings --------------------------------------------------------------------------------------


def source_file(page, name):
    for path in ((page.parent / name).resolve(), ROOT / name):
        if path.is_file():
            return path
    raise Wrong(f"there is no file {name}")


def listing(page, text):
    """The lines that the marker `code: text` asks for."""
    match = re.fullmatch(r"(\S+)(?: after `(.+?)`)?(?: from `(.+?)`)?(?: to `(.+?)`|, (\d+) lines)?", text)
    if match is None:
        raise Wrong(f"not understood: code: {text}")
    name, after, start, end, count = match.groups()
    lines = source_file(page, name).read_text().splitlines()

    def only(beginning, since=0):
        found = [i for i, line in enumerate(lines) if i >= since and line.strip().startswith(beginning)]
        if len(found) != 1 and not (found and since):
            raise Wrong(f"{name}: {len(found)} lines begin with `{beginning}`, where one was expected")
        return found[0]

    if start is None:
        return lines
    first = only(start, only(after) + 1 if after else 0)
    if end is None:
        return lines[first : first + int(count or 1)]
    indent = re.match(" *", lines[first])[0] if end.startswith("}") else " *"
    last = next((i for i in range(first, len(lines)) if re.match(indent + re.escape(end), lines[i])), None)
    if last is None:
        raise Wrong(f"{name}: after `{start}` no line begins with `{end}`")
    return lines[first : last + 1]


def check_diff(page, text, content):
    """Each hunk's lines stand one after the other in the file that they are said to be of."""
    files = [[line.strip() for line in source_file(page, name).read_text().splitlines()] for name in text.split()]
    for hunk in re.split(r"(?m)^(?:@@|…|---|\+\+\+).*\n?", "\n".join(content)):
        for signs, have, which in ((" -", files[0], "old"), (" +", files[1], "new")):
            wanted = [line[1:].strip() for line in hunk.splitlines() if (line[:1] or " ") in signs]
            if wanted and not any(have[i : i + len(wanted)] == wanted for i in range(len(have))):
                raise Wrong(f"the {which} file does not have, one after the other:\n    " + "\n    ".join(wanted))


# ---- outputs ---------------------------------------------------------------------------------------


def masked(line):
    """A line of output without what differs from machine to machine and from run to run."""
    line = line.rstrip()
    line = re.sub(r"^device    .*", "device    *", line)
    line = re.sub(r"^\S.*: (CL_[A-Z_]+ \(-\d+\), left out)", r"*: \1", line)  # chapter 23: a device that failed
    line = re.sub(r"^( +\d+:\d+  ).*(, a \w+)", r"\1*\2", line)  # chapter 02: a device, and its limits
    line = re.sub(r"^( {7}[a-z' ]+?)  +\S.*", r"\1 *", line)
    line = re.sub(r"^(chosen    .*) of \d+ devices", r"\1", line).replace("the first CPU", "the only device")
    line = re.sub(r"\(error .*?\)", lambda error: re.sub(r"-?(\d[\d.e+-]*|nan|inf)\b", "*", error[0]), line)
    line = line.replace("-nan", "nan")
    line = re.sub(r"\b0x[0-9a-f]{8,}", "0x*", line)
    if re.match(r"(time|result|expected|\d)", line.lstrip("| ")):
        line = re.sub(r"-?\d+\.\d+(e[+-]?\d+)?", "#", line)
    line = re.sub(r"\d+( work-groups of \d+ \(from the device\))", r"#\1", line)
    if line.startswith("time"):
        line = re.sub(r"\b\d+ %", "# %", re.sub(r"\s+", " ", line))
    return re.sub(r"(/\S+/)(host\.cpp|[a-z]+\.h):", r"\2:", line)


def same_output(wanted, got):
    """Is the block `wanted`, with `…` for any lines, what the program printed?"""
    wanted, got = [masked(x) for x in wanted], [masked(x) for x in got]
    while got and not got[-1]:
        got.pop()
    pattern = "".join(r"(?:.*\n)*" if x.strip() == "…" else re.escape(x) + r"\n" for x in wanted)
    return re.fullmatch(pattern, "".join(x + "\n" for x in got)) is not None


def environment(folder, chapter, pairs, tool=()):
    """That of a program of a chapter: PoCL, where it chooses a device and no tool has one, an empty folder to remember in, and
    NAME=VALUEs."""
    device = {"OCL_DEVICE": "portable"} if running.has_kernel(chapter) and not tool else {}
    return {**running.remembering(folder), **device, **dict(pair.split("=", 1) for pair in pairs)}


def output(text):
    words = text.split()
    pairs = [word for word in words if re.match(r"[A-Z_]+=", word)]
    chapter, *arguments = words[len(pairs) :]
    with tempfile.TemporaryDirectory() as name:
        env = environment(name, chapter, pairs)
        code, out, err = running.run([running.program(chapter), *arguments], env=env)
    return (out + err).splitlines()


def find_tool(name):
    return running.find_oclgrind() if name == "oclgrind" else shutil.which(name)


def trap(text):
    """What a program prints once something in it has been changed; None where a tool is missing."""
    head, _, diff = text.partition("\n")
    what, *steps = [step.strip() for step in head.split(";")]
    chapter, *arguments = what.split()
    pairs = [step[4:] for step in steps if step.startswith("env ")]
    tool = [word for step in steps if step.startswith("tool ") for word in step[5:].split()]
    if tool:
        tool[0] = find_tool(tool[0])
        if tool[0] is None:
            print(f"SKIPPED  {head}: the tool is not installed")
            return None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / chapter
        shutil.copytree(ROOT / chapter, folder)
        shutil.copytree(ROOT / "common", pathlib.Path(name) / "common")
        if diff:
            try:
                (defect,) = defects.parse("## trap\n" + textwrap.dedent(diff), chapter)
                for file, now in defects.changed(defect, folder).items():
                    (folder / file).write_text(now)
            except defects.Unfit as unfit:
                raise Wrong(str(unfit)) from None
        compiler = [running.compiler(chapter), "-std=c++17", "-O1", "host.cpp", "-lOpenCL", "-o", "program"]
        code, out, err = running.run(compiler, cwd=folder)
        if code != 0:
            raise Wrong("does not compile:\n" + err)
        env = environment(f"{name}/cache", chapter, pairs, tool)
        code, out, err = running.run([*tool, "./program", *arguments], cwd=folder, env=env)
    streams = {"errors": err, "both": out + err}
    return next((streams[step] for step in steps if step in streams), out).splitlines()


class Workplace:
    """A copy of the repository in which a page's commands run, one block after the other."""

    def __init__(self):
        self.folder = None

    def run(self, text, content):
        for tool in ("oclgrind", "clinfo"):
            if find_tool(tool) is None and any(line.startswith(tool + " ") for line in content):
                print(f"SKIPPED  {tool} is not installed: " + "; ".join(content))
                return
        if self.folder is None:
            self.folder = tempfile.TemporaryDirectory()
            files = "git ls-files -z -co --exclude-standard || find . -type f -not -path './build*' -print0"
            copy = f"({files}) | tar --null --files-from=- --ignore-failed-read -c | tar -x -C '{self.folder.name}'"
            subprocess.run(["bash", "-c", copy], cwd=ROOT, check=True, stderr=subprocess.DEVNULL)
        parts = [part.strip() for part in text.split(";")]
        wanted = next((int(part[5:]) for part in parts if part.startswith("exit ")), 0)
        place = next((part for part in parts if part and not part.startswith("exit ")), ".")
        path = f"{os.environ['PATH']}:{pathlib.Path(running.find_oclgrind() or '/').parent}"
        code, out, err = running.run(
            ["bash", "-ec", "\n".join(content)],
            cwd=pathlib.Path(self.folder.name) / place,
            env={**running.remembering(self.folder.name + "/.cache"), "PATH": path},
            timeout=240,
        )
        if code != wanted:
            raise Wrong(f"exit code {code}, where {wanted} was expected\n{out[-2000:]}{err[-2000:]}")


# ---- a page ----------------------------------------------------------------------------------------


def headings(page):
    return re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?s)<!--.*?-->", "", FENCE.sub("", page)))


def check_readme(page, text):
    """The first page links every chapter, a chapter's every exercise of it; and a chapter's has what a lesson has."""
    chapters = [chapter for chapter in running.CHAPTERS if (ROOT / chapter).is_dir()] if page.parent == ROOT else []
    exercises = [f"exercises/{path.parent.name}" for path in sorted(page.parent.glob("exercises/*/exercise.json"))]
    yield from (f"no link to {folder}" for folder in [*chapters, *exercises] if f"({folder})" not in text)
    if page.parent == ROOT:
        return
    have = [re.sub("^What changed.*", "What changed in the host", heading) for heading in headings(text)]
    optional = ("The kernel", "What changed in the host")
    wanted = [section for section in SECTIONS if section in have or section not in optional]
    if [section for section in have if section in SECTIONS] != wanted:
        missing = ", ".join(section for section in wanted if section not in have) or "none"
        yield f"the sections are not these, in this order: {', '.join(wanted)} (missing: {missing})"
    question = r"(?s)<details>\s*<summary>(\d)\. [^\n]+\?</summary>\n\s*\n\s*[^<\s].*?\n\s*\n</details>"
    asked = re.findall(question, text)
    if asked != ["1", "2", "3"]:
        yield "there have to be three questions, each <details><summary>1. …?</summary>, its answer, </details>"


def check_block(page, block, workplace, update):
    """Raises Wrong if a block is out of step; returns the lines that are right, where it can be mended."""
    if not block.kind:
        if re.match(r"(\d\d-[^/]*|docs)/[^/]*$", str(page.relative_to(ROOT))):  # where every block must be marked
            raise Wrong("a block without a marker that says what it is (tests/texts/test_pages.py lists them)")
        return None
    if block.language in FOR_LANGUAGE and block.kind not in FOR_LANGUAGE[block.language]:
        raise Wrong(f'a block in "{block.language}" is marked {block.kind}')
    if block.kind in UNCHECKED and not block.text:
        raise Wrong(f"<!-- {block.kind} --> does not say why")
    content = block.content
    if not update and not any(line.strip(" …") for line in content):
        raise Wrong("a block in which there is nothing")
    if block.kind == "code":
        right = listing(page, block.text)
        if textwrap.dedent("\n".join(content)) != textwrap.dedent("\n".join(right)):
            return right, differences(content, right), f"the listing is not the code: {block.text}"
    elif block.kind == "diff":
        check_diff(page, block.text, content)
    elif block.kind in ("output", "trap"):
        right = output(block.text) if block.kind == "output" else trap(block.text)
        if right is not None and not same_output(content, right):
            found = differences([masked(x) for x in content], [masked(x) for x in right])
            return right, found, f"this is not what is printed ({block.kind}: {block.text}):"
    elif block.kind == "run":
        workplace.run(block.text, content)
    return None


def differences(wanted, got):
    """At most 40 lines of a diff."""
    return "\n".join(list(difflib.unified_diff(wanted, got, "the page", "the code", lineterm="", n=1))[:40])


def check_page(page, update):
    """Returns what is wrong with a page, as texts; with `update`, mends what can be mended first."""
    text = page.read_text()
    name, wrong, changes, workplace = page.relative_to(ROOT), [], [], Workplace()
    blocks = blocks_of(text)
    for block in blocks:
        try:
            if found := check_block(page, block, workplace, update):
                right, difference, what = found
                if update and "…" not in map(str.strip, block.content):
                    changes.append((block, "".join((block.indent + line).rstrip() + "\n" for line in right)))
                else:
                    raise Wrong(f"{what}\n{difference}")
        except Wrong as error:
            wrong.append(f"{name}:{block.line}: {error}")
    if changes:
        for block, right in reversed(changes):  # the last one first: the places of the others stay
            text = text[: block.span[0]] + right + text[block.span[1] :]
        page.write_text(text)
        return check_page(page, False)
    marks = re.findall(rf"(?m)^ *<!-- (?:{'|'.join(KINDS)})\b", FENCE.sub("", text))
    if len(marks) != len([block for block in blocks if block.kind]):
        wrong.append(f"{name}: a marker without a block, or a comment or a block that does not end")
    if page.name == "README.md" and page.parent in [ROOT, *(ROOT / chapter for chapter in running.CHAPTERS)]:
        wrong += [f"{name}: {what}" for what in check_readme(page, text)]
    return wrong


def pages():
    """Every page with text of ours, by its path."""
    listed = running.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT)[1].split()
    found = listed or [str(path.relative_to(ROOT)) for path in ROOT.rglob("*.md")]
    return [path for path in found if not re.search(r"exercises/|^build|^\.|^site/home", path)]


@pytest.mark.thorough
@pytest.mark.parametrize("page", pages())
def test_pages(report, page, record):
    report.count("pages")
    report.failed("out of step", check_page(ROOT / page, record))
