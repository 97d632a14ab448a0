"""./check.sh --reset: the starter of an exercise, and the files that are not the student's, as they were given.

A checkout has them in git. A copy for students has no git: there, each check keeps a copy of what is still as it was
given, in build/exercises/given/.
"""

import contextlib
import shutil
import subprocess
import time

from checker import behaviour
from checker.exercise import Problem
from checker.libraries import BUILD
from checker.machine import ROOT

GIVEN = BUILD / "given"


def digests_of(exercise):
    """{path: what its digest has to be} of what --reset gives back; of the starter's files, None: they have one together."""
    known, needed = behaviour.known_files(), behaviour.given_files([exercise])
    names = [*needed, *(name for name in known if name.startswith(f"{exercise.path}/"))]
    return {
        **{ROOT / name: known.get(name) for name in names},
        **{exercise.folder / name: None for name in exercise.files},
    }


def as_given(exercise, path, digest):
    if digest is None:
        return exercise.is_starter(exercise.folder)
    return path.exists() and behaviour.digest_of(path) == digest


def keep_given(exercises):
    """Keeps what is as it was given, of these exercises, for a checkout that has no git."""
    if (ROOT / ".git").exists():
        return
    for exercise in exercises:
        for path, digest in digests_of(exercise).items():
            kept = GIVEN / path.relative_to(ROOT)
            with contextlib.suppress(OSError):  # what cannot be kept is not there later, and that is said then
                if not kept.exists() and as_given(exercise, path, digest):
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, kept)


def given(path):
    """The content of a file as it was given; None where nobody has it."""
    name = path.relative_to(ROOT)
    if (ROOT / ".git").exists():
        done = subprocess.run(["git", "-C", ROOT, "show", f"HEAD:{name.as_posix()}"], capture_output=True)
        return done.stdout if done.returncode == 0 else None
    kept = GIVEN / name
    return kept.read_bytes() if kept.exists() else None


def reset(exercise):
    """Gives the files back; what stood there is kept. Prints what it did."""
    yours = BUILD / "yours" / f"{exercise.id.replace('/', '-')}-{time.strftime('%Y%m%d-%H%M%S')}"
    changed = [path for path, digest in digests_of(exercise).items() if not as_given(exercise, path, digest)]
    contents = {path: given(path) for path in changed}
    if missing := [str(path.relative_to(ROOT)) for path, content in contents.items() if content is None]:
        raise Problem(
            f"nobody has kept {', '.join(missing)} as it was given: take it from the copy that you were given, or from "
            "the web site's page about it"
        )
    for path, content in contents.items():
        if path.exists():
            to = yours / path.relative_to(ROOT)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, to)
        path.write_bytes(content)
        print(f"as it was given: {path.relative_to(ROOT)}")
    if yours.exists():
        print(f"yours is kept in {yours}")
    if not changed:
        print(f"{exercise.number} is as it was given: nothing to do")
