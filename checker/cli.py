"""Checks answers to exercises; ./check.sh calls this.

    ./check.sh [--hint] [--watch] [--report FILE.csv] [--json FILE] [--reset] [--again] [EXERCISE...]

EXERCISE: a chapter (06), an exercise (06/1 or its folder). Without one: an overview of all, in which
what has not changed since its last check is not checked again.

Exit code 0: everything that was asked for is right; 1: something is not; 2: no such exercise; 3: all of it is
right on PoCL, and for races in some of it nobody has looked.

--json FILE is for programs: {"answers": [...]}, an object for each exercise, in the order of the check:

    exercise   "06/1-missing-barrier"
    verdict    "passed", "right on PoCL", "not yet", "not started" (the starter, which is not checked unless it is named or
               with --again), or "not checked": what the check needs failed
    points, of what it is worth (exercise.json, else 1); points are `of` where it is passed, else 0
    message    the first thing that is wrong, "" where nothing is
    problems   all of them; lines: all that the check said, as [label, text]
    sha256     of the student's files; seconds: what the check took
"""

import argparse
import contextlib
import csv
import datetime
import fcntl
import json
import os
import pathlib
import re
import sys
import tempfile
import textwrap
import time

from checker import reset, sandbox
from checker.attempt import Answer, Attempt
from checker.exercise import Problem, all_exercises
from checker.libraries import BUILD
from checker.machine import ROOT, why_no_oclgrind
from checker.watch import watch

STATE = BUILD / "state.json"  # of each exercise: the last answer, its grade, and which hints were given
UNPROVEN = "right on PoCL"  # the grade where Oclgrind should have looked at the answer and is not there
MARKS = {"passed": "x", "not started": " ", UNPROVEN: "?"}


def load_state():
    """What is remembered; of what is damaged, nothing."""
    try:
        state = json.loads(STATE.read_text())
    except (OSError, ValueError):
        return {}
    return {k: v for k, v in state.items() if isinstance(v, dict)} if isinstance(state, dict) else {}


def remember(exercise, **what):
    """Notes something about an exercise, while other checks may be doing so. What cannot be written is forgotten."""
    with contextlib.suppress(OSError):
        BUILD.mkdir(parents=True, exist_ok=True)
        with open(STATE.with_suffix(".lock"), "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            state = load_state()
            state.setdefault(exercise.id, {}).update(what)
            with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=BUILD, delete=False) as new:
                json.dump(state, new, indent=1)
            os.replace(new.name, STATE)


def usage_error(what, exercises):
    print(f"{what}\nthere are:", file=sys.stderr)
    for exercise in exercises:
        print(f"  {exercise.path}", file=sys.stderr)
    print("name one by its folder, by its numbers (06/1), or a whole chapter (06)", file=sys.stderr)
    print(what, file=sys.stderr)  # again: the list is longer than a screen
    raise SystemExit(2)


def select(wish, exercises):
    """The exercises that `wish` names: a chapter's number or folder, 06/1, or a path."""
    wish = re.sub(r"^(\d+)[-.](\d+)$", r"\1/\2", wish)  # 06-1 is what many type
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
        for place in (pathlib.Path.cwd() / wish).resolve(), (ROOT / wish).resolve():
            place = place.parent if place.is_file() else place
            if place.is_relative_to(ROOT) and place != ROOT:
                found = found or [e for e in exercises if e.folder.is_relative_to(place)]
    if not found:
        near = [e for e in exercises if number.isdigit() and e.chapter.startswith(number + "-")]
        usage_error(f"no exercise {wish!r}", near or exercises)
    return found


class Checked:
    """An exercise, the check of an answer to it, and the word for that. A starter need not be examined to be known."""

    def __init__(self, exercise, folder=None, answer=None, starters=True):
        start = time.monotonic()
        self.exercise, self.folder = exercise, folder or exercise.folder
        self.unchanged = exercise.is_starter(self.folder)
        missing = not any((self.folder / name).exists() for name in exercise.files)
        attempt = Attempt(exercise, self.folder, answer=answer)
        self.answer = attempt.examine() if starters or not self.unchanged else attempt.answer
        self.word = grade(self.answer, self.unchanged or missing and folder is not None)
        self.seconds = time.monotonic() - start

    @property
    def message(self):
        """The first problem, as it is said where nothing else is."""
        return re.sub("^no: ", "does not compile: ", next(iter(self.answer.problems), ""))

    def as_json(self):
        answer, of = self.answer, self.exercise.points
        return {
            "exercise": self.exercise.id,
            "verdict": self.word,
            "points": of if self.word == "passed" else 0,
            "of": of,
            "message": self.message,
            "problems": answer.problems,
            "lines": answer.lines,
            "sha256": self.exercise.digest(self.folder),
            "seconds": round(self.seconds, 2),
        }


def grade(answer, unchanged):
    """The word for the overview."""
    if unchanged:
        return "not started"  # whatever the checks say: nobody has done anything
    if answer.problems:
        return "not yet"
    if answer.unchecked:
        return "not checked"
    return UNPROVEN if answer.no_oclgrind else "passed"


def show(label, text):
    indents = {"initial_indent": f"  {label:<10}", "subsequent_indent": " " * 12}
    print(textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False, **indents), flush=True)


VERDICTS = {
    "passed": "passed",
    UNPROVEN: "right on PoCL; races not looked for",
    "not checked": "not checked: nothing is wrong so far, but not all of the check could be done",
    "not yet": "not yet",
    "not started": "not started: this is the starter, unchanged. The task is in {}/README.md",
}


def tell(checked):
    """Says everything that was found, and remembers the grade."""
    exercise = checked.exercise
    if not checked.answer.show:  # else each line was shown as it was found
        for label, text in checked.answer.lines:
            show(label, text)
    show("=>", VERDICTS[checked.word].format(exercise.path))
    remember(exercise, digest=exercise.digest(checked.folder), grade=checked.word)


def answer_one(exercise, hint=False):
    """Checks one exercise, and says what is found as soon as it is."""
    print(f"\n{exercise.path}", flush=True)
    checked = Checked(exercise, answer=Answer(show))
    tell(checked)
    if hint:
        give_hint(checked)
    elif checked.word == "not yet" and exercise.hints(" ".join(checked.answer.problems)):
        show("", f"a hint: ./check.sh {exercise.number} --hint")
    return checked


def in_the_way(answer):
    """What has to be fixed before anything is known of the task, and no hint for that helps; "" where nothing is."""
    for label, text in answer.lines:
        if text in answer.problems and label == "files":
            return f"{text}: that comes first"
        if text in answer.problems and (label == "compiles" or "the kernel does not compile" in text):
            return f"the {'program' if label == 'compiles' else 'kernel'} does not compile: fix the line that is named first"
    return ""


def give_hint(checked):
    """The first hint that fits what failed and has not been given yet; when all have been, all of them again."""
    exercise = checked.exercise
    if not checked.answer.problems:
        return show("hint", "none is needed: nothing was found wrong")
    if in_the_way(checked.answer):
        return show("hint", in_the_way(checked.answer))
    fit = exercise.hints(" ".join(checked.answer.problems))
    given = load_state().get(exercise.id, {}).get("hints")
    given = given if isinstance(given, list) else []
    new = [hint for hint in fit if hint not in given][:1]
    for hint in new or fit:
        last = " (the last one for this failure)" if hint == fit[-1] else ""
        show("hint", f"{fit.index(hint) + 1} of {len(fit)}: {hint}{last}")
    remember(exercise, hints=given + new)
    if not fit:
        show("hint", "there is none for this; the lesson is in " + f"{exercise.chapter}/README.md")
    return None


def how_many(words):
    """The last line but one: 3 of 30 done, and what is only right on PoCL, if anything."""
    text = f"{words.count('passed')} of {len(words)} done"
    if UNPROVEN in words:
        text += f", {words.count(UNPROVEN)} {UNPROVEN}; races not looked for, because "
        text += why_no_oclgrind() or "it was not available when they were checked: ./check.sh --again"
    return text


def is_done(exercise):
    """The grade that is remembered of this very answer, where it need not be checked again; else None."""
    record = load_state().get(exercise.id, {})
    if record.get("digest") != exercise.digest(exercise.folder):
        return None
    done = record.get("grade") == "passed" or record.get("grade") == UNPROVEN and why_no_oclgrind()
    return record["grade"] if done else None


def overview(exercises, starters, done):
    """All exercises, a line each; checks those that have changed since their last check, and those that are starters or
    done only if asked for. Returns their words, and what was found."""
    chapter = ""
    words, all_checked = [], []
    for exercise in exercises:
        if exercise.chapter != chapter:
            chapter = exercise.chapter
            print(f"\n{chapter}")
        why = ""
        if is_done(exercise) and not done:
            word = is_done(exercise)
        else:
            checked = Checked(exercise, starters=starters)
            all_checked.append(checked)
            word = checked.word
            why = checked.message if word == "not yet" else ""
            if word != "not started":
                remember(exercise, digest=exercise.digest(exercise.folder), grade=word)
        words.append(word)
        line = f"  [{MARKS.get(word, '-')}] {exercise.name:<28} {word}{': ' + why if why else ''}"
        print(line if len(line) <= 110 else line[:107] + "...", flush=True)
    print("\n" + how_many(words))
    left = [e for e, word in zip(exercises, words) if word not in ("passed", UNPROVEN)]
    if left:
        print(f"go on with: {left[0].path}/README.md, then ./check.sh {left[0].number}")
    return words, all_checked


def write_report(path, all_checked):
    """One line for each exercise: for the teacher, who puts the files of a class together."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["folder", "exercise", "result", "sha256", "checked"])
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        for one in all_checked:
            table.writerow([ROOT.name, one.exercise.id, one.word, one.exercise.digest(one.folder)[:16], now])
    print(f"report written: {path}")


def main():
    parser = argparse.ArgumentParser(
        prog="check.sh",
        description="Checks your answers to the exercises.",
        epilog="Without EXERCISE: an overview of all. Exit code 0: all right; 1: not yet; 2: no such exercise; "
        "3: right on PoCL, races not looked for.",
    )
    parser.add_argument("exercise", nargs="*", metavar="EXERCISE", help="06, 06/1, or an exercise's folder")
    parser.add_argument("--watch", action="store_true", help="check again at each save, and go on when it is done")
    parser.add_argument("--hint", action="store_true", help="also a hint for what is wrong")
    parser.add_argument("--report", metavar="FILE.csv", help="also write the results of all exercises asked for")
    parser.add_argument("--json", metavar="FILE", help="the same with all that was found, for programs")
    parser.add_argument("--reset", action="store_true", help="give the starters back; what stood there is kept")
    parser.add_argument("--again", action="store_true", help="in the overview, check also what has not changed")
    arguments = parser.parse_args()
    exercises = all_exercises()
    for path in filter(None, [arguments.report, arguments.json]):
        if pathlib.Path(path).is_dir() or not pathlib.Path(path).resolve().parent.is_dir():
            parser.error(f"cannot write {path}: no such folder")
    wanted = []
    for wish in arguments.exercise:
        wanted += [e for e in select(wish, exercises) if e not in wanted]
    wanted = wanted or exercises
    reset.keep_given(exercises)
    if arguments.reset:
        if not arguments.exercise:
            parser.error("--reset takes the exercises that are to be as they were given: ./check.sh --reset 06/1")
        for exercise in wanted:
            reset.reset(exercise)
        return 0
    if sandbox.missing():
        print(f"Note: your program runs without a sandbox ({sandbox.missing()})")
    if arguments.watch:
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            parser.error("--watch takes a terminal")
        watch(wanted, is_done, Checked, tell, give_hint)
        return 0
    if arguments.exercise:
        all_checked = [answer_one(e, arguments.hint) for e in wanted]
        words = [one.word for one in all_checked]
        if len(wanted) > 1:
            print("\n" + how_many(words))
    else:
        # What is written for others is what was found now, not what a file says that was found before.
        done = arguments.again or arguments.report or arguments.json
        words, all_checked = overview(exercises, arguments.again, done)
    if arguments.report:
        write_report(arguments.report, all_checked)
    if arguments.json:
        text = json.dumps({"answers": [one.as_json() for one in all_checked]}, indent=1)
        pathlib.Path(arguments.json).write_text(text + "\n", encoding="utf-8")
    return 0 if set(words) == {"passed"} else 3 if set(words) <= {"passed", UNPROVEN} else 1


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
