"""Grades the answers of a class; ./grade.sh calls this, and its --help says how.

Of a student's folder only the files count that exercise.json says are the student's; they are copied, and checked as
./check.sh checks them (cli.py), as many at once as there are processors. Answers that are the same are checked once.

grades.csv has the columns of the roster that say who is who, then the total, the sum of each chapter, and each exercise.
Canvas imports it with its own columns; without the row "Points Possible", which is optional there
(lib/gradebook_importer.rb in instructure/canvas-lms) and would be an unknown student for Moodle. Moodle asks for each
column what it is (docs.moodle.org, "Grade import"). A field stays empty where nothing was handed in or the answer could
not be checked, and so does a sum that it is part of. In a worksheet Moodle passes such a field over; imported into a
column that has grades, it takes the grade away, there and in Canvas (update_grade_item in Moodle's
grade/import/csv/classes/load_data.php, ui/features/gradebook_uploads/ in Canvas): docs/teaching.md says so.
"""

import argparse
import concurrent.futures
import csv
import hashlib
import os
import pathlib
import re
import sys
import tempfile
import traceback
import zipfile

from checker import grade_page, sandbox
from checker.behaviour import code_of
from checker.cli import Checked, select
from checker.exercise import Problem, all_exercises
from checker.grade_input import LATE, Roster, answers_of, lacking, read_points, students_in
from checker.machine import NO_OCLGRIND, find_oclgrind

CANVAS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]


class Answer:
    """The answer of one or more students to an exercise: what was handed in, where it lies, and what became of it."""

    def __init__(self, exercise, files, work):
        self.exercise, self.files, self.students = exercise, files, []
        self.result = None  # as in cli.py's --json; None where it could not be checked, and then:
        self.trouble = ""
        self.folder = work / hashlib.sha256(repr((exercise.id, sorted(files.items()))).encode()).hexdigest()[:24]
        given = {name: (exercise.folder / name).read_bytes() for name in files}
        self.code, starter = (tuple(code_of(joined(of))) for of in (files, given))  # without comments
        self.begun = exercise.begun if self.code != starter and not lacking(exercise, files) else 0

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

    @property
    def points(self):
        """None where it could not be checked."""
        begun = self.begun if self.result and self.result["verdict"] == "not yet" else 0
        return None if self.trouble else self.result["points"] or begun


def joined(files):
    return b"\n".join(files[name] for name in sorted(files)).decode(errors="replace")


# ---- What comes out -------------------------------------------------------------------------------


def plain(text):
    """A field that no spreadsheet takes for a formula, on one line."""
    text = re.sub(r"[\x00-\x1f\x7f]", " ", text)
    return "'" + text if text != "-" and text.startswith(("=", "+", "-", "@")) else text


def is_open(student, exercise):
    """May something have been handed in for this exercise that was not read? Then the points are the teacher's to give."""
    answer = student["answers"].get(exercise)
    verdict = answer.result["verdict"] if answer and answer.result else "not started"
    unread = student["unread"]
    return verdict != "passed" and exercise in unread or verdict == "not started" and None in unread


def points_of(student, exercises):
    """What stands in a student's row, None for what is not known: the total, each chapter, each exercise."""
    answers = student["answers"] if student else {}
    each = dict.fromkeys(exercises)
    for exercise in exercises if answers else []:
        if not is_open(student, exercise):
            each[exercise] = answers[exercise].points if exercise in answers else 0
    chapters = [[each[e] for e in exercises if e.chapter == chapter] for chapter in chapters_of(exercises)]
    return [None if None in some else sum(some) for some in [list(each.values()), *chapters]] + list(each.values())


def chapters_of(exercises):
    return list(dict.fromkeys(e.chapter for e in exercises))


def write_grades(path, students, exercises, roster):
    """A row for each of the roster, else for each student who has handed something in."""
    head, rows = CANVAS, [([name, "", "", name, ""], student) for name, student in students.items()]
    if roster:
        of_row = {student["row"]: student for student in students.values()}
        head, rows = roster.head, [(row, of_row.get(number)) for number, row in enumerate(roster.rows)]
    separator, encoding = (roster.separator, roster.encoding) if roster else (",", "utf-8")
    with open(path, "w", newline="", encoding=encoding) as file:
        table = csv.writer(file, delimiter=separator)
        table.writerow([*head, "total", *chapters_of(exercises), *(e.id for e in exercises)])
        for row, student in rows:
            points = ["" if p is None else f"{p:g}" for p in points_of(student, exercises)]
            if separator == ";":  # where that separates, the comma is the decimal sign
                points = [p.replace(".", ",") for p in points]
            table.writerow([*map(plain, row), *points])


def write_feedback(path, name, student, exercises):
    total, *_ = points = points_of(student, exercises)
    known = sum(p or 0 for p in points[-len(exercises) :])
    points = f"{known:g} of {sum(e.points for e in exercises):g} points{' so far' * (total is None)}."
    lines = [f"# {plain(name)}", "", points if student["answers"] else "Nothing could be read."]
    lines += ["", *[f"- {text}" for text in student["wrong"]]] if student["wrong"] else []
    for exercise in exercises if student["answers"] else []:
        answer = student["answers"].get(exercise)
        if is_open(student, exercise):
            verdict = "your teacher will look at it"
        elif answer is None:
            verdict = "not handed in"
        elif answer.trouble:
            verdict = "could not be checked"
        else:
            verdict = f"{answer.result['verdict']}, {answer.points:g} of {exercise.points:g} points"
        lines += ["", f"## {exercise.id}: {verdict}"]
        if answer is not None:
            said = answer.result["lines"] if answer.result else [["", answer.trouble]]
            lines += ["", *[f"    {label:<9} {plain(text)}" for label, text in said]]
    path.write_text("\n".join(lines) + "\n")


def write_zip(path, feedback, names):
    """What Moodle takes back at "Upload multiple feedback files in a zip": each file is called as in a download
    (mod/assign/feedback/file/importziplib.php in moodle/moodle)."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.write(feedback / f"{name}.md", f"{name}_assignsubmission_file_feedback.txt")


WRITTEN = {"grades.csv", "class.html", "feedback"}  # what tells a folder that grade.sh has filled


def refuse_to_overwrite(out, submissions, read):
    """Problem where writing into `out` would touch what is not grade.sh's: what it reads, and what others have written."""
    place, given = out.resolve(), submissions.resolve()
    if place.is_relative_to(given):
        raise Problem(f"--out {out} is in the folder of the submissions: name another folder")
    for path in [submissions, *read]:
        if path.resolve().is_relative_to(place):
            raise Problem(f"--out {out} has {path} in it, which is yours: name another folder")
    if place.exists() and not place.is_dir():
        raise Problem(f"--out {out} is no folder: name another one")
    names = {path.name for path in place.iterdir()} if place.exists() else set()
    if names and not names >= WRITTEN:
        raise Problem(f"--out {out} is not empty, and grade.sh has not made it: name another folder")


def keep_old(out):
    """Puts aside what grade.sh has written before, with what you may have written into it: into earlier-1, earlier-2, ...
    there, since the folder itself may be all of the disk that a container can write to."""
    old = [path for path in out.iterdir() if not path.name.startswith("earlier-")]
    if not old:
        return
    number = 1
    while (place := out / f"earlier-{number}").exists():
        number += 1
    place.mkdir()
    for path in old:
        path.rename(place / path.name)
    print(f"kept: what was in {out} is in {place} now")


def main():
    parser = argparse.ArgumentParser(prog="grade.sh")
    parser.add_argument("submissions", type=pathlib.Path)
    parser.add_argument("exercise", nargs="*")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("grades"))
    parser.add_argument("--roster", type=pathlib.Path)
    parser.add_argument("--points", type=pathlib.Path)
    arguments = parser.parse_intermixed_args()
    exercises = all_exercises()
    if arguments.points:
        read_points(arguments.points, exercises, select)
    exercises = [
        e for e in exercises if not arguments.exercise or any(e in select(w, exercises) for w in arguments.exercise)
    ]
    if not arguments.submissions.is_dir():
        parser.error(f"{arguments.submissions} is no folder: unpack what was downloaded")
    found, others = students_in(arguments.submissions)
    if not found:
        parser.error(
            f"{arguments.submissions} has neither a folder of a student nor what Moodle or Canvas call a student's file"
        )
    refuse_to_overwrite(arguments.out, arguments.submissions, filter(None, [arguments.roster, arguments.points]))
    roster = Roster(arguments.roster) if arguments.roster else None
    rows = {name: roster.row_of(keys) if roster else None for name, (keys, _) in found.items()}
    rows = {name: row if list(rows.values()).count(row) == 1 else None for name, row in rows.items()}
    if roster and set(rows.values()) == {None}:
        raise Problem(
            f"nobody in {arguments.submissions} is in {arguments.roster}: not {', nor '.join(list(rows)[:3])}"
        )
    if find_oclgrind() is None:
        raise Problem(f"nothing can be passed here: {NO_OCLGRIND}")
    why = sandbox.missing()
    print(f"without a sandbox: {why}" if why else "each program in a sandbox, without a network")
    arguments.out.mkdir(parents=True, exist_ok=True)

    called = {}  # what the page calls a student: as the roster does, if only one is called so there
    for name, row in rows.items():
        of_roster = roster.names[row] if row is not None else name
        late = " (late)" if any(LATE.match(path.name) for path, _ in found[name][1]) else ""
        called[name] = (of_roster if row is None or roster.names.count(of_roster) == 1 else name) + late
    with tempfile.TemporaryDirectory(prefix="grade-") as work:
        students, answers = {}, {}
        for name, (_, places) in found.items():
            theirs, wrong = answers_of(places, exercises)
            sentences = [f"{of.id}: {what}" if of else what for of, what in wrong]
            students[name] = {"answers": {}, "wrong": sentences, "unread": {of for of, _ in wrong}, "row": rows[name]}
            for exercise, files in theirs.items():
                new = Answer(exercise, files, pathlib.Path(work))
                answer = students[name]["answers"][exercise] = answers.setdefault(new.folder, new)
                answer.students.append(called[name])
        print(f"{len(students)} students, {len(answers)} different answers", flush=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            checks = [pool.submit(answer.check) for answer in answers.values()]
            for done, _ in enumerate(concurrent.futures.as_completed(checks), 1):
                if done % 20 == 0 or done == len(checks):
                    print(f"  {done} of {len(checks)} checked", flush=True)

    keep_old(arguments.out)
    (arguments.out / "feedback").mkdir()
    write_grades(arguments.out / "grades.csv", students, exercises, roster)
    for name, student in students.items():
        write_feedback(arguments.out / "feedback" / f"{name}.md", name, student, exercises)
    # Whoever is not in the roster may be a group, whose number is somebody else's for Moodle.
    known = [name for name, row in rows.items() if not roster or row is not None]
    of_moodle = [name for name in known if found[name][0][0][0] == "participant"]
    if of_moodle:
        write_zip(arguments.out / "feedback.zip", arguments.out / "feedback", of_moodle)
    absent = [who for number, who in enumerate(roster.names if roster else []) if number not in rows.values()]
    in_order = sorted(students, key=lambda name: (rows[name] is None, rows[name] or 0))  # the roster's
    shown = {called[name]: {**students[name], "points": points_of(students[name], exercises)} for name in in_order}
    (arguments.out / "class.html").write_text(grade_page.page(shown, exercises, list(answers.values()), absent))
    troubles = [(", ".join(a.students), a.exercise.id, a.trouble) for a in answers.values() if a.trouble]
    for trouble in troubles:
        print("NOT CHECKED: {}: {}: {}".format(*trouble))
    unread = [name for name, student in students.items() if student["wrong"]]
    for name in unread:
        what = "LOOK AT" if students[name]["answers"] else "NOTHING READ"
        print(f"{what}: {name}: {'; '.join(students[name]['wrong'])}")
    for name in others:
        print(f"NOT LOOKED AT: {name}: neither a student's folder nor a zip or tar file")
    unknown = [name for name, row in rows.items() if roster and row is None]
    for name in unknown:
        print(f"NOT IN THE ROSTER: {name}: no row of the roster, or more than one, matches this name")
    print(
        f"written: {arguments.out}/grades.csv, {arguments.out}/class.html and {len(students)} in {arguments.out}/feedback/"
    )
    return 1 if troubles or unread or unknown else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
