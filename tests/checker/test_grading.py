"""./grade.sh, on a class: everybody's grade is right, whatever the others have handed in.

A few students with right answers, with starters and with nothing, and one for each kind of damage: no file, no text, no
end, too much output, a fork bomb, a forged state, ...
What Moodle and Canvas make of names and files is compared with their rosters
without any check. Needs the solutions, and bubblewrap.
"""

import csv
import os
import pathlib
import random
import shutil
import tarfile
import types
import zipfile

import pytest

from checker import attempt as exercises_module
from checker import sandbox
from checker.exercise import Problem, all_exercises
from checker.grade import Answer, refuse_to_overwrite, write_grades
from checker.grade_input import Roster, answers_of, students_in
from checker.grade_page import alike
from tests import running

pytestmark = pytest.mark.thorough
KERNEL, HOST = "06/1-missing-barrier", "07/1-time-the-transfers"  # one whose kernel is the student's, one whose host
# What is in a folder of submissions, and whose it is: Jane's or Jürgen's.
SUBMISSIONS = {
    "Jane Doe_12345_assignsubmission_file_/{path}/kernel.cl": "Jane",
    "Jürgen Müller_12346_assignsubmission_file/kernel.cl": "Jürgen",
    "Jane Doe_12345_assignsubmission_file_kernel.cl": "Jane",
    "doejane_4711_99_kernel.cl": "Jane",
    "müllerjürgen_LATE_4712_100_kernel-1.cl": "Jürgen",
    "jdoe/1-missing-barrier/kernel.cl": "Jane",
    "700002/kernel.cl": "Jürgen",
    "LATE_anon_Qx3b2_4711_kernel.cl": "None",  # where Canvas hides the names
}
MOODLE = """Vorname;Nachname;ID-Nummer;Institution;E-Mail-Adresse;Aufgabe: 1 (Punkte);Kurs gesamt (Punkte)
Jane;Doe;700001;;jdoe@uni.example;-;-
Jürgen;Müller;700002;;jmueller@uni.example;-;-
"""
ENGLISH = MOODLE.replace(";", ",").replace("Vorname,Nachname,ID-Nummer,", "First name,Last name,ID number,")
ROSTERS = {
    "Canvas": b"""Student,ID,SIS User ID,SIS Login ID,Section,One (17),Current Score
,,,,,Manual Posting,
    Points Possible,,,,,10,(read only)
"Doe, Jane",4711,700001,jdoe,A,7,70
"M\xc3\xbcller, J\xc3\xbcrgen",4712,700002,jmueller@uni.example,A,8,80
""",
    "Moodle, in German": b"\xef\xbb\xbf" + MOODLE.encode(),
    "Moodle, saved by a spreadsheet program": MOODLE.encode("cp1252"),
    "Moodle": ENGLISH.replace("E-Mail-Adresse", "Email address").encode(),
}


def replaced(content):
    def damage(folder, exercise):
        (folder / exercise.files[0]).write_bytes(content)

    return damage


def in_main(code):
    """A host whose main begins with other lines."""

    def damage(folder, exercise):
        text = (exercise.folder / "solution/host.cpp").read_text()
        head, begin, rest = text.partition("int main(")
        line, brace, body = rest.partition("{\n")
        (folder / "host.cpp").write_text(
            f"#include <unistd.h>\n#include <csignal>\n{head}{begin}{line}{brace}{code}{body}"
        )

    return damage


def link_to_the_solution(folder, exercise):
    (folder / exercise.files[0]).symlink_to(exercise.folder / "solution" / exercise.files[0])


def forged(folder, exercise):
    """The starter, and a state, a checker and an exercise.json that say that it has passed."""
    shutil.copy(exercise.folder / exercise.files[0], folder)
    top = folder.parent.parent.parent
    (top / "build/exercises").mkdir(parents=True)
    (top / "build/exercises/state.json").write_text(f'{{"{exercise.id}": {{"grade": "passed", "failures": 0}}}}')
    (top / "checker").mkdir()
    (top / "checker/cli.py").write_text("print('passed')\n")
    (folder / "exercise.json").write_text('{"files": [], "starter": "", "sizes": []}')


def broken_zip(folder, exercise):
    shutil.rmtree(folder.parent.parent)
    (folder.parent.parent.parent / "answers.zip").write_bytes(b"PK\3\4" + random.Random(1).randbytes(5000))


def zip_bomb(folder, exercise):
    top = folder.parent.parent.parent
    name = str(folder.relative_to(top) / exercise.files[0])
    with zipfile.ZipFile(top / "answers.zip", "w", zipfile.ZIP_DEFLATED) as archive, archive.open(name, "w") as file:
        for _ in range(300):
            file.write(bytes(1 << 20))


DAMAGES = {
    KERNEL: {
        "missing": lambda folder, exercise: None,
        "binary": replaced(random.Random(2).randbytes(3000)),
        "large": replaced(b"// much\n" * 1_000_000),
        "a fifo": lambda folder, exercise: os.mkfifo(folder / exercise.files[0]),
        "link to the solution": link_to_the_solution,
        "forged state": forged,
        "broken archive": broken_zip,
        "zip bomb": zip_bomb,
        "endless include": replaced(b'#include "/dev/zero"\n'),
    },
    HOST: {
        "endless": in_main("  for (volatile int go = 1; go;) {}\n"),
        "fork bomb": in_main("  for (;;) fork();\n"),
        "only PASSED": replaced(b'#include <stdio.h>\nint main() { puts("PASSED"); }\n'),
        "kills what it sees": in_main("  kill(-1, SIGKILL); kill(getppid(), SIGKILL); raise(SIGKILL);\n"),
        "deletes what it can": in_main(
            '  system("rm -rf / --no-preserve-root 2>/dev/null"); puts("PASSED"); _exit(0);\n'
        ),
    },
}

# What was handed in, and could not be read or is no answer: its points are the teacher's to give.
OPEN = ["binary", "large", "a fifo", "link to the solution", "broken archive", "zip bomb", "endless include"]


def hand_in(folder, exercise, solution=True, comment=""):
    place = folder / exercise.path
    place.mkdir(parents=True)
    for name in exercise.files:
        text = (exercise.folder / ("solution" if solution else ".") / name).read_text()
        (place / name).write_text(text + (f"// {comment}\n" if comment else ""))


def make_class(place, exercises):
    """Returns {folder: {exercise id: points that are due}}."""
    known = {e.id: e for e in exercises}
    due = {}
    for number in range(2):
        name = f"right {number:02}"
        for exercise in exercises:
            hand_in(place / name, exercise, comment=f"by {name}")
        due[name] = {e.id: 1 for e in exercises}
    packed = place / "packed"
    packed.mkdir()
    with tarfile.open(packed / "mine.tar.gz", "w:gz") as archive:
        archive.add(known[KERNEL].folder / "solution/kernel.cl", f"opencl/{known[KERNEL].path}/kernel.cl")
    due["packed"] = {KERNEL: 1}
    for exercise in exercises:
        hand_in(place / 'starters; =1+1,"', exercise, solution=False)
    due['starters; =1+1,"'] = {}
    (place / "nothing").mkdir()
    due["nothing"] = None  # no points, and no zeros either
    kinds = [(id, name, damage) for id, some in DAMAGES.items() for name, damage in some.items()]
    for number, (id, kind, damage) in enumerate(kinds):
        name = f"damaged {number:02} {kind}"
        for exercise in known.values():
            if exercise.id != id:
                hand_in(place / name, exercise, comment=f"by {name}")
        folder = place / name / known[id].path
        folder.mkdir(parents=True)
        damage(folder, known[id])
        due[name] = {KERNEL: 1, HOST: 1, id: None if kind in OPEN else 0}
    return due


def test_layouts(tmp_path):
    """What the platforms make of a class: each file is its student's, in each roster."""
    exercise = next(e for e in all_exercises() if e.id == KERNEL)
    for path in SUBMISSIONS:
        file = tmp_path / "all" / path.format(path=exercise.path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(path)
    (tmp_path / "all/essay.pdf").touch()
    students, others = students_in(tmp_path / "all")
    assert others == ["essay.pdf"]
    path = tmp_path / "roster.csv"
    for kind, text in ROSTERS.items():
        path.write_bytes(text)
        roster, found = Roster(path), {}
        for keys, places in students.values():
            row = roster.row_of(keys)
            for file in answers_of(places, [exercise])[0].get(exercise, {}).values():
                found[file.decode()] = row if row is None else "".join(roster.rows[row])
        # Of two files of one student, from two downloads, one is taken; Moodle has not heard of Canvas's numbers.
        assert len(found) == len(SUBMISSIONS) - 1, kind
        assert not {file: row for file, row in found.items() if SUBMISSIONS[file] not in str(row)}, kind
        assert len(roster.rows) == 2 and len(roster.head) == 5, f"{kind}: no row but theirs, no column of grades"
    for text in (b"", b"PK\3\4", b"Nr;Kommentar\n1;gut\n", b"Student,ID,SIS Login ID\n"):
        path.write_bytes(text)
        command = [running.ROOT / "grade.sh", tmp_path / "all", "--out", tmp_path / "out", "--roster", path]
        code, out, err = running.run(command, timeout=60)
        assert code == 2 and "roster" in err and not (tmp_path / "out").exists(), f"{text}: {err}"


# Moodle's grading worksheet; its columns are called after the language, and of "Nom complet" grade.sh has not heard.
WORKSHEET = """ID;Vollständiger Name;Status;Bewertung;Zuletzt geändert (Bewertung)
Teilnehmer/in1;Jane Doe;Abgegeben;2,5;-
Teilnehmer/in2;Jürgen Müller;Keine Abgabe;;-
"""
OTHER_WORKSHEETS = [
    WORKSHEET.replace("ID;", "Identifier;").replace("er/in", "er ").replace("Vollständiger Name", "Full name"),
    WORKSHEET.replace("ID;", "Identifiant;").replace("Vollständiger Name", "Nom complet"),
    WORKSHEET.replace("Vollständiger Name;", "").replace("Jane Doe;", "").replace("Jürgen Müller;", ""),
]
# Whose row it is: also where names are hidden, and where a file's name or the number of a group says otherwise.
OF_WORKSHEET = {
    "Jane Doe_1_assignsubmission_file_Jürgen Müller_2_assignsubmission_file_a.zip": 0,
    "Jürgen Müller_2_assignsubmission_file/a.zip": 1,
    "{hidden}_2_assignsubmission_file/a.zip": 1,
    "Gruppe A_2_assignsubmission_file/a.zip": None,
}
# What cannot be read as an answer to an exercise of 06, and what is said of it.
UNREAD = {
    "answers.rar": "only zip and tar",
    "kernel.cl": "of which exercise",
    "{path}/Kernel.cl": "in small letters",
    "07-dot-product-profiling/exercises/1-time-the-transfers/host.cpp": "not graded here",
    "1-missing-barrier (1)/kernel.cl": "no exercise's folder is called",
    "essay.txt": "is called kernel.cl or host.cpp",
}


def test_what_cannot_be_read(tmp_path):
    exercises = [e for e in all_exercises() if e.chapter.startswith("06")]
    for number, (path, why) in enumerate(UNREAD.items()):
        file = tmp_path / str(number) / path.format(path=exercises[0].path)
        file.parent.mkdir(parents=True)
        file.touch()
        found, wrong = answers_of([(tmp_path / str(number), "")], exercises)
        assert not found and len(wrong) == 1 and file.name in wrong[0][1] and why in wrong[0][1], wrong


def test_what_is_not_read(tmp_path):
    """Beside an answer: files that may be meant as one, one that was handed in again, of which the last one counts (of
    Canvas, by the upload's number: an archive that came after the files), and that it is no answer to this exercise; but
    not what a Mac puts beside each file."""
    exercise = next(e for e in all_exercises() if e.id == KERNEL)
    for upload in 9, 10:
        (tmp_path / f"doejane_4711_{upload}_kernel.cl").write_text("old")
    with zipfile.ZipFile(tmp_path / "doejane_4711_11_answers.zip", "w") as archive:
        for name in ["kernel.cl", "kernel.txt", "b.zip", "../README.md", "._kernel.cl"]:
            archive.writestr(f"{exercise.path}/{name}", "new")
    [(_, places)] = students_in(tmp_path)[0].values()
    found, wrong = answers_of(places, [exercise])
    assert found == {exercise: {"kernel.cl": b"new"}}
    said = [*["handed in twice"] * 2, "no kernel dot_product", "kernel.txt", "b.zip: an archive in an archive"]
    assert len(wrong) == 5 and all(what in text for what, (_, text) in zip(said, wrong)), wrong


ELSEWHERE = [  # whose solution lies at whose place, of which exercise something is said, and what
    ("03/1", "03/2", "03/1", "nothing was done there"),
    ("05/1", "06/1", "06/1", "no kernel dot_product with 5 parameters"),
    ("06/1", "06/1", "06/1", "UTF-16"),
]


@pytest.mark.parametrize("source, to, graded, said", ELSEWHERE)
def test_an_answer_at_another_place(tmp_path, source, to, graded, said):
    known = {e.number: e for e in all_exercises()}
    place, text = tmp_path / known[to].path, (known[source].folder / "solution/kernel.cl").read_text()
    place.mkdir(parents=True)
    (place / "kernel.cl").write_text(text, encoding="utf-16" if said == "UTF-16" else "utf-8")
    _, wrong = answers_of([(tmp_path, "")], [known[graded]])
    assert [of.number for of, _ in wrong] == [graded] and said in wrong[0][1], wrong


def test_nothing_is_overwritten(tmp_path):
    """What is the teacher's stays: the roster, the submissions, a folder that is in use, what was written the last time."""
    running.need_oclgrind()
    given, roster, used = tmp_path / "all/given", tmp_path / "lists/grades.csv", tmp_path / "used"
    (given / "Jane Doe_1_assignsubmission_file").mkdir(parents=True)
    (given / "Jane Doe_1_assignsubmission_file/answers.rar").touch()
    (given / "Gruppe A_2_assignsubmission_file_answers.rar").touch()
    roster.parent.mkdir()
    roster.write_text(WORKSHEET)
    used.mkdir()
    (used / "notes.txt").touch()
    for out in (given.parent, given, given / "grades", roster.parent, roster, used):
        with pytest.raises(Problem, match="name another"):
            refuse_to_overwrite(out, given, [roster])
    command = [running.ROOT / "grade.sh", given, "06/1", "--roster", roster, "--out"]
    code, out, err = running.run([*command, "."], timeout=60, cwd=roster.parent)
    assert code == 2 and "grades.csv in it" in err and roster.read_text() == WORKSHEET, out + err
    for _ in range(2):
        code, out, err = running.run([*command, tmp_path / "out"], timeout=60)
        assert code == 1 and "NOTHING READ: Jane Doe_1: answers.rar" in out, out + err
        note = tmp_path / "out/feedback/note.txt"
        assert not note.exists()
        note.touch()
    assert (tmp_path / "out/earlier-1/feedback/note.txt").exists(), "what was written the last time is lost"
    packed = zipfile.ZipFile(tmp_path / "out/feedback.zip").namelist()
    assert packed == ["Jane Doe_1_assignsubmission_file_feedback.txt"]
    assert "Jürgen Müller" in (tmp_path / "out/class.html").read_text(), "who has handed in nothing is named"


def test_a_worksheet(tmp_path):
    """All its columns are kept, and where a semicolon separates, points have a decimal comma."""
    path = tmp_path / "worksheet.csv"
    for text in [*OTHER_WORKSHEETS, WORKSHEET]:
        path.write_text(text)
        roster, hidden = Roster(path), text.split("\n")[1].partition("1")[0]
        assert ";".join(roster.head) == text.partition("\n")[0], "a column is lost"
        for place, row in OF_WORKSHEET.items():
            folder = tmp_path / str(len(list(tmp_path.iterdir())))
            file = folder / place.format(hidden=hidden.replace("/", ""))
            file.parent.mkdir(parents=True)
            file.touch()
            ((keys, _),) = students_in(folder)[0].values()
            named = "Jane Doe" in text or place.startswith("{hidden}")
            assert roster.row_of(keys) == (row if named else None), f"{text}{place}: {roster.row_of(keys)}"
    exercise = next(e for e in all_exercises() if e.id == KERNEL)
    answer = types.SimpleNamespace(points=1.5, result={"verdict": "passed"})
    student = {"row": 0, "answers": {exercise: answer}, "wrong": [], "unread": set()}
    write_grades(tmp_path / "grades.csv", {"Jane Doe_1": student}, [exercise], Roster(path))
    head, jane, absent = (tmp_path / "grades.csv").read_text().splitlines()
    assert head.startswith(WORKSHEET.splitlines()[0] + ";total;"), head
    assert jane == WORKSHEET.splitlines()[1] + ";1,5" * 3 and absent == WORKSHEET.splitlines()[2] + ";" * 3


def test_a_renamed_copy_is_named():
    exercise = next(e for e in all_exercises() if e.id == KERNEL)
    text = (exercise.folder / "solution/kernel.cl").read_bytes()
    answers = [Answer(exercise, {"kernel.cl": code}, pathlib.Path()) for code in (text, text.replace(b"sums", b"tree"))]
    assert [how for how, *_ in alike(answers)] == ["the same but for names"]


@pytest.mark.parametrize("exercise", [e for e in all_exercises() if e.processes], ids=lambda exercise: exercise.id)
def test_without_mpi(monkeypatch, tmp_path, exercise):
    """What takes MPI has an empty field where there is none, and not 0 points: nobody has looked at it."""
    monkeypatch.setattr(exercises_module, "MPI", False)
    files = {name: (exercise.folder / "solution" / name).read_bytes() for name in exercise.files}
    answer = Answer(exercise, files, tmp_path).check()
    assert answer.points is None and "MPI is not there" in answer.trouble, answer.result


@pytest.mark.timeout(1200)
def test_grading(tmp_path):
    if sandbox.missing():
        pytest.skip(sandbox.missing())
    running.need_oclgrind()
    exercises = [e for e in all_exercises() if e.id in DAMAGES]
    place = tmp_path / "a class"
    due = make_class(place / "submissions", exercises)
    roster, worth = place / "roster.csv", place / "points.csv"
    with open(roster, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Older (17)"])
        table.writerow(["    Points Possible", "", "", "", "", "10"])
        for number, who in enumerate([*due, "absent"]):
            table.writerow([f"Name of {who}", str(number), "", who, "A", "7"])
    worth.write_text("exercise;points\n06;1,5\n")
    command = [running.ROOT / "grade.sh", place / "submissions", "--out", place / "grades"]
    command += ["--roster", roster, "--points", worth, *(e.id for e in exercises)]
    code, out, err = running.run(command, timeout=7200, cwd=place)
    assert code == 1 and out.count("NOT") == 1 and "NOTHING READ: nothing" in out, (out + err)[-3000:]
    with open(place / "grades/grades.csv", encoding="utf-8", newline="") as file:
        head, *rows = list(csv.reader(file))
    columns = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "total", *(e.chapter for e in exercises)]
    assert head == [*columns, *(e.id for e in exercises)]
    assert [row[3] for row in rows] == [*due, "absent"], "a row for each of the roster"
    wrong = []
    for row in rows:
        each = due.get(row[3])
        kernel, host = (None if each is None else each.get(id, 0) for id in (KERNEL, HOST))
        each = [kernel and 1.5 * kernel, host]
        right = ["" if p is None else f"{p:g}" for p in (None if None in each else sum(each), *each, *each)]
        wrong += [f"{row}, not {right}\n{feedback(place, row[3])}"] * (row[5:] != right)
        so_far = "points so far" in feedback(place, row[3])
        wrong += [f"{row}: so far?\n{feedback(place, row[3])}"] * (so_far != (bool(due.get(row[3])) and None in each))
    assert not wrong, "\n".join(wrong)
    page = (place / "grades/class.html").read_text()
    whole = sum(each is not None and None not in each.values() for each in due.values())
    assert f"{whole} students have points" in page
    assert "no plain file" in page and "calls fork()" in page, "what is to be looked at is named on the page"


def feedback(place, name):
    path = place / "grades/feedback" / f"{name}.md"
    return path.read_text() if path.exists() else "no feedback"
