"""./check.sh --watch: checks an exercise again at each save, and goes on to the next one when it is done.

Keys, where there is a terminal: h a hint, n the next exercise, q the end.
"""

import contextlib
import os
import select
import sys
import termios
import time
import tty

EVERY = 0.2  # seconds between two looks at the files


def stamp(exercise):
    """What changes with each save; an editor may take a file away for a moment."""
    found = []
    for name in exercise.files:
        with contextlib.suppress(OSError):
            status = (exercise.folder / name).stat()
            found.append((name, status.st_mtime_ns, status.st_size))
    return found


@contextlib.contextmanager
def keys():
    """While this lasts, a key is there as soon as it is pressed."""
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def key():
    """The key that was pressed, "" for none."""
    if not sys.stdin.isatty():
        time.sleep(EVERY)
        return ""
    ready, _, _ = select.select([sys.stdin], [], [], EVERY)
    return os.read(sys.stdin.fileno(), 1).decode(errors="replace") if ready else ""


def watch(exercises, answer_one, give_hint):
    """Goes through the exercises, from the first that is not passed on. The functions are those of answers.py."""
    left = list(exercises)
    with keys():
        while left:
            exercise = left[0]
            if sys.stdout.isatty():
                print("\033[2J\033[H", end="")
            before = stamp(exercise)
            start = time.monotonic()
            checked = answer_one(exercise)
            print(
                f"\nchecked in {time.monotonic() - start:.1f} s; {len(exercises) - len(left)} of {len(exercises)} done"
            )
            if checked.word == "passed":
                left.pop(0)
                if left:
                    print(f"done. Go on with {left[0].path}/README.md", flush=True)
                    time.sleep(2 if sys.stdout.isatty() else 0)
                continue
            print(f"watching {exercise.path}: save to check again (h: hint, n: next, q: quit)", flush=True)
            while stamp(exercise) == before:
                pressed = key()
                if pressed == "q":
                    return
                if pressed == "h":
                    give_hint(checked)
                if pressed == "n":
                    left.append(left.pop(0))
                    break
    print("\nall of them are done")
