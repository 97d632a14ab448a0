"""./grade.sh, on a class: everybody's grade is right, whatever the others have handed in.

A few students with right answers, with starters and with nothing, and one for each kind of damage: no file, no text, no
end, too much output, a fork bomb, a forged state, ... With `full`: 30 students with all exercises and a hundred
damaged ones. Then the page is looked at in Chromium, in light and in dark, at two widths (skipped by name without it).
Needs the solutions, and bubblewrap.
"""

import csv
import io
import os
import pathlib
import random
import shutil
import tarfile
import tempfile
import time
import zipfile

from checker import attempt as exercises_module
from checker import sandbox
from checker.exercise import all_exercises
from checker.grade import Answer, without_comments
from tests import running
from tests.site import site_pages

KERNEL, HOST = "06/1-missing-barrier", "07/1-time-the-transfers"  # one whose kernel is the student's, one whose host
SAME = [
    (b"int a; // x\n", b"int a;\n\n"),
    (b"a /* b\n c */ d", b"a  d"),
    (b'f("a // b")', b'f("a // b") // c'),
]
NOT_THE_SAME = [
    (b'f("a  b")', b'f("a b")'),
    (b'f("a // b")', b'f("a // c")'),
    (b'f("\\" // x")', b'f("\\" // y")'),
    (b"#define A /*\n*/ 3", b"#define A\n3"),
    (b"// a \\\n b", b"// a \\\n c"),
    (b"f(__LINE__)", b"\nf(__LINE__)"),
]
LOOP = "  for (volatile int go = 1; go;) {}\n"


def file_of(exercise):
    return exercise.files[0]


def replaced(content):
    def damage(folder, exercise):
        (folder / file_of(exercise)).write_bytes(content)

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


def in_kernel(code):
    def damage(folder, exercise):
        text = (exercise.folder / "solution/kernel.cl").read_text()
        head, brace, body = text.partition(") {\n")
        (folder / "kernel.cl").write_text(head + brace + code + body)

    return damage


def other_kind(make):
    """Something else in place of the file."""

    def damage(folder, exercise):
        make(folder / file_of(exercise))

    return damage


def link_to_the_solution(folder, exercise):
    (folder / file_of(exercise)).symlink_to(exercise.folder / "solution" / file_of(exercise))


def forged(folder, exercise):
    """The starter, and a state, a checker and an exercise.json that say that it has passed."""
    shutil.copy(exercise.folder / file_of(exercise), folder)
    top = folder.parent.parent.parent
    (top / "build/exercises").mkdir(parents=True)
    (top / "build/exercises/state.json").write_text(f'{{"{exercise.id}": {{"grade": "passed", "failures": 0}}}}')
    (top / "checker").mkdir()
    (top / "checker/cli.py").write_text("print('passed')\n")
    (folder / "exercise.json").write_text('{"files": [], "host": "chapter", "starter": "", "sizes": []}')


def broken_zip(folder, exercise):
    shutil.rmtree(folder.parent.parent)
    (folder.parent.parent.parent / "answers.zip").write_bytes(b"PK\3\4" + random.Random(1).randbytes(5000))


def zip_bomb(folder, exercise):
    top = folder.parent.parent.parent
    name = str(folder.relative_to(top) / file_of(exercise))
    with zipfile.ZipFile(top / "answers.zip", "w", zipfile.ZIP_DEFLATED) as archive, archive.open(name, "w") as file:
        for _ in range(300):
            file.write(bytes(1 << 20))


DAMAGES = {
    KERNEL: {
        "missing": lambda folder, exercise: None,
        "empty": replaced(b""),
        "binary": replaced(random.Random(2).randbytes(3000)),
        "no UTF-8": replaced(b"__kernel void dot_product(\xff\xfe) {}\n"),
        "large": replaced(b"// much\n" * 1_000_000),
        "a folder": other_kind(pathlib.Path.mkdir),
        "a fifo": other_kind(os.mkfifo),
        "link to the solution": link_to_the_solution,
        "link to a device": other_kind(lambda path: path.symlink_to("/dev/zero")),
        "forged state": forged,
        "broken archive": broken_zip,
        "zip bomb": zip_bomb,
        "endless": in_kernel(LOOP),
        "endless include": replaced(b'#include "/dev/zero"\n'),
    },
    HOST: {
        "1 GB of output": in_main(
            '  for (;;) puts("PASSED PASSED PASSED PASSED PASSED PASSED PASSED PASSED PASSED");\n'
        ),
        "1 GB of files": in_main('  system("for i in $(seq 99); do head -c 100000000 /dev/zero > f$i; done");\n'),
        "fork bomb": in_main("  for (;;) fork();\n"),
        "memory": in_main("  for (;;) memset(malloc(1 << 26), 1, 1 << 26);\n"),
        "endless": in_main(LOOP),
        "endless include": replaced(b'#include "/dev/zero"\n'),
        "only PASSED": replaced(b'#include <stdio.h>\nint main() { puts("PASSED"); }\n'),
        "kills what it sees": in_main("  kill(-1, SIGKILL); kill(getppid(), SIGKILL); raise(SIGKILL);\n"),
        "deletes what it can": in_main(
            '  system("rm -rf / --no-preserve-root 2>/dev/null"); puts("PASSED"); _exit(0);\n'
        ),
    },
}
SLOW = {"endless"}  # only the kernel's, unless with `full`: each takes as long as the check waits


def hand_in(folder, exercise, solution=True, comment=""):
    place = folder / exercise.path
    place.mkdir(parents=True)
    for name in exercise.files:
        text = (exercise.folder / ("solution" if solution else ".") / name).read_text()
        (place / name).write_text(text + (f"// {comment}\n" if comment else ""))


def make_class(place, exercises, full):
    """Returns {folder: {exercise id: points that are due}}."""
    known = {e.id: e for e in exercises}
    due = {}
    for number in range(30 if full else 2):
        name = f"right {number:02}"
        for exercise in exercises:
            hand_in(place / name, exercise, comment=f"by {name}")
        due[name] = {e.id: 1 for e in exercises}
    packed = place / "packed"
    packed.mkdir()
    text = (known[KERNEL].folder / "solution/kernel.cl").read_bytes()
    with tarfile.open(packed / "mine.tar.gz", "w:gz") as archive:
        info = tarfile.TarInfo(f"opencl/{known[KERNEL].path}/kernel.cl")
        info.size = len(text)
        archive.addfile(info, io.BytesIO(text))
    due["packed"] = {KERNEL: 1}
    for exercise in exercises:
        hand_in(place / 'starters; =1+1,"', exercise, solution=False)
    due['starters; =1+1,"'] = {}
    (place / "nothing").mkdir()
    due["nothing"] = {}
    kinds = [(id, name, damage) for id, some in DAMAGES.items() for name, damage in some.items()]
    kinds = [one for one in kinds if full or one[1] not in SLOW or one[0] == KERNEL]
    for number in range(100 if full else len(kinds)):
        id, kind, damage = kinds[number % len(kinds)]
        name = f"damaged {number:02} {kind}"
        for exercise in known.values() if not full else [known[KERNEL], known[HOST]]:
            if exercise.id != id:
                hand_in(place / name, exercise, comment=f"by {name}")
        folder = place / name / known[id].path
        folder.mkdir(parents=True)
        damage(folder, known[id])
        due[name] = {other: 1 for other in (KERNEL, HOST) if other != id}
    return due


def check(report, full):
    if sandbox.missing():
        raise running.Skip(sandbox.missing())
    running.need_oclgrind()
    for a, b in SAME:
        report.must(f"the same but for comments and blanks: {a}", without_comments(a) == without_comments(b))
    for a, b in NOT_THE_SAME:
        report.must(f"not the same: {a}, {b}", without_comments(a) != without_comments(b))
    without_mpi(report)
    exercises = [e for e in all_exercises() if full or e.id in DAMAGES]
    with tempfile.TemporaryDirectory(prefix="a class ") as name:
        place = pathlib.Path(name)
        due = make_class(place / "submissions", exercises, full)
        roster = place / "roster.csv"
        with open(roster, "w", newline="") as file:
            csv.writer(file).writerows(
                [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Older (17)"]]
                + [["    Points Possible", "", "", "", "", "10"]]
                + [[f"Name of {who}", str(number), "", who, "A", "7"] for number, who in enumerate([*due, "absent"])]
            )
        begin = time.monotonic()
        command = [running.ROOT / "grade.sh", place / "submissions", "--out", place / "grades", "--roster", roster]
        code, out, err = running.run([*command, *(e.id for e in exercises)], timeout=7200, cwd=place)
        print(f"        {len(due)} students in {time.monotonic() - begin:.0f} s")
        report.must("all are graded", code == 0 and "NOT" not in out, (out + err)[-3000:])
        with open(place / "grades/grades.csv", newline="") as file:
            head, *rows = list(csv.reader(file))
        columns = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *(e.id for e in exercises)]
        report.must("grades.csv: the roster's columns, and one for each exercise", head == columns, str(head))
        report.must("... a row for each of the roster", [row[3] for row in rows] == [*due, "absent"], str(rows))
        for row in rows:
            points = {id: int(p or -1) for id, p in zip(head[5:], row[5:]) if p != "0"}
            report.must(
                f"{row[3]}: the right points", points == due.get(row[3], {}), f"{points}\n{feedback(place, row[3])}"
            )
        report.must(
            "what was damaged is named on the page", "no plain file" in (place / "grades/class.html").read_text()
        )
        must_look(report, place / "grades/class.html")


def without_mpi(report):
    """What takes MPI has an empty field where there is none, and not 0 points: nobody has looked at it."""
    there, exercises_module.MPI = exercises_module.MPI, False
    try:
        for exercise in [e for e in all_exercises() if e.processes]:
            files = {name: (exercise.folder / "solution" / name).read_bytes() for name in exercise.files}
            with tempfile.TemporaryDirectory() as work:
                answer = Answer(exercise, files, pathlib.Path(work)).check()
            good = answer.points is None and "MPI is not there" in answer.trouble
            report.must(f"{exercise.id} without MPI: not checked, no points", good, f"{answer.result} {answer.trouble}")
    finally:
        exercises_module.MPI = there


def feedback(place, name):
    path = place / "grades/feedback" / f"{name}.md"
    return path.read_text() if path.exists() else "no feedback"


LOOK = """({
  wide: document.documentElement.scrollWidth > innerWidth + 1,
  dark: getComputedStyle(document.body).backgroundColor,
  rows: document.querySelectorAll('.state tr').length,
  points: document.querySelectorAll('svg circle').length,
  colours: new Set([...document.querySelectorAll('td.good, td.bad')].map(e => getComputedStyle(e).backgroundColor)).size,
  out: [...document.querySelectorAll('svg circle, svg text')].filter(e => { const r = e.getBoundingClientRect(),
         s = e.ownerSVGElement.getBoundingClientRect(); return r.left < s.left || r.right > s.right || r.top < s.top - 1 ||
         r.bottom > s.bottom + 1; }).map(e => e.textContent),
})"""


def must_look(report, page):
    """The page in a browser: nothing from elsewhere, nothing sticks out, both themes."""
    browser = site_pages.Browser(site_pages.browser_program())
    try:
        seen = set()
        for theme in ("light", "dark"):
            for width, height in site_pages.WIDTHS.values():
                browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
                wrong = browser.open(page.as_uri(), width, height)
                wrong = [what for what in wrong if page.as_uri() not in what]
                look = browser.run(LOOK)
                seen.add(look["dark"])
                good = not wrong and not look["wide"] and not look["out"] and look["rows"] > 3 and look["colours"] == 2
                report.must(f"class.html, {theme}, {width} wide", good, f"{wrong} {look}")
        report.must("light and dark differ", len(seen) == 2, str(seen))
    finally:
        browser.close()
