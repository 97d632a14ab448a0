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

In chapters and in docs/, every block must be marked. Checked as well: a chapter's README opens with a number, has its
sections in order, a figure, three questions with folded answers, 600 to 2,500 words and, from 05 on, a
diff of its host. (That links and anchors lead somewhere, MkDocs sees: site/build.sh.)
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
SECTIONS = [
    "What you will learn",
    "The idea",
    "The kernel",
    "What changed in the host",
    "Run it",
    "What to notice",
    "Traps",
    "What you can do now",
    "Exercises",
]


class Block:
    """A fenced block: lines[first:last] of the page are its content; `marker` is "code", "kernel.cl …"."""

    def __init__(self, language, indent, first, last, content, kind, text):
        self.language, self.indent, self.first, self.last = language, indent, first, last
        self.content, self.kind, self.text = content, kind, text


def blocks_of(lines):
    """The fenced blocks of a page, in order."""
    found, fence, marker, comment = [], None, ("", ""), None
    for i, line in enumerate(lines):
        stripped = line.strip()
        if comment is not None:
            if stripped == "-->":
                marker, comment = (marker[0], "\n".join([marker[1], *comment])), None
            else:
                comment.append(line)
        elif fence is not None:
            if stripped == "```":
                language, indent, first = fence
                content = [
                    text[indent:] if text[:indent].isspace() or indent == 0 else text.lstrip()
                    for text in lines[first:i]
                ]
                found.append(Block(language, indent, first, i, content, *marker))
                fence, marker = None, ("", "")
        elif stripped.startswith("```"):
            fence = (stripped[3:].strip(), len(line) - len(line.lstrip()), i + 1)
        elif match := re.fullmatch(r"<!-- (" + "|".join(KINDS) + r")(?:[:;] (.*))? -->", stripped):
            marker = (match.group(1), match.group(2) or "")
        elif match := re.fullmatch(r"<!-- (trap): (.*)", stripped):
            marker, comment = (match.group(1), match.group(2)), []
        elif stripped:
            if marker[0]:
                found.append(Block("marker", 0, i, i, [], "lost", f"<!-- {marker[0]}: {marker[1]} --> without a block"))
            marker = ("", "")
    if comment is not None:
        found.append(Block("marker", 0, len(lines), len(lines), [], "lost", "a comment that does not end"))
    if fence is not None:
        found.append(Block("marker", 0, fence[2], fence[2], [], "lost", "a block that does not end"))
    return found


class Wrong(Exception):
    """What is out of step, in words."""


# ---- listings --------------------------------------------------------------------------------------


def source_file(page, name):
    for folder in (page.parent, ROOT):
        path = (folder / name).resolve()
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
    if start is None:
        return lines
    firsts = [i for i, line in enumerate(lines) if line.strip().startswith(start)]
    if after is not None:
        behind = [i for i, line in enumerate(lines) if line.strip().startswith(after)]
        if len(behind) != 1:
            raise Wrong(f"{name}: {len(behind)} lines begin with `{after}`, where one was expected")
        firsts = [i for i in firsts if i > behind[0]][:1]
    if len(firsts) != 1:
        raise Wrong(f"{name}: {len(firsts)} lines begin with `{start}`, where one was expected")
    first = firsts[0]
    if count is not None:
        return lines[first : first + int(count)]
    if end is None:
        return [lines[first]]
    indent = len(lines[first]) - len(lines[first].lstrip())
    for last in range(first, len(lines)):
        here = lines[last]
        if here.strip().startswith(end) and (not end.startswith("}") or len(here) - len(here.lstrip()) == indent):
            return lines[first : last + 1]
    raise Wrong(f"{name}: after `{start}` no line begins with `{end}`")


def without_common_indent(lines):
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    return [line[min(indents, default=0) :] for line in lines]


def check_diff(page, text, content):
    old, new = (source_file(page, name).read_text().splitlines() for name in text.split())
    hunks, hunk = [], []
    for line in content + ["…"]:
        if line.startswith(("@@", "…", "---", "+++")):
            hunks += [hunk] if hunk else []
            hunk = []
        else:
            hunk.append(line)
    if not hunks:
        raise Wrong("an empty diff")
    for hunk in hunks:
        for signs, lines, which in ((" -", old, "old"), (" +", new, "new")):
            wanted = [line[1:].strip() for line in hunk if (line[:1] or " ") in signs]
            have = [line.strip() for line in lines]
            if wanted and not any(have[i : i + len(wanted)] == wanted for i in range(len(have))):
                raise Wrong(f"the {which} file does not have, one after the other:\n    " + "\n    ".join(wanted))
        for sign, lines, which in (("+", old, "old"), ("-", new, "new")):
            added = [line[1:].strip() for line in hunk if line.startswith(sign) and len(line) > 25]
            if added and all(line in [x.strip() for x in lines] for line in added):
                raise Wrong(f"a hunk's {sign} lines all stand in the {which} file too: {added[0]}")


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


def pocl(chapter, env=()):
    """The environment that makes a chapter run on PoCL, with `env` in addition. One without a kernel shows all devices."""
    result = {"OCL_DEVICE": "portable"} if running.has_kernel(chapter) else {}
    result.update(pair.split("=", 1) for pair in env)
    return result


def output(text):
    words = text.split()
    env = [word for word in words if re.match(r"[A-Z_]+=", word)]
    chapter, *arguments = words[len(env) :]
    if not (ROOT / chapter).is_dir():
        raise Wrong(f"there is no chapter {chapter}")
    with tempfile.TemporaryDirectory() as name:
        code, out, err = running.run(
            [running.program(chapter), *arguments], env={**running.remembering(name), **pocl(chapter, env)}
        )
    return (out + err).splitlines()


def compile_chapter(folder, program):
    done = subprocess.run(
        [running.compiler(folder.name), "-std=c++17", "-O1", "host.cpp", "-lOpenCL", "-o", program],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise Wrong("does not compile:\n" + done.stderr)


def find_tool(name):
    return running.find_oclgrind() if name == "oclgrind" else shutil.which(name)


def trap(text):
    """What a program prints once something in it has been changed."""
    head, _, diff = text.partition("\n")
    what, *steps = [step.strip() for step in head.split(";")]
    chapter, *arguments = what.split()
    env, tool, stream = [], [], "output"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / chapter
        shutil.copytree(ROOT / chapter, folder)
        shutil.copytree(ROOT / "common", pathlib.Path(name) / "common")
        if diff:
            try:
                for file, now in defects.changed(
                    defects.parse("## trap\n" + textwrap.dedent(diff), chapter)[0], folder
                ).items():
                    (folder / file).write_text(now)
            except defects.Unfit as unfit:
                raise Wrong(str(unfit)) from None
        for step in steps:
            if step.startswith("env "):
                env.append(step[4:])
            elif step.startswith("tool "):
                tool = step[5:].split()
            elif step in ("errors", "both"):
                stream = step
            else:
                raise Wrong(f"not understood in a trap: {step}")
        if tool:
            tool[0] = find_tool(tool[0])
            if tool[0] is None:
                print(f"SKIPPED  {steps}: the tool is not installed")
                return None
        compile_chapter(folder, "program")
        wish = pocl(chapter, env) if not tool else dict(pair.split("=", 1) for pair in env)
        code, out, err = running.run(
            [*tool, "./program", *arguments],
            cwd=folder,
            env={**running.remembering(pathlib.Path(name) / "cache"), **wish},
        )
        return {"output": out, "errors": err, "both": out + err}[stream].splitlines()


class Workplace:
    """A copy of the repository in which a page's commands run, one block after the other."""

    def __init__(self):
        self.temporary = None

    def run(self, text, content):
        if self.temporary is None:
            self.temporary = tempfile.TemporaryDirectory()
            files = subprocess.run(
                ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                cwd=ROOT,
                capture_output=True,
                text=True,
            )
            names = files.stdout.split("\0")[:-1]
            if files.returncode != 0:  # no git here: take all but what was built
                names = [
                    str(p.relative_to(ROOT))
                    for p in ROOT.rglob("*")
                    if p.is_file() and not p.relative_to(ROOT).parts[0].startswith(("build", ".git", "site"))
                ]
            for name in names:
                path = pathlib.Path(self.temporary.name) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                if (ROOT / name).is_file():
                    shutil.copy(ROOT / name, path)
        folder, code = ".", 0
        for part in filter(None, (part.strip() for part in text.split(";"))):
            if part.startswith("exit "):
                code = int(part[5:])
            else:
                folder = part
        missing = [
            tool
            for tool in ("oclgrind", "clinfo")
            if find_tool(tool) is None and any(line.startswith(tool + " ") for line in content)
        ]
        if missing:
            print(f"SKIPPED  {missing[0]} is not installed: " + "; ".join(content))
            return
        script = "set -e\n" + "\n".join(content) + "\n"
        try:
            done = subprocess.run(
                ["bash", "-c", script],
                cwd=pathlib.Path(self.temporary.name) / folder,
                env={
                    **os.environ,
                    **running.remembering(self.temporary.name + "/.cache"),
                    "PATH": f"{os.environ['PATH']}:{pathlib.Path(running.find_oclgrind() or '/').parent}",
                },
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=240,
            )
        except subprocess.TimeoutExpired:
            raise Wrong("the commands did not end within 240 seconds") from None
        if done.returncode != code:
            raise Wrong(
                f"exit code {done.returncode}, where {code} was expected\n" + done.stdout[-2000:] + done.stderr[-2000:]
            )


# ---- headings and links --------------------------------------------------------------------------------


def slug(heading):
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def prose(lines):
    """The page's lines, with the fenced blocks and the comments blanked."""
    inside, result = "", []
    for line in lines:
        text = line.strip()
        begins = inside == "" and ("```" if text.startswith("```") else "-->" if text.startswith("<!--") else "")
        result.append("" if inside or begins else line)
        if begins:
            inside = "" if begins == "-->" and "-->" in text else begins
        elif inside and (inside in text if inside == "-->" else text.startswith(inside)):
            inside = ""
    return result


def headings(lines):
    return [match.group(1) for line in prose(lines) if (match := re.match(r"#+ (.*)", line))]


def check_listed(page, lines):
    """The first page links every chapter, a chapter's page every exercise of it."""
    text = "\n".join(prose(lines))
    folders = [chapter for chapter in running.CHAPTERS if (ROOT / chapter).is_dir()] if page.parent == ROOT else []
    folders += [f"exercises/{path.parent.name}" for path in sorted(page.parent.glob("exercises/*/exercise.json"))]
    for folder in folders:
        if f"({folder})" not in text:
            yield f"no link to {folder}"


def check_chapter(page, lines):
    """A chapter's README: length, opening, sections, figure, the compiler line, questions."""
    text = re.sub(r"(?s)<!--.*?-->", "", "\n".join(lines))
    words = len(text.split())
    if not 600 <= words <= 2500:
        yield f"{words} words: a chapter's README has 600 to 2,500"
    if not re.match(rf"# {page.parent.name[:2]} · \S", text):
        yield f'does not begin with "# {page.parent.name[:2]} · " and a title'
    opening = re.split(r"(?m)^#", "\n".join(prose(lines)))[1].partition("\n")[2]
    if not re.search(r"\d", re.sub(r"\[[^]]*\]\([^)]*\)|(?i:chapters?) \d+(?:(?:, | and | to )\d\d)*", "", opening)):
        yield "no number in the lines before the first section: what hurts, and how much?"
    have = [re.sub("^What changed.*", "What changed in the host", h) for h in headings(lines)[1:]]
    have = [h for h in have if h in SECTIONS]
    needless = {"The kernel": not (page.parent / "kernel.cl").exists()}
    needless["What changed in the host"] = page.parent.name == running.CHAPTERS[0]
    for missing in [s for s in SECTIONS if s not in have and not needless.get(s)]:
        yield f'no section "{missing}"'
    if sorted(have, key=SECTIONS.index) != have:
        yield "the sections are not in order: " + ", ".join(SECTIONS)

    def section(name):
        return "\n".join(lines).partition(f"\n## {name}")[2].partition("\n## ")[0]

    if page.parent.name >= "05" and "\n```diff\n" not in section("What changed in the host"):
        yield 'no diff under "What changed in the host"'
    if not re.search(r"!\[[^]]{15,}\]\([^)]*\.svg\)", section("The idea\n")):
        yield 'no figure (with a text that says what it shows) under "The idea"'
    asked = re.findall(
        r"(?s)<details>\s*<summary>(\d)\. [^\n]+\?</summary>\n\s*\n\s*[^<\s].*?\n\s*\n</details>",
        section("What you can do now\n"),
    )
    if asked != ["1", "2", "3"] or section("What you can do now\n").count("<details>") != 3:
        yield (
            'under "What you can do now" there have to be three questions, each <details><summary>1. …?</summary>, a blank '
            "line, its answer, a blank line, </details>"
        )


# ---- a page ----------------------------------------------------------------------------------------


def strict(page):
    """Must every block of this page be marked?"""
    folder = page.parent
    return (folder.parent == ROOT and re.match(r"\d\d-", folder.name) is not None) or folder == ROOT / "docs"


def differences(wanted, got, whose):
    """At most 40 lines of a diff."""
    return "\n".join(list(difflib.unified_diff(wanted, got, "the page", whose, lineterm="", n=1))[:40])


def check_page(page, update):
    """Returns what is wrong with a page, as texts; with `update`, mends what can be mended first."""
    lines = page.read_text().splitlines()
    wrong, changes, counts, workplace = [], [], {}, Workplace()
    for block in blocks_of(lines):
        where = f"{page.relative_to(ROOT)}:{block.first}: "
        counts[block.kind or "unmarked"] = counts.get(block.kind or "unmarked", 0) + 1
        try:
            if block.kind == "lost":
                raise Wrong(block.text)
            if not block.kind:
                if strict(page):
                    raise Wrong("a block without a marker that says what it is (tests/texts/pages.py lists them)")
                continue
            if block.language in FOR_LANGUAGE and block.kind not in FOR_LANGUAGE[block.language]:
                raise Wrong(f'a block in "{block.language}" is marked {block.kind}')
            if block.kind in UNCHECKED and not block.text:
                raise Wrong(f"<!-- {block.kind} --> does not say why")
            content = [line.rstrip() for line in block.content]
            if not update and not any(line.strip(" …") for line in content):
                raise Wrong("a block in which there is nothing")
            if block.kind == "code":
                now = listing(page, block.text)
                if without_common_indent(content) != without_common_indent(now):
                    changes.append((block, now))
                    found = differences(content, now, "the file")
                    raise Wrong(f"the listing is not the code: {block.text}\n{found}")
            elif block.kind == "diff":
                check_diff(page, block.text, content)
            elif block.kind in ("output", "trap"):
                got = output(block.text) if block.kind == "output" else trap(block.text)
                if got is not None and not same_output(content, got):
                    if "…" not in [line.strip() for line in content]:
                        changes.append((block, got))
                    found = differences([masked(x) for x in content], [masked(x) for x in got], "the program")
                    raise Wrong(f"this is not what is printed ({block.kind}: {block.text}):\n{found}")
            elif block.kind == "run":
                workplace.run(block.text, content)
        except Wrong as error:
            wrong.append(where + str(error))
    if update and changes:
        for block, now in reversed(changes):
            indent = " " * block.indent
            lines[block.first : block.last] = [(indent + text).rstrip() for text in now]
        page.write_text("\n".join(lines) + "\n")
        print(f"{page.relative_to(ROOT)}: {len(changes)} block{'s' if len(changes) > 1 else ''} rewritten")
        return check_page(page, False)
    if page.name == "README.md" and page.parent in (ROOT, *(ROOT / chapter for chapter in running.CHAPTERS)):
        wrong += [f"{page.relative_to(ROOT)}: {text}" for text in check_listed(page, lines)]
    if page.name == "README.md" and page.parent.name in running.CHAPTERS and page.parent.parent == ROOT:
        wrong += [f"{page.relative_to(ROOT)}: {text}" for text in check_chapter(page, lines)]
    said = ", ".join(f"{n} {kind}" for kind, n in sorted(counts.items()))
    print(f"{'FAILED' if wrong else 'ok    '}  {page.relative_to(ROOT)}: {said or 'no blocks'}")
    return wrong


def pages():
    """Every page with text of ours, by its path."""
    listed = running.run(["git", "ls-files", "*.md"], cwd=ROOT)[1].split()
    found = listed or [str(path.relative_to(ROOT)) for path in ROOT.rglob("*.md")]
    return [path for path in found if not re.search(r"exercises/|^build|^\.|^site/home", path)]


@pytest.mark.thorough
@pytest.mark.parametrize("page", pages())
def test_pages(report, page, record):
    report.count("pages")
    report.failed("out of step", check_page(ROOT / page, record))
