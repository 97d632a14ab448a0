"""Checks answers to exercises; ./check.sh calls this.

    python3 tests/answers.py [--report FILE.csv] [--again] [EXERCISE...]

EXERCISE: a chapter (06), an exercise (06/1 or its folder). Without one: an overview of all, in which
what has not changed since its last check is not checked again.

Exit code 0: everything that was asked for is right; 1: something is not; 2: no such exercise; 3: all of it is
right on PoCL, and for races in some of it nobody has looked.
"""

import argparse
import csv
import datetime
import json
import pathlib
import sys

from exercise import BUILD, ROOT, Attempt, Problem, all_exercises
from harness import NO_OCLGRIND, find_oclgrind

STATE = BUILD / "state.json"  # of each exercise: failed checks in a row, the last answer and its grade
HINT_AFTER = 2
UNPROVEN = "right on PoCL"  # the grade where Oclgrind should have looked at the answer and is not there


def load_state():
    try:
        state = json.loads(STATE.read_text())
        return state if isinstance(state, dict) else {}
    except (OSError, ValueError):
        return {}


def save_state(state):
    BUILD.mkdir(parents=True, exist_ok=True)
    new = STATE.with_suffix(".new")
    new.write_text(json.dumps(state, indent=1))
    new.rename(STATE)


def usage_error(what, exercises):
    print(f"{what}\nthere are:", file=sys.stderr)
    for exercise in exercises:
        print(f"  {exercise.path}", file=sys.stderr)
    print("name one by its folder, by its numbers (06/1), or a whole chapter (06)", file=sys.stderr)
    raise SystemExit(2)


def select(wish, exercises):
    """The exercises that `wish` names: a chapter's number or folder, 06/1, or a path."""
    number, _, rest = wish.strip("/").partition("/")
    if number.isdigit():
        number = f"{int(number):02}"
        found = [
            e
            for e in exercises
            if e.chapter.startswith(number + "-") and (not rest or e.name == rest or e.name.startswith(rest + "-"))
        ]
    else:
        found = []
        for place in (pathlib.Path.cwd() / wish, ROOT / wish):
            place = place.resolve()
            if place.is_file():
                place = place.parent
            found = (
                [e for e in exercises if e.folder == place or e.folder.is_relative_to(place)]
                if place.is_relative_to(ROOT) and place != ROOT
                else []
            )
            if found:
                break
    if not found:
        usage_error(f"no exercise {wish!r}", exercises)
    return found


def grade(exercise, answer, unchanged):
    """The word for the overview."""
    if answer.problems:
        return "not started" if unchanged else "not yet"
    if unchanged:
        return "not started"  # whatever the checks say: nobody has done anything
    return UNPROVEN if answer.no_oclgrind else "passed"


def show(label, text):
    """One line of an answer, wrapped."""
    width, column = 100, 12
    words, line = text.split(" "), f"  {label:<{column - 2}}"
    for word in words:
        if len(line) + len(word) > width and line.strip():
            print(line.rstrip())
            line = " " * column
        line += word + " "
    print(line.rstrip())


def answer_one(exercise, state, folder):
    """Checks one exercise in full and says everything; returns its grade."""
    print(f"\n{exercise.path}", flush=True)
    unchanged = exercise.is_starter(folder)
    answer = Attempt(exercise, folder).examine()
    for label, text in answer.lines:
        show(label, text)
    word = grade(exercise, answer, unchanged)
    record = state.get(exercise.id, {})
    if word == "passed":
        show("=>", "passed")
        record["failures"] = 0
    elif word == UNPROVEN:
        show("=>", "right on PoCL; races not looked for, because Oclgrind is not there")
        record["failures"] = 0
    else:
        record["failures"] = record.get("failures", 0) + 1
        if not answer.problems:
            show("=>", "not started: this is the starter, unchanged")
        elif unchanged:
            show("=>", f"not started: this is the starter, unchanged. The task is in {exercise.path}/README.md")
        else:
            show("=>", "not yet")
        hints = exercise.hints()
        shown = min(record["failures"] // HINT_AFTER, len(hints))
        for hint in hints[:shown]:
            show("hint", hint)
        if shown < len(hints):
            more = HINT_AFTER * (shown + 1) - record["failures"]
            show("", f"after {more} more {'try' if more == 1 else 'tries'} there is {'another' if shown else 'a'} hint")
    record.update(digest=exercise.digest(folder), grade=word)
    state[exercise.id] = record
    save_state(state)
    return word


def how_many(words):
    """The last line but one: 3 of 30 done, and what is only right on PoCL, if anything."""
    grades = list(words.values())
    text = f"{grades.count('passed')} of {len(grades)} done"
    if UNPROVEN in grades:
        text += f", {grades.count(UNPROVEN)} {UNPROVEN}; races not looked for, because {NO_OCLGRIND}"
    return text


def overview(exercises, state, check_again):
    """All exercises, a line each; checks those that have changed since their last check."""
    chapter = ""
    words = {}
    for exercise in exercises:
        if exercise.chapter != chapter:
            chapter = exercise.chapter
            print(f"\n{chapter}")
        record = state.get(exercise.id, {})
        unchanged = exercise.is_starter(exercise.folder)
        why = ""
        if unchanged and not check_again:
            word = "not started"
        elif (
            record.get("digest") == exercise.digest(exercise.folder)
            and (record.get("grade") == "passed" or record.get("grade") == UNPROVEN and find_oclgrind() is None)
            and not check_again
        ):
            word = record["grade"]
        else:
            answer = Attempt(exercise, exercise.folder).examine()
            word = grade(exercise, answer, unchanged)
            why = answer.problems[0] if answer.problems and not unchanged else ""
            record.update(digest=exercise.digest(exercise.folder), grade=word)
            state[exercise.id] = record
            save_state(state)
        words[exercise.id] = word
        mark = {"passed": "x", "not started": " ", UNPROVEN: "?"}.get(word, "-")
        line = f"  [{mark}] {exercise.name:<28} {word}{': ' + why if why else ''}"
        print(line if len(line) <= 110 else line[:107] + "...", flush=True)
    print("\n" + how_many(words))
    left = [e for e in exercises if words[e.id] not in ("passed", UNPROVEN)]
    if left:
        print(f"go on with: {left[0].path}/README.md, then ./check.sh {left[0].chapter[:2]}/{left[0].name[0]}")
    return words


def write_report(path, exercises, words):
    """One line for each exercise: for the teacher, who puts the files of a class together."""
    with open(path, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["student", "exercise", "result", "sha256", "checked"])
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        for exercise in exercises:
            if exercise.id in words:
                table.writerow([ROOT.name, exercise.id, words[exercise.id], exercise.digest(exercise.folder)[:16], now])
    print(f"report written: {path}")


def main():
    parser = argparse.ArgumentParser(
        prog="check.sh",
        description="Checks your answers to the exercises.",
        epilog="Without EXERCISE: an overview of all. Exit code 0: all right; 1: not yet; 2: no such exercise; "
        "3: right on PoCL, races not looked for.",
    )
    parser.add_argument("exercise", nargs="*", metavar="EXERCISE", help="06, 06/1, or an exercise's folder")
    parser.add_argument("--report", metavar="FILE.csv", help="also write the results of all exercises asked for")
    parser.add_argument("--again", action="store_true", help="in the overview, check also what has not changed")
    arguments = parser.parse_args()
    exercises = all_exercises()
    state = load_state()
    if arguments.report and (
        pathlib.Path(arguments.report).is_dir() or not pathlib.Path(arguments.report).resolve().parent.is_dir()
    ):
        parser.error(f"cannot write the report {arguments.report}: no such folder")
    if arguments.exercise:
        wanted = []
        for wish in arguments.exercise:
            wanted += [e for e in select(wish, exercises) if e not in wanted]
        words = {e.id: answer_one(e, state, e.folder) for e in wanted}
    else:
        wanted = exercises
        words = overview(exercises, state, arguments.again)
    if len(wanted) > 1 and arguments.exercise:
        print("\n" + how_many(words))
    if arguments.report:
        write_report(arguments.report, wanted, words)
    grades = set(words.values())
    return 0 if grades == {"passed"} else 3 if grades <= {"passed", UNPROVEN} else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # the reader of a pipe has seen enough: not everything was said
        sys.stderr.close()
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
