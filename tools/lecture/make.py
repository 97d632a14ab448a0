"""Slides and sheets for a lecture, made from the lessons as they stand.

    python3 tools/lecture/make.py FOLDER [--pdf] [--sheets | NN ...]

writes FOLDER/NN-topic.html for each chapter (arrow keys turn the page), FOLDER/predict.html, the questions of
docs/teaching.md to print and hand out, FOLDER/answers.html, and FOLDER/rubric.html, how a project is judged. Each file
has all it needs in it. --pdf: the same as PDF, which takes Chromium. Needs pandoc (Debian and Ubuntu: apt install pandoc).

A slide has what one can take in while somebody talks: of each paragraph and each point its first sentence; each figure
and each listing alone; of the questions first the question, then the answer. The rest is in the lesson, and is said.
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
SHORT = 24  # letters: less is no sentence of its own
LEFT_OUT = ("Exercises",)  # sections that are no slides, but for the last one, which has the exercises' names


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


def deck(chapter):
    """The slides of a chapter, as Markdown: a heading of the second level begins each."""
    title, section, slides, page, room = "", "", [], [], ROOM

    def end():
        nonlocal page, room
        if page:
            slides.append(f"## {section or title}\n\n" + "\n\n".join(page))
        page, room = [], ROOM

    def put(text, lines, room_for_more=0):
        """On the slide, if there is room, and room for what follows; else on the next one."""
        nonlocal room
        if lines + room_for_more > room:
            end()
        page.append(text)
        room -= lines

    for kind, content in blocks((chapter / "README.md").read_text()):
        if kind == "heading":
            end()
            level, name = content
            title, section = (name, "") if level == 1 else (title, name)
        elif section in LEFT_OUT and kind != "point":
            continue
        elif kind in ("paragraph", "point"):
            text = sentence(content) if section else content
            put(f"- {text}", 0.4 + -(-len(text) // WIDTH), 5 if text.endswith("…") else 0)
        elif kind == "figure":
            put(f"![]({content})", ROOM - 3.4)
        elif kind == "table":
            head, rule, *rows = content.splitlines()
            while rows:
                many = ROOM - 3
                some = []
                while rows and (not some or many >= row_lines(rows[0])):
                    many -= row_lines(rows[0])
                    some.append(rows.pop(0))
                put("\n".join([head, rule, *some]), 1 + sum(map(row_lines, [head, *some])))
        elif kind == "code":
            for piece in pieces(content):
                put(piece, 1 + 0.7 * piece.count("\n"))
        else:
            question, answer = content
            end()
            section = "A question"
            put(question, ROOM)
            end()
            section = "A question, and its answer"
            put(f"{question}\n\n{answer}", ROOM)
    end()
    # A link leads nowhere from a slide.
    return title, "\n\n".join(re.sub(r"(?<!!)\[([^\]]+)\]\([^)]*\)", r"\1", slide) for slide in slides) + "\n"


def pandoc(text, kind, title, output, place, style):
    """Markdown as a file that has all it needs in it."""
    if shutil.which("pandoc") is None:
        raise SystemExit("pandoc is missing (on Debian and Ubuntu: apt install pandoc)")
    with tempfile.NamedTemporaryFile("w", suffix=".css") as css:
        css.write((HERE / "common.css").read_text() + (HERE / style).read_text())
        css.flush()
        command = ["pandoc", "-f", "gfm", "-t", kind, "--standalone", "--self-contained", "--slide-level=2"]
        command += ["--highlight-style=tango", "--css", css.name, "-M", f"pagetitle={title}", "-M", "lang=en"]
        done = subprocess.run(
            [*command, "--resource-path", place, "-o", output], input=text, text=True, capture_output=True, cwd=place
        )
    if done.returncode != 0 or done.stderr.strip():
        raise SystemExit(f"FAILED  {output}: {done.stderr}")


def section(text, name):
    return re.search(rf"(?ms)^## {name}$(.*?)(?=^## |\Z)", text).group(1)


def sheets():
    """(name, title, Markdown) of what is handed out on paper."""
    text = (ROOT / "docs/teaching.md").read_text()
    rows = re.findall(r"^\| (\d\d) \| (.*?) \| (.*?) \|$", section(text, "Predict, then run"), re.MULTILINE)
    asked = [
        f"### {number}. (chapter {chapter})\n\n{question}\n\n*My prediction:*\n\n*What was printed:*\n"
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
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            if done.returncode != 0 or not path.with_suffix(".pdf").exists():
                raise SystemExit(f"FAILED  {path}: no PDF\n{done.stderr}")
    print(f"{len(made)} files in {arguments.folder}" + (", each as PDF, too" if arguments.pdf else ""))


if __name__ == "__main__":
    sys.exit(main())
