"""Are the exercises themselves right?

starter   builds without a warning, is not passed, and is answered as exercise.json says; --record notes its hash
solution  builds without a warning and passes, Oclgrind included
wrong     each known wrong answer in wrong.txt is refused, with the message that it states
right     each unusual answer in right.txt that is right passes

wrong.txt has at least three answers that somebody could give, in the notation of tests/defects.py: what is
wrong with it in a line or more, its `kind:`, what of the check's answer to `expect:`, a regular expression, and
what makes it of the solution. right.txt has, in the same way, answers that nobody would expect and that are right.
"""

import json
import pathlib
import re
import shutil
import tempfile

import pytest

from checker import behaviour
from checker.attempt import STRICT, Attempt, other_than_pocl
from checker.cli import UNPROVEN, grade, select
from checker.exercise import Problem, all_exercises
from tests import defects
from tests.running import NO_OCLGRIND

KINDS = {"racy", "divergent", "off by one", "non-multiples", "hard-coded", "only on PoCL", "memory", "wrong"}


def said(answer):
    return "\n".join(f"{label}: {text}" for label, text in answer.lines)


def changed_solution(exercise, known):
    """The check's answer to the solution with a known change."""
    with tempfile.TemporaryDirectory(prefix="known-") as name:
        folder = pathlib.Path(name)
        for file in exercise.files:
            shutil.copy(exercise.folder / "solution" / file, folder)
        for file, text in defects.changed(known, folder).items():
            (folder / file).write_text(text)
        return Attempt(exercise, folder).examine()


def right(report, exercise):
    path = exercise.folder / "right.txt"
    for known in defects.read(path) if path.exists() else []:
        if known.attributes or not known.words:
            raise Problem(f"{known.where}: needs a line on what is unusual, and nothing else")
        answer = changed_solution(exercise, known)
        report.must(f"{exercise.id} right: {known.name}: passes", grade(answer, False) == "passed", said(answer))


def wrong(report, exercise):
    path = exercise.folder / "wrong.txt"
    answers = defects.read(path) if path.exists() else []
    report.must(f"{exercise.id}: at least three known wrong answers", len(answers) >= 3, f"{len(answers)} in wrong.txt")
    for known in answers:
        kind, expect = known.attributes.get("kind"), known.attributes.get("expect")
        if kind not in KINDS or not expect or not known.words or len(known.attributes) > 2:
            raise Problem(
                f"{known.where}: needs a line on what is wrong, a line expect: REGEX, and a line kind: with one of "
                f"{', '.join(sorted(KINDS))}; and nothing else"
            )
        answer = changed_solution(exercise, known)
        text = said(answer)
        what = f"{exercise.id} wrong: {known.name} ({kind})"
        report.must(f"{what}: is refused", answer.problems and grade(answer, False) not in ("passed", UNPROVEN), text)
        report.must(f"{what}: the check says what `expect` has, {expect!r}", re.search(expect, text), text)
        if kind == "only on PoCL":
            alone = all(label not in ("PoCL", "") or problem not in answer.problems for label, problem in answer.lines)
            report.must(f"{what}: PoCL alone sees nothing", alone, text)


def write_down(exercise):
    """The hash of the starter, and of what is not the student's."""
    path = exercise.folder / "exercise.json"
    data = json.loads(path.read_text())
    data["sha256"] = exercise.digest(exercise.folder)
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in data.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    given = behaviour.given_files(all_exercises())
    behaviour.GIVEN.write_text(json.dumps(given, indent=0) + "\n")


@pytest.mark.thorough
def test_starter(exercise, record):
    if record:
        write_down(exercise)
        [exercise] = select(exercise.id, all_exercises())
    again = "the same command with --record notes it"
    assert exercise.is_starter(exercise.folder), f"exercise.json has another sha256: {again}"
    assert not behaviour.changed_files(exercise), f"checker/given_files.json has other files: {again}"
    answer = Attempt(exercise, exercise.folder, STRICT).examine()
    text = said(answer)
    assert "compiles: no" not in text and "does not compile" not in text, text
    assert answer.problems and grade(answer, False) != "passed", text
    assert behaviour.NOT_ENDED not in text, text
    assert re.search(exercise.starter, text), f"not {exercise.starter!r}, which exercise.json expects: {text}"
    assert len(exercise.hints()) >= 2 and exercise.hints(text), f"there are to be two hints, of which one fits {text}"
    assert not answer.no_oclgrind, NO_OCLGRIND


def test_other_than_pocl():
    line = "size      1\ndevice    cpu-haswell-Intel(R) Xeon(R) Processor ({})\nPASSED\n"
    assert not other_than_pocl(line.format("Portable Computing Language")) and other_than_pocl(
        line.format("Intel(R) OpenCL")
    )


@pytest.mark.thorough
def test_solution(exercise):
    answer = Attempt(exercise, exercise.folder / "solution", STRICT).examine()
    assert grade(answer, False) == "passed", said(answer)


@pytest.mark.release
@pytest.mark.timeout(600)
def test_known_answers(report, exercise):
    right(report, exercise)
    wrong(report, exercise)


@pytest.mark.thorough
def test_given_files(report, exercise):
    """Each file that is not the student's, changed, is named."""
    known = behaviour.known_files()
    for name in behaviour.given_files([exercise]):
        said = behaviour.changed_files(exercise, {**known, name: "another"})
        report.must(f"{name}, changed", said and said[0].startswith(name), str(said))
