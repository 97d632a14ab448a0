"""Slides and sheets for a lecture, made from the lessons as they stand.

    python3 tools/lecture/make.py FOLDER [--pdf] [--sheets | NN ...]

writes FOLDER/NN-topic.html for each chapter (arrow keys turn the page), FOLDER/predict.html, the questions of
docs/teaching.md to print and hand out, FOLDER/answers.html, and FOLDER/rubric.html, how a project is judged. Each file
has all it needs in it. --pdf: the same as PDF, which takes Chromium. Needs pandoc (Debian and Ubuntu: apt install pandoc).

A slide has what one can take in while somebody talks: of each paragraph and each point its first sentence; each figure
and each listing with what leads to it; first the questions, then their answers. The rest is in the lesson, and is said.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LINES = 22  # of a listing on one slide
ROOM = 13  # lines of text on one slide
WIDTH = 72  # letters in such a line
HEADING = 1.6  # lines of a section's heading in the middle of a slide
CODE = 99  # letters in a line of a listing
SHORT = 24  # letters: less is no sentence of its own
EXERCISES = ("Exercises",)  # of such a section only the points, which have the exercises' names


def sentence(text):
    """The first sentence, and where that is but a name, the second; a colon leads to what is shown next."""
    ends = re.finditer(r"(?<!e\.g)(?<!i\.e)[.?!:](?=\s+[A-Z*`0-9(]|$)", text)
    text = text[: next((end.end() for end in ends if end.end() > SHORT), len(text))]
    return text[:-1] + " …" if text.endswith(":") else text


def blocks(text):
    """(kind, content) of a lesson: heading, figure, code, table, question, point, paragraph."""
    text = re.sub(r"(?ms)^ *<!-- .*?-->\n", "", text)
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        line, begin = lines[at], at
        at += 1
        bare = line.strip()
        if bare.startswith("```"):
            indent = len(line) - len(line.lstrip())
            while at < len(lines) and lines[at].strip() != "```":
                at += 1
            at += 1
            yield "code", "\n".join(one[indent:] for one in lines[begin:at])
        elif bare.startswith("<details>"):
            while "</details>" not in lines[at]:
                at += 1
            at += 1
            question = re.sub(r"</?(details|summary)>", "", bare)
            yield "question", (re.sub(r"</?code>", "`", question), "\n".join(lines[begin + 1 : at - 1]))
        elif match := re.match(r"(#+) (.*)", bare):
            yield "heading", (len(match.group(1)), match.group(2))
        elif match := re.match(r"!\[([^\]]*)\]\(([^)]+)\)", bare):
            yield "figure", match.group(2)
        elif bare.startswith("|"):
            while at < len(lines) and lines[at].strip().startswith("|"):
                at += 1
            yield "table", "\n".join(one.strip() for one in lines[begin:at])
        elif bare:
            stop = r"\s*(```|<details>|#+ |!\[|\||([-*]|\d+\.) |$)"
            while at < len(lines) and not re.match(stop, lines[at]):
                at += 1
            kind, start = ("point", r"([-*]|\d+\.) ") if re.match(r"([-*]|\d+\.) ", bare) else ("paragraph", "")
            yield kind, re.sub(f"^{start}", "", " ".join(one.strip() for one in lines[begin:at]))


def pieces(code):
    """A listing, cut where it is too long for a slide."""
    fence, *lines, end = code.splitlines()
    count = -(-len(lines) // LINES)
    size = -(-len(lines) // max(count, 1))
    return ["\n".join([fence, *lines[i : i + size], end]) for i in range(0, len(lines), size)]


def row_lines(row):
    """How high a table's row is, in lines of text."""
    return 1.3 * -(-len(row) // (1.1 * WIDTH))


def height(text):
    """Lines of text on a slide."""
    return sum(-(-len(line) // WIDTH) for line in text.splitlines() if line) + 0.4


def deck(chapter):
    """The slides of a chapter, as Markdown: a heading of the second level begins each."""
    title, section, slides, questions = "", "", [], []
    page, room, head, shown = [], ROOM, "", ""

    def end():
        nonlocal page, room
        if page:
            slides.append(f"## {head}\n\n" + "\n\n".join(page))
        page, room = [], ROOM

    def put(text, lines, room_for_more=0):
        """On the slide, if there is room, and room for what follows; else on the next one. A section begins on a slide of
        its own, unless the one before has left more than half of it."""
        nonlocal room, head, shown
        name = section or title
        new = HEADING * (shown != name)
        if new + lines + room_for_more > room or new and room < ROOM / 2:
            end()
        if not page:
            head = shown = name
        elif new:
            page.append(f"### {name}")
            room, shown = room - new, name
        page.append(text)
        room -= lines

    def ask():
        """The questions that have come together; then, on slides after that, with their answers."""
        nonlocal section
        for name, texts in (
            ("Questions", [q for q, _ in questions]),
            ("Answers", ["\n\n".join(qa) for qa in questions]),
        ):
            section = name if questions else section
            end()
            for text in texts:
                put(text, height(text))
        questions.clear()

    for kind, content in blocks((chapter / "README.md").read_text(encoding="utf-8")):
        if kind == "heading":
            if questions:
                ask()
            level, name = content
            title, section = (name, "") if level == 1 else (title, name)
        elif section in EXERCISES:
            if kind == "point":
                text = sentence(content).removesuffix(" …")
                put(f"- {text}", height(text))
        elif kind in ("paragraph", "point"):
            text = sentence(content) if section else content
            if not re.fullmatch(r"\[?`[^`]*`[^ ]*|.{1,16} …", text):  # what only names the listing that follows
                put(f"- {text}", height(text), 5 if text.endswith("…") else 0)
        elif kind == "figure":
            put(f"![]({content})", ROOM - 3.4)
        elif kind == "table":
            first, rule, *rows = content.splitlines()
            while rows:
                many = ROOM - 3
                some = []
                while rows and (not some or many >= row_lines(rows[0])):
                    many -= row_lines(rows[0])
                    some.append(rows.pop(0))
                put("\n".join([first, rule, *some]), 1 + sum(map(row_lines, [first, *some])))
        elif kind == "code":
            for piece in pieces(content):
                put(piece, 1 + 0.7 * sum(max(1, -(-len(line) // CODE)) for line in piece.splitlines()[1:]))
        else:
            questions.append(content)
    if questions:
        ask()
    end()
    # A link leads nowhere from a slide.
    return title, "\n\n".join(re.sub(r"(?<!!)\[([^\]]+)\]\([^)]*\)", r"\1", slide) for slide in slides) + "\n"


def pandoc(text, kind, title, output, place, style):
    """Markdown as a file that has all it needs in it."""
    if shutil.which("pandoc") is None:
        raise SystemExit("pandoc is missing (on Debian and Ubuntu: apt install pandoc)")
    with tempfile.TemporaryDirectory() as name:
        css = pathlib.Path(name) / "style.css"
        css.write_text(
            (HERE / "common.css").read_text(encoding="utf-8") + (HERE / style).read_text(encoding="utf-8"),
            encoding="utf-8",
        )

        def still(match):
            """A figure whole from the start: one that moves would be printed as it begins, which is empty."""
            svg = (place / match.group(1)).resolve()
            copy = pathlib.Path(name) / svg.name
            copy.write_text(
                re.sub(r"(?s)<style>@media.*?</style>\n", "", svg.read_text(encoding="utf-8")), encoding="utf-8"
            )
            return f"![]({copy})"

        text = re.sub(r"!\[\]\(([^)]+\.svg)\)", still, text)
        command = ["pandoc", "-f", "gfm", "-t", kind, "--standalone", "--self-contained", "--slide-level=2"]
        command += ["--highlight-style=tango", "--css", css, "-M", f"pagetitle={title}", "-M", "lang=en"]
        done = subprocess.run(
            [*command, "--resource-path", place, "-o", output],
            input=text,
            text=True,
            capture_output=True,
            cwd=place,
            encoding="utf-8",
        )
    if done.returncode != 0 or done.stderr.strip():
        raise SystemExit(f"FAILED  {output}: {done.stderr}")


def section(text, name):
    return re.search(rf"(?ms)^## {name}$(.*?)(?=^## |\Z)", text).group(1)


def sheets():
    """(name, title, Markdown) of what is handed out on paper."""
    text = (ROOT / "docs/teaching.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d\d) \| (.*?) \| (.*?) \|$", section(text, "Predict, then run"), re.MULTILINE)
    asked = [
        f"<section>\n\n### {number}. (chapter {chapter})\n\n{question}\n\n*My prediction:*\n\n*What was printed:*\n\n</section>\n"
        for number, (chapter, question, _) in enumerate(rows, 1)
    ]
    told = [f"{number}. **{question}** {answer}\n" for number, (_, question, answer) in enumerate(rows, 1)]
    yield "predict", "Predict, then run", "# Predict, then run\n\nName:\n\n" + "\n".join(asked)
    yield "answers", "Predict, then run: the answers", "# Predict, then run: the answers\n\n" + "\n".join(told)
    yield (
        "rubric",
        "A project",
        "# A project, and how it is judged\n\n" + section(text, "A project, and how it is judged"),
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("chapter", nargs="*")
    parser.add_argument("--sheets", action="store_true", help="the sheets only")
    parser.add_argument("--pdf", action="store_true")
    arguments = parser.parse_intermixed_args()
    if arguments.sheets and arguments.chapter:
        parser.error("--sheets makes the sheets, which are of all chapters: leave the chapter's number out")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    made = []
    for chapter in sorted(p.parent for p in ROOT.glob("[0-9][0-9]-*/README.md")):
        if not arguments.sheets and (not arguments.chapter or chapter.name[:2] in arguments.chapter):
            title, text = deck(chapter)
            made.append(arguments.folder / f"{chapter.name}.html")
            pandoc(text, "dzslides", title, made[-1].resolve(), chapter, "slides.css")
    if not arguments.chapter:
        for name, title, text in sheets():
            made.append(arguments.folder / f"{name}.html")
            pandoc(text, "html5", title, made[-1].resolve(), ROOT / "docs", "sheets.css")
    if arguments.pdf:
        browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        if browser is None:
            raise SystemExit("Chromium is missing (on Debian and Ubuntu: apt install chromium)")
        for path in made:
            command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
            command += [f"--print-to-pdf={path.with_suffix('.pdf').resolve()}", path.resolve().as_uri()]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, encoding="utf-8")
            if done.returncode != 0 or not path.with_suffix(".pdf").exists():
                raise SystemExit(f"FAILED  {path}: no PDF\n{done.stderr}")
    print(f"{len(made)} files in {arguments.folder}" + (", each as PDF, too" if arguments.pdf else ""))


if __name__ == "__main__":
    sys.exit(main())
