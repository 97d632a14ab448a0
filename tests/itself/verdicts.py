"""Does CTest take each test for what it is? Asks it for the list of all tests of the build.

    python3 tests/itself/verdicts.py [ctest [configuration]]

Only exit code 77 may count as skipped, and nothing but the exit code decides. Each chapter has tests,
one of them without arguments, and each of them goes through run_chapter.cmake.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import chapters  # noqa: E402

# Properties that let a test pass, or not run, whatever its exit code is.
NEVER = {"WILL_FAIL", "PASS_REGULAR_EXPRESSION", "SKIP_REGULAR_EXPRESSION", "DISABLED"}


def properties(test):
    return {each["name"]: each["value"] for each in test["properties"]}


def wrong_with(test):
    """What is wrong with a test, as texts."""
    has = properties(test)
    yield from (f"has the property {name}" for name in sorted(NEVER & set(has)))
    if has.get("SKIP_RETURN_CODE", chapters.SKIPPED) != chapters.SKIPPED:
        yield f"exit code {has['SKIP_RETURN_CODE']} counts as skipped, where only {chapters.SKIPPED} may"
    if not has.get("LABELS"):
        yield "has no label"
    if not 0 < has.get("TIMEOUT", 0) <= 5400:
        yield "has no time limit"
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
        if pathlib.Path(given.get("PROGRAM", "")) != chapters.program(chapter):
            yield f"{name} does not run {chapters.program(chapter)}"
        if command[-2:-1] != ["-P"] or pathlib.Path(command[-1]).resolve() != chapters.ROOT / "tests" / "run_chapter.cmake":
            yield f"{name} does not go through tests/run_chapter.cmake"
    if "" not in arguments:
        yield f"{chapter} has no test without arguments"
    if len(set(arguments)) < len(arguments):
        yield f"{chapter} has two tests with the same arguments"


def main():
    ctest, *configuration = sys.argv[1:] or ["ctest"]
    code, out, err = chapters.run([ctest, "--show-only=json-v1", *(["-C", *configuration] if configuration else [])], cwd=chapters.BUILD)
    if code != 0:
        print(f"FAILED  ctest --show-only ends with {code}: {err}")
        return 1
    tests = {test["name"]: test for test in json.loads(out)["tests"]}
    wrong = [f"{name}: {text}" for name, test in tests.items() for text in wrong_with(test)]
    wrong += [text for chapter in chapters.CHAPTERS for text in wrong_with_chapter(chapter, tests)]
    for text in wrong:
        print(f"FAILED  {text}")
    print(f"{len(tests)} tests looked at, {len(wrong)} wrong")
    return 1 if wrong or not tests else 0


sys.exit(main())
