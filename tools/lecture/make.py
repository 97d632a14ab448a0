"""Slides and sheets for a lecture, made from the lessons as they stand.

    python3 tools/lecture/make.py FOLDER [--pdf] [--sheets] [NN ...]

writes FOLDER/NN-topic.html for each chapter (arrow keys turn the page), FOLDER/predict.html, the questions that
docs/teaching.md has for them, to print and hand out, FOLDER/answers.html, and, for all chapters, FOLDER/rubric.html, how
a project is judged. --sheets: no slides. Each file has all it needs in it. --pdf: the same as PDF, which takes Chromium.
Needs pandoc (Debian and Ubuntu: apt install pandoc).

A slide has what one can take in while somebody talks: of each paragraph and each point its first sentence, and those that
name something new, in bold type; each figure and each listing with what leads to it; first the questions, then their answers.
The rest is in the lesson, and is said.
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
CODE = 99  # letters in a line of a listing
SHORT = 24  # letters: less is no sentence of its own
NEW = r"\*\*\w"  # a word in bold, which is introduced there
EXERCISES = "Exercises"  # of such a section only the points, which have the exercises' names


def sentence(text):
    """The first sentence, where that is but a name with the second, and those with a word in bold, with what "It" at their
    beginning points to; a colon leads to what is shown next."""
    ends = re.finditer(r"(?<!e\.g)(?<!i\.e)[.?!:](?=\s+[A-Z*`0-9(]|$)", text)
    places = [0, *(end.end() for end in ends if end.end() > SHORT), len(text)]
    first, *rest = (text[i:j].strip() for i, j in zip(places, places[1:]))
    pairs = zip(rest, [*rest[1:], ""])
    kept = [one for one, after in pairs if re.search(NEW, one) or re.match(rf"(It|This|That) .*{NEW}", after)]
    text = " ".join([first, *kept])
    return text[:-1] + " …" if text.endswith(":") else text


# The blocks of a lesson, in the order in which they are tried; a point or a paragraph ends where another one begins.
START = r"^ *(?:```|<details>|#+ |!\[|\||[-*] |\d+\. |$)"
BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<code>.*\n(?:.*\n)*?) *```$"
    r"|^<details>\s*<summary>(?P<question>.*)</summary>\n(?P<answer>(?:.*\n)*?)</details>"
    r"|^(?P<level>#+) (?P<heading>.*)$"
    r"|^ *!\[[^\]]*\]\((?P<figure>[^)]+)\)"
    r"|^ *(?P<table>\|.*(?:\n *\|.*)*)"
    rf"|^ *(?P<mark>[-*]|\d+\.) (?P<point>.*(?:\n(?!{START}).*)*)"
    rf"|^ *(?P<paragraph>\S.*(?:\n(?!{START}).*)*)",
    re.MULTILINE,
)


def height(text):
    """Lines of text on a slide."""
    return sum(-(-len(line) // WIDTH) for line in text.splitlines() if line) + 0.4


def row_lines(row):
    """How high a table's row is, in lines of text."""
    return 1.3 * -(-len(row) // (1.1 * WIDTH))


def listing(code, indent):
    """A listing, cut where it is too long for a slide: (Markdown, lines) of each piece."""
    fence, *lines = (line.removeprefix(indent) for line in code.splitlines())
    size = -(-len(lines) // -(-len(lines) // LINES))
    for i in range(0, len(lines), size):
        piece = lines[i : i + size]
        high = 1 + 0.7 * (1 + sum(max(1, -(-len(line) // CODE)) for line in piece))
        yield "\n".join([f"```{fence}", *piece, "```"]), high


def table(text):
    """A table, cut where it is too long for a slide: (Markdown, lines) of each piece."""
    first, rule, *rows = (line.strip() for line in text.splitlines())
    while rows:
        some = [rows.pop(0)]
        while rows and sum(map(row_lines, [*some, rows[0]])) <= ROOM - 3:
            some.append(rows.pop(0))
        yield "\n".join([first, rule, *some]), 1 + sum(map(row_lines, [first, *some]))


def items(lesson):
    """What a lesson's slides show, in order: (section, Markdown, its lines, lines of what has to follow on the same slide)."""
    title = section = ""
    questions = []
    text = re.sub(r"(?ms)^ *<!-- .*?-->\n|^> ", "", lesson)
    for block in BLOCK.finditer(text + "\n# \n"):
        kind = block.lastgroup
        words = " ".join(line.strip() for line in block[kind].splitlines())
        if kind == "heading":
            # First the questions, then, on slides after that, with their answers.
            yield from (("Questions", question, height(question), 0) for question, _ in questions)
            both = ("\n\n".join(pair) for pair in questions)
            yield from (("Answers", pair, height(pair), 0) for pair in both)
            questions.clear()
            title, section = (words, words) if block["level"] == "#" else (title, words)
        elif kind == "answer":
            questions.append((re.sub(r"</?code>", "`", block["question"]), block["answer"]))
        elif section == EXERCISES:
            if kind == "point":
                point = f"- {sentence(words).removesuffix(' …')}"
                yield section, point, height(point), 0
        elif kind == "code":
            yield from ((section, *piece, 0) for piece in listing(block["code"], block["indent"]))
        elif kind == "figure":
            yield section, f"![]({words})", ROOM - 3.4, 0
        elif kind == "table":
            yield from ((section, *piece, 0) for piece in table(block["table"]))
        else:
            words = words if section == title else sentence(words)
            # Neither what only names the listing that follows, nor an aside, whose bracket would stay open.
            if not re.fullmatch(r"\[?`[^`]*`[^ ]*|.{1,16} …|\(.*", words):
                yield section, f"{block['mark'] or '-'} {words}", height(words), 5 if words.endswith("…") else 0


def deck(chapter):
    """The title and the slides of a chapter, as Markdown: a heading of the second level begins each."""
    slides, head, room = [], "", 0
    for section, text, lines, more in items((chapter / "README.md").read_text(encoding="utf-8")):
        if section != head or lines + more > room:
            slides.append([f"## {section}"])
            head, room = section, ROOM
        slides[-1].append(text)
        room -= lines
    text = "\n\n".join("\n\n".join(slide) for slide in slides) + "\n"
    # A link leads nowhere from a slide.
    return slides[0][0].removeprefix("## "), re.sub(r"(?<!!)\[([^\]]+)\]\([^)]*\)", r"\1", text)


def pandoc(text, kind, title, output, place, style):
    """Markdown as a file that has all it needs in it."""
    if shutil.which("pandoc") is None:
        raise SystemExit("pandoc is missing (on Debian and Ubuntu: apt install pandoc)")
    with tempfile.TemporaryDirectory() as name:

        def still(match):
            """A figure whole from the start: one that moves would be printed as it begins, which is empty."""
            svg = (place / match.group(1)).resolve()
            copy = pathlib.Path(name) / svg.name
            drawn = re.sub(r"(?s)<style>@media.*?</style>\n", "", svg.read_text(encoding="utf-8"))
            copy.write_text(drawn, encoding="utf-8")
            return f"![]({copy})"

        text = re.sub(r"!\[\]\(([^)]+\.svg)\)", still, text)
        command = ["pandoc", "-f", "gfm", "-t", kind, "--standalone", "--self-contained", "--slide-level=2"]
        command += ["--highlight-style=tango", "-M", f"pagetitle={title}", "-M", "lang=en"]
        command += ["--css", HERE / "common.css", "--css", HERE / style, "--resource-path", place, "-o", output]
        done = subprocess.run(command, input=text, capture_output=True, cwd=place, encoding="utf-8")
    # Newer ones warn of the options that Debian 12's pandoc knows.
    if done.returncode != 0 or re.search(r"^(?!.*Deprecated: )\S", done.stderr, re.MULTILINE):
        raise SystemExit(f"FAILED  {output}: {done.stderr}")


def section(text, name):
    return re.search(rf"(?ms)^## {name}$(.*?)(?=^## |\Z)", text).group(1)


def sheets(chapters):
    """(name, title, Markdown) of what is handed out on paper, for these chapters; without any for all, and for the project."""
    text = (ROOT / "docs/teaching.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d\d) \| (.*?) \| (.*?) \|$", section(text, "Predict, then run"), re.MULTILINE)
    rows = [row for row in rows if not chapters or row[0] in chapters]
    asked = [
        f"<section>\n\n### {number}. (chapter {chapter})\n\n{question}\n\n*My prediction:*\n\n*What came:*\n\n</section>\n"
        for number, (chapter, question, _) in enumerate(rows, 1)
    ]
    told = [f"{number}. **{question}** {answer}\n" for number, (_, question, answer) in enumerate(rows, 1)]
    yield "predict", "Predict, then run", "# Predict, then run\n\nName:\n\n" + "\n".join(asked)
    yield "answers", "Predict, then run: the answers", "# Predict, then run: the answers\n\n" + "\n".join(told)
    if not chapters:
        project = "A project, and how it is judged"
        yield "rubric", "A project", f"# {project}\n\n" + section(text, project)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("chapter", nargs="*", help="its number, such as 06")
    parser.add_argument("--sheets", action="store_true", help="the sheets only")
    parser.add_argument("--pdf", action="store_true")
    arguments = parser.parse_intermixed_args()
    chapters = sorted(p.parent for p in ROOT.glob("[0-9][0-9]-*/README.md"))
    for number in arguments.chapter:
        if number not in [chapter.name[:2] for chapter in chapters]:
            parser.error(f"no chapter {number}: name it by its number, such as 06")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    made = []
    for chapter in chapters:
        if not arguments.sheets and (not arguments.chapter or chapter.name[:2] in arguments.chapter):
            title, text = deck(chapter)
            made.append(arguments.folder / f"{chapter.name}.html")
            pandoc(text, "dzslides", title, made[-1].resolve(), chapter, "slides.css")
    for name, title, text in sheets(arguments.chapter):
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
