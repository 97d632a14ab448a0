"""What the checks in tests/ share: the list of chapters, how to find and run their programs.

The build folder is the environment variable BUILD_DIR, which each CMakeLists.txt sets, or build/.
"""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("BUILD_DIR", ROOT / "build"))

CHAPTERS = sorted(p.parent.name for p in ROOT.glob("[0-9][0-9]-*/host.cpp"))


def program(chapter, build=BUILD):
    """The path of a chapter's program; an error that says how to build it when it is not there."""
    path = build / chapter / chapter
    if not path.exists():
        raise SystemExit(f"{path} is not there: build first (cmake --build --preset default)")
    return path


def is_matrix(chapter):
    """Does the chapter take [M [N [K]]] (else it takes [N])?"""
    return "matmul" in chapter


def takes_sizes(chapter):
    """Does the chapter compute anything? 02 only shows what there is."""
    return chapter != "02-device-query"


def small_sizes(chapter):
    """Argument lists that run fast: one element, a multiple of the group, and none."""
    if not takes_sizes(chapter):
        return [[]]
    if is_matrix(chapter):
        return [["1"], ["64"], ["17", "33", "65"]]
    if chapter == "12-sum-unrolled":
        return [["1"], ["256"], ["1000", "3"]]
    return [["1"], ["256"], ["1000"]]


def run(command, env=None, cwd=None, timeout=120, **options):
    """Runs a command; returns (exit code, standard output, standard error). A signal is negative.

    `env` is added to the environment; `options` go to subprocess.run.
    """
    done = subprocess.run([str(c) for c in command], env=None if env is None else {**os.environ, **env},
                          cwd=cwd, timeout=timeout, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", **options)
    return done.returncode, done.stdout, done.stderr
