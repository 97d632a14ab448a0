"""The gate: are the exercises themselves right?

    python3 tests/exercises/gate.py starter|solution|wrong|all 06/1...
    python3 tests/exercises/gate.py record 06/1...      after a starter was changed
    python3 tests/exercises/gate.py counts              do the texts give the right numbers of them?

starter   builds without a warning, is not passed, and is answered as exercise.json says
solution  builds without a warning and passes, Oclgrind included
wrong     each known wrong answer in wrong/ is refused, with the message that it states

A file in wrong/ is an answer that somebody could give:

    what is wrong with it, in a line or more
    kind: racy
    expect: race on sums\\[1\\]                (a regular expression, for the check's answer)
    <<<< kernel.cl
    lines of the solution, which must be there exactly once
    ====
    what stands there in the wrong answer
    >>>>

There are at least three of them for each exercise. Exit code 0 if all is as it should be.
"""
import json
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check import select, verdict  # noqa: E402
from exercise import ROOT, STRICT, Check, Problem, all_exercises  # noqa: E402

KINDS = {"racy", "divergent", "off by one", "non-multiples", "hard-coded", "only on PoCL", "memory", "wrong"}
failures = 0


def must(condition, what, detail=""):
    global failures
    print(f"{'ok     ' if condition else 'FAILED '} {what}")
    if not condition:
        failures += 1
        print("        " + detail.strip().replace("\n", "\n        "))


def said(answer):
    return "\n".join(f"{label}: {text}" for label, text in answer.lines)


def starter(exercise):
    name = f"{exercise.id} starter"
    must(exercise.is_starter(exercise.folder), f"{name}: exercise.json has its sha256",
         f"run: python3 tests/exercises/gate.py record {exercise.id}")
    must(len(exercise.hints()) == 2, f"{name}: the README has two hints", str(exercise.hints()))
    answer = Check(exercise, exercise.folder, STRICT).check()
    text = said(answer)
    must("compiles: no" not in text and "does not compile" not in text, f"{name}: compiles", text)
    must(answer.problems != [] and verdict(exercise, answer, False) != "passed", f"{name}: is refused", text)
    must(re.search(exercise.starter, text) is not None, f"{name}: for its reason: {exercise.starter}", text)
    must(not answer.no_oclgrind, f"{name}: Oclgrind is there", "install oclgrind")


def solution(exercise):
    name = f"{exercise.id} solution"
    answer = Check(exercise, exercise.folder / "solution", STRICT).check()
    must(verdict(exercise, answer, False) == "passed", f"{name}: passes", said(answer))


def wrong_answer(path, exercise, folder):
    """Puts a wrong answer together in `folder`; returns what it expects and its kind."""
    text = path.read_text()
    fields = dict(re.findall(r"^(kind|expect): (.*)$", text, re.MULTILINE))
    if set(fields) != {"kind", "expect"} or fields["kind"] not in KINDS:
        raise Problem(f"{path}: needs a line expect:, and a line kind: with one of {', '.join(sorted(KINDS))}")
    for name in exercise.files:
        shutil.copy(exercise.folder / "solution" / name, folder / name)
    edits = re.findall(r"^<<<< (\S+)\n(.*?)^====\n(.*?)^>>>>$", text, re.MULTILINE | re.DOTALL)
    if not edits:
        raise Problem(f"{path}: no edit")
    for name, old, new in edits:
        old, new = old[:-1], new[:-1]  # without the last line end: a part of a line will do
        content = (folder / name).read_text()
        if content.count(old) != 1:
            raise Problem(f"{path}: its lines stand {content.count(old)} times in solution/{name}")
        (folder / name).write_text(content.replace(old, new))
    return fields["expect"], fields["kind"]


def wrong(exercise):
    paths = sorted((exercise.folder / "wrong").glob("*.txt"))
    must(len(paths) >= 3, f"{exercise.id} wrong: at least three known wrong answers", f"{len(paths)} in wrong/")
    for path in paths:
        with tempfile.TemporaryDirectory(prefix="wrong-") as name:
            folder = pathlib.Path(name)
            expect, kind = wrong_answer(path, exercise, folder)
            answer = Check(exercise, folder).check()
            text = said(answer)
            what = f"{exercise.id} wrong/{path.stem} ({kind})"
            must(answer.problems != [] and verdict(exercise, answer, False) not in ("passed", "unproven"),
                 f"{what}: is refused", text)
            must(re.search(expect, text) is not None, f"{what}: with: {expect}", text)
            if kind == "only on PoCL":
                must(all(label not in ("PoCL", "") or problem not in answer.problems
                         for label, problem in answer.lines), f"{what}: PoCL alone sees nothing", text)


def record(exercise):
    path = exercise.folder / "exercise.json"
    data = json.loads(path.read_text())
    data["sha256"] = exercise.digest(exercise.folder)
    path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    print(f"recorded {exercise.path}")


def counts():
    """The numbers that README.md and docs/teaching.md give."""
    exercises = all_exercises()
    answers = [path for exercise in exercises for path in (exercise.folder / "wrong").glob("*.txt")]
    for page, word, number in [("README.md", "exercises in all", len(exercises)), ("docs/teaching.md", "exercises", len(exercises)),
                               ("docs/teaching.md", "wrong answers", len(answers))]:
        text = " ".join((ROOT / page).read_text().split())
        said = re.findall(rf"\b(\d+) {word}", text)
        must(said == [str(number)], f"{page}: {number} {word}", f"it says: {' and '.join(said) or 'no number'}")


def main():
    if sys.argv[1:] == ["counts"]:
        counts()
        return 1 if failures else 0
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    what, exercises = sys.argv[1], all_exercises()
    steps = {"starter": [starter], "solution": [solution], "wrong": [wrong], "record": [record],
             "fast": [starter, solution], "all": [starter, solution, wrong]}
    if what not in steps:
        print(__doc__, file=sys.stderr)
        return 2
    for wish in sys.argv[2:]:
        for exercise in select(wish, exercises):
            for step in steps[what]:
                step(exercise)
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        print(f"FAILED  {problem}", file=sys.stderr)
        sys.exit(1)
