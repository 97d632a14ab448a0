"""Grades the answers of a class; ./grade.sh calls this, and its --help says how.

Of a student's folder only the files count that exercise.json says are the student's; they are copied, and checked as
./check.sh checks them (answers.py), as many at once as there are processors. Answers that are the same are checked once,
and so are those that pass and differ in comments and blanks only. Then those that passed and have something to measure
are timed, one after the other.

grades.csv is what Canvas imports: "Student, ID, SIS User ID, SIS Login ID, Section", then the assignments; without
the row "Points Possible", which is optional there (lib/gradebook_importer.rb in instructure/canvas-lms) and would be an
unknown student for Moodle. Moodle asks for each column what it is (docs.moodle.org, "Grade import"). A field stays
empty where the answer could not be checked, so that no grade is overwritten.
"""

import argparse
import concurrent.futures
import csv
import hashlib
import os
import pathlib
import re
import stat
import sys
import tarfile
import tempfile
import traceback
import zipfile

from checker import grade_page, sandbox
from checker.attempt import Attempt
from checker.cli import Checked, select
from checker.exercise import Problem, all_exercises
from checker.machine import NO_OCLGRIND, find_oclgrind

CANVAS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
LARGEST = 1 << 20  # bytes of a file that somebody has written by hand
MOST_FILES = 20000  # in what a student has handed in


class Answer:
    """The answer of one or more students to an exercise: what was handed in, where it lies, and what became of it."""

    def __init__(self, exercise, files, work):
        self.exercise, self.files, self.students = exercise, files, []
        self.result = None  # as in answers.py's --json; None where it could not be checked, and then:
        self.trouble = ""
        self.measured = {}
        self.folder = work / hashlib.sha256(repr((exercise.id, sorted(files.items()))).encode()).hexdigest()[:24]
        self.code = exercise.id, tuple((name, without_comments(files[name])) for name in sorted(files))

    def check(self):
        try:
            self.folder.mkdir()
            for name, content in self.files.items():
                (self.folder / name).write_bytes(content)
            self.result = Checked(self.exercise, self.folder).as_json()
            if self.result["verdict"] in ("not checked", "right on PoCL"):
                self.trouble = " ".join(text for _, text in self.result["lines"][-1:])
        except Exception as error:  # one answer must not stop the others, whatever it does to the check
            self.trouble = f"{type(error).__name__}: {error}"
            if not isinstance(error, Problem):
                traceback.print_exc()
        return self

    def take(self, other):
        """The result of an answer whose code is the same."""
        self.result, self.measured = {**other.result, "sha256": ""}, other.measured

    def measure(self):
        if self.exercise.measure and not self.measured and self.result and self.result["verdict"] == "passed":
            self.measured = Attempt(self.exercise, self.folder).measure()

    @property
    def points(self):
        return None if self.trouble else self.result["points"]


BLANKS = rb"(?:\s|//[^\n]*|/\*.*?\*/)+"
LITERAL = rb'"(?:[^"\\\n]|\\.)*"' + rb"|'(?:[^'\\\n]|\\.)*'"


def without_comments(content):
    """What an answer does: two that differ only in comments and blanks do the same. It is the text itself where a line's
    number or end may matter."""
    if re.search(rb"\\\s*\n|\?\?|__LINE__|__FILE__|assert|R\"", content):
        return content

    def blank(found):
        only = re.sub(rb"//[^\n]*|/\*.*?\*/", b"", found.group(0), flags=re.DOTALL)
        return found.group(1) or (b"\n" if b"\n" in only else b" ")

    return re.sub(b"(" + LITERAL + b")|" + BLANKS, blank, content, flags=re.DOTALL).strip()


# ---- What was handed in ---------------------------------------------------------------------------


def regular(path):
    """The content of a plain file, or why there is none."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        return None, error.strerror
    with open(file, "rb") as opened:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return None, "no plain file"
        return limited(opened)


def limited(opened):
    content = opened.read(LARGEST + 1)
    return (content, "") if len(content) <= LARGEST else (None, f"larger than {LARGEST >> 10} KiB")


def in_zip(path):
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist()[:MOST_FILES]:
            yield info.filename, lambda info=info: limited(archive.open(info))


def in_tar(path):
    with tarfile.open(path) as archive:
        for number, info in enumerate(archive):
            if number < MOST_FILES and info.isfile():
                yield info.name, lambda info=info: limited(archive.extractfile(info))


def handed_in(folder):
    """The name of each file that a student has handed in, and a function that gives its content, the shortest names
    first; what lies in archives follows. Links are not followed."""
    names = []
    for place, folders, files in os.walk(folder):
        folders.sort()
        names += [os.path.join(place, name) for name in sorted(files)]
        if len(names) > MOST_FILES:
            break
    names.sort(key=lambda name: name.count("/"))
    for name in names:
        yield name, lambda name=name: regular(name)
    for name in names:
        kind = in_zip if name.endswith(".zip") else in_tar if re.search(r"\.(tar|tgz|tar\.\w+)$", name) else None
        if kind and not os.path.islink(name):
            yield from kind(name)


def answers_of(folder, exercises):
    """{exercise: {file: content}} of a student, and what could not be read: sentences."""
    wanted = {(e.chapter, "exercises", e.name, file): (e, file) for e in exercises for file in e.files}
    found, wrong = {}, []
    try:
        for name, content in handed_in(folder):
            exercise, file = wanted.get(tuple(name.split("/")[-4:]), (None, None))
            if exercise and file not in found.get(exercise, {}):
                text, why = content()
                if text is None:
                    wrong.append(f"{exercise.id}: {file}: {why}")
                else:
                    found.setdefault(exercise, {})[file] = text
    except (
        OSError,
        EOFError,
        ValueError,
        NotImplementedError,
        RuntimeError,
        zipfile.BadZipFile,
        tarfile.TarError,
    ) as error:
        wrong.append(f"an archive that cannot be read: {error}")
    except Exception as error:  # damage has no end of kinds: zlib.error, lzma.LZMAError, struct.error, ...
        wrong.append(f"an archive that cannot be read: {type(error).__name__}: {error}")
    if not found and not wrong:
        wrong.append("nothing that is called NN-topic/exercises/K-name/kernel.cl or host.cpp was handed in")
    return found, wrong


# ---- What comes out -------------------------------------------------------------------------------


def plain(text):
    """A field that no spreadsheet takes for a formula, on one line."""
    text = re.sub(r"[\x00-\x1f\x7f]", " ", text)
    return "'" + text if text.startswith(("=", "+", "-", "@")) else text


def read_roster(path):
    """The first columns of a gradebook, and its rows: those before the grades, as Canvas and Moodle export them."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        head, *rows = list(csv.reader(file))
    known = {*CANVAS, "Integration ID", "Root Account", "First name", "Last name", "Surname", "ID number", "Username"}
    known |= {"Institution", "Department", "Email address"}
    columns = next((i for i, name in enumerate(head) if name not in known), len(head))
    return head[:columns], [row[:columns] for row in rows if len(row) >= columns and "Points Possible" not in row[0]]


def write_grades(path, students, exercises, roster):
    """A row for each of the roster, else for each folder. Returns the folders that the roster does not know."""
    head, rows = read_roster(roster) if roster else (CANVAS, [[name, "", "", name, ""] for name in students])
    left = set(students)
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(head + [e.id for e in exercises])
        for row in rows:
            known = [name for name in students if name.casefold() in (field.strip().casefold() for field in row)]
            left -= set(known[:1])
            answers = students[known[0]]["answers"] if known else {}
            points = [answers[e].points if e in answers else 0 for e in exercises]
            table.writerow([*map(plain, row), *("" if p is None else p for p in points)])
    return sorted(left)


def write_feedback(path, name, student, exercises):
    total = sum(answer.points or 0 for answer in student["answers"].values())
    lines = [f"# {plain(name)}", "", f"{total} of {sum(e.points for e in exercises)} points."]
    lines += ["", *[f"- {text}" for text in student["wrong"]]] if student["wrong"] else []
    for exercise in exercises:
        answer = student["answers"].get(exercise)
        verdict = (
            "not handed in"
            if answer is None
            else "could not be checked"
            if answer.trouble
            else answer.result["verdict"]
        )
        lines += ["", f"## {exercise.id}: {verdict}"]
        if answer is not None:
            said = answer.result["lines"] if answer.result else [["", answer.trouble]]
            lines += ["", *[f"    {label:<9} {plain(text)}" for label, text in said]]
    path.write_text("\n".join(lines) + "\n")


def check_all(pool, answers):
    for done, _ in enumerate(concurrent.futures.as_completed([pool.submit(answer.check) for answer in answers]), 1):
        if done % 20 == 0 or done == len(answers):
            print(f"  {done} of {len(answers)} checked", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="grade.sh")
    parser.add_argument("submissions", type=pathlib.Path)
    parser.add_argument("exercise", nargs="*")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("grades"))
    parser.add_argument("--roster", type=pathlib.Path)
    arguments = parser.parse_intermixed_args()
    exercises = all_exercises()
    exercises = [
        e for e in exercises if not arguments.exercise or any(e in select(w, exercises) for w in arguments.exercise)
    ]
    if not arguments.submissions.is_dir():
        parser.error(f"{arguments.submissions} is no folder")
    if arguments.roster:
        read_roster(arguments.roster)  # before the work, and not after it
    if find_oclgrind() is None:
        raise Problem(f"nothing can be passed here: {NO_OCLGRIND}")
    print(
        f"without a sandbox: {sandbox.missing()}"
        if sandbox.missing()
        else "each program in a sandbox, without a network"
    )
    folders = sorted(
        p for p in arguments.submissions.iterdir() if p.is_dir() and not p.is_symlink() and p.name[0] != "."
    )
    if not folders:
        parser.error(f"{arguments.submissions} has no folder of a student")
    (arguments.out / "feedback").mkdir(parents=True, exist_ok=True)

    with tempfile.TemporaryDirectory(prefix="grade-") as work:
        students, answers = {}, {}
        for folder in folders:
            found, wrong = answers_of(folder, exercises)
            students[folder.name] = {"answers": {}, "wrong": wrong}
            for exercise, files in found.items():
                new = Answer(exercise, files, pathlib.Path(work))
                answer = students[folder.name]["answers"][exercise] = answers.setdefault(new.folder, new)
                answer.students.append(folder.name)
        print(f"{len(students)} students, {len(answers)} different answers", flush=True)
        by_code = {}
        for answer in answers.values():
            by_code.setdefault(answer.code, []).append(answer)
        first = [same[0] for same in by_code.values()]
        rest = [answer for same in by_code.values() for answer in same[1:]]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            check_all(pool, first)
            passed = {a.code: a for a in first if a.result and a.result["verdict"] == "passed"}
            check_all(pool, [answer for answer in rest if answer.code not in passed])
        for answer in first:
            answer.measure()
        for answer in rest:
            if answer.code in passed:
                answer.take(passed[answer.code])
        for answer in rest:
            answer.measure()

    unknown = write_grades(arguments.out / "grades.csv", students, exercises, arguments.roster)
    for name, student in students.items():
        write_feedback(arguments.out / "feedback" / f"{name}.md", name, student, exercises)
    (arguments.out / "class.html").write_text(grade_page.page(students, exercises, list(answers.values())))
    troubles = [(", ".join(a.students), a.exercise.id, a.trouble) for a in answers.values() if a.trouble]
    for trouble in troubles:
        print("NOT CHECKED: {}: {}: {}".format(*trouble))
    for name in unknown:
        print(f"NOT IN THE ROSTER: {name}")
    print(
        f"written: {arguments.out}/grades.csv, {arguments.out}/class.html and {len(students)} in {arguments.out}/feedback/"
    )
    return 1 if troubles or unknown else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
