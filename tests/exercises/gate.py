"""The gate: are the exercises themselves right?

    python3 tests/exercises/gate.py starter|solution|wrong|all 06/1...
    python3 tests/exercises/gate.py record 06/1...      after a starter was changed

starter   builds without a warning, is not passed, and is answered as exercise.json says
solution  builds without a warning and passes, Oclgrind included
wrong     each known wrong answer in wrong.txt is refused, with the message that it states

wrong.txt has at least three answers that somebody could give, in the notation of tests/defects.py: what is
wrong with it in a line or more, its `kind:`, what of the check's answer to `expect:`, a regular expression, and
what makes it of the solution. Exit code 0 if all is as it should be.
"""
import json
import pathlib
import re
import shutil
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent)]
import defects  # noqa: E402
from check import select, verdict  # noqa: E402
from exercise import STRICT, Check, Problem, all_exercises  # noqa: E402

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


def wrong(exercise):
    path = exercise.folder / "wrong.txt"
    answers = defects.read(path) if path.exists() else []
    must(len(answers) >= 3, f"{exercise.id} wrong: at least three known wrong answers", f"{len(answers)} in wrong.txt")
    for known in answers:
        kind, expect = known.attributes.get("kind"), known.attributes.get("expect")
        if kind not in KINDS or not expect or not known.words or len(known.attributes) > 2:
            raise Problem(f"{known.where}: needs a line on what is wrong, a line expect: REGEX, and a line kind: with one of "
                          f"{', '.join(sorted(KINDS))}; and nothing else")
        with tempfile.TemporaryDirectory(prefix="wrong-") as name:
            folder = pathlib.Path(name)
            for file in exercise.files:
                shutil.copy(exercise.folder / "solution" / file, folder)
            for file, text in defects.changed(known, folder).items():
                (folder / file).write_text(text)
            answer = Check(exercise, folder).check()
        text = said(answer)
        what = f"{exercise.id} wrong: {known.name} ({kind})"
        must(answer.problems != [] and verdict(exercise, answer, False) not in ("passed", "unproven"), f"{what}: is refused", text)
        must(re.search(expect, text) is not None, f"{what}: with: {expect}", text)
        if kind == "only on PoCL":
            must(all(label not in ("PoCL", "") or problem not in answer.problems for label, problem in answer.lines),
                 f"{what}: PoCL alone sees nothing", text)


def record(exercise):
    path = exercise.folder / "exercise.json"
    data = json.loads(path.read_text())
    data["sha256"] = exercise.digest(exercise.folder)
    path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    print(f"recorded {exercise.path}")


def main():
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
    except (Problem, defects.Unfit) as problem:
        print(f"FAILED  {problem}", file=sys.stderr)
        sys.exit(1)
