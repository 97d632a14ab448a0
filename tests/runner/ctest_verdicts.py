"""Does CTest take each test for what it is? Asks it for the list of all tests of the build.

Only exit code 77 may count as skipped, and nothing but the exit code decides. Each chapter has tests,
one of them without arguments, and each of them goes through run_chapter.cmake. Tests that share a kernel cache
never run at once.
"""

import json
import os
import pathlib

from tests import running

# Properties that let a test pass, or not run, whatever its exit code is.
NEVER = {"WILL_FAIL", "PASS_REGULAR_EXPRESSION", "SKIP_REGULAR_EXPRESSION", "DISABLED"}


def properties(test):
    return {each["name"]: each["value"] for each in test["properties"]}


def wrong_with(test):
    """What is wrong with a test, as texts."""
    has = properties(test)
    yield from (f"has the property {name}" for name in sorted(NEVER & set(has)))
    if has.get("SKIP_RETURN_CODE", running.SKIPPED) != running.SKIPPED:
        yield f"exit code {has['SKIP_RETURN_CODE']} counts as skipped, where only {running.SKIPPED} may"
    if not has.get("LABELS"):
        yield "has no label"
    if not 0 < has.get("TIMEOUT", 0) <= 5400:
        yield "has no time limit"
    caches = [text for text in has.get("ENVIRONMENT", []) if text.startswith("POCL_CACHE_DIR=")]
    locks = [lock for lock in has.get("RESOURCE_LOCK", []) if lock.startswith("pocl-cache/")]
    if caches != [f"POCL_CACHE_DIR={running.BUILD}/{lock}" for lock in locks] or len(locks) != 1:
        yield f"has not one kernel cache with its lock, but {caches or 'none'} with {locks or 'none'}"
    if not test.get("command"):
        yield "has no command: its program is not built"


def wrong_with_chapter(chapter, tests):
    """What is wrong with a chapter's own tests, as texts."""
    arguments = []
    for name, test in tests.items():
        if not name.startswith(chapter + "."):
            continue
        command = test.get("command", [])
        given = dict(text.partition("=")[::2] for text in command if "=" in text)
        arguments.append(given.get("ARGUMENTS"))
        if pathlib.Path(given.get("PROGRAM", "")) != running.program(chapter):
            yield f"{name} does not run {running.program(chapter)}"
        if (
            command[-2:-1] != ["-P"]
            or pathlib.Path(command[-1]).resolve() != running.ROOT / "common" / "run_chapter.cmake"
        ):
            yield f"{name} does not go through common/run_chapter.cmake"
    if "" not in arguments:
        yield f"{chapter} has no test without arguments"
    if len(set(arguments)) < len(arguments):
        yield f"{chapter} has two tests with the same arguments"


def check(report):
    code, out, err = running.run([os.environ.get("CTEST", "ctest"), "--show-only=json-v1"], cwd=running.BUILD)
    if report.failed("ctest --show-only", [f"it ends with {code}: {err}"] if code else []):
        return
    tests = {test["name"]: test for test in json.loads(out)["tests"]}
    report.count("tests", len(tests))
    for name, test in tests.items():
        report.failed(name, list(wrong_with(test)))
    for chapter in running.built():
        report.failed(chapter, list(wrong_with_chapter(chapter, tests)))
