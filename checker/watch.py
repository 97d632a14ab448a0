"""./check.sh --watch: checks an exercise again at each save, and goes on to the next one when it is done.

Keys: h a hint, n the next exercise, q the end. A save or a key ends a check that is running.
"""

import concurrent.futures
import contextlib
import os
import select
import shutil
import sys
import termios
import time
import tty

from checker import sandbox
from checker.attempt import Answer

EVERY = 0.2  # seconds between two looks at the files
KEYS = "h: hint, n: next, q: quit"


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
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def key():
    """The key that was pressed, "" for none."""
    ready, _, _ = select.select([sys.stdin], [], [], EVERY)
    return os.read(sys.stdin.fileno(), 1).decode(errors="replace") if ready else ""


def passing(text):
    """A line, cut where the terminal ends, that the next one takes the place of; "" only takes the last one away."""
    print(f"\r\033[K{text[: shutil.get_terminal_size().columns - 1]}", end="", flush=True)


def check_beside(pool, check, exercise, before):
    """Checks, and looks at the files and the keys meanwhile. Returns what was found, and "h" where a hint is wanted; or
    None, and what has ended the check: "saved", "n" or "q"."""
    passing(f"checking ... (save: check anew, {KEYS})")
    running = pool.submit(check, exercise, answer=Answer())
    wanted = ""
    try:
        while not running.done():
            pressed = key()
            if stamp(exercise) != before:
                return None, "saved"
            if pressed in ("n", "q"):
                return None, pressed
            if pressed == "h":
                wanted = pressed
                passing("checking ... the hint comes with the answer (save: check anew, n: next, q: quit)")
        return running.result(), wanted
    finally:  # whatever it was that has ended it: no program goes on, and nothing of it is left
        sandbox.stop.set()
        concurrent.futures.wait([running])
        sandbox.stop.clear()
        passing("")


def watch(exercises, is_done, check, tell, give_hint):
    """Goes through the exercises that are not done, from the first on. The functions are those of cli.py."""
    left = [exercise for exercise in exercises if not is_done(exercise)]
    news = ""  # the first line of the next screen
    with keys(), concurrent.futures.ThreadPoolExecutor(1) as pool:
        while left:
            exercise = left[0]
            print(f"\033[2J\033[H{news}\n{exercise.path}", flush=True)
            before = stamp(exercise)
            start = time.monotonic()
            checked, pressed = check_beside(pool, check, exercise, before)
            news = "saved again: checking anew" if pressed == "saved" else ""
            if checked is not None:
                tell(checked)
                passed = checked.word == "passed"
                if passed:
                    left.pop(0)
                done = len(exercises) - len(left)
                print(f"\nchecked in {time.monotonic() - start:.1f} s; {done} of {len(exercises)} done", flush=True)
                if passed:
                    news = f"{exercise.number} passed"
                    if left:
                        print(f"done. Go on with {left[0].path}/README.md", flush=True)
                        time.sleep(2)
                    continue
                print(f"watching {exercise.number}: save to check again ({KEYS})", flush=True)
                if pressed == "h":
                    give_hint(checked)
            while pressed not in ("saved", "n", "q") and stamp(exercise) == before:
                pressed = key()
                if pressed == "h":
                    give_hint(checked)
            if pressed == "q":
                return
            if pressed == "n":
                left.append(left.pop(0))
    print("\nall of them are done")
