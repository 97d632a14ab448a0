"""Runs a check, a module of tests/programs/, texts/, site/, checker/, mutants/, systems/ or runner/, on chapters or on what it looks at as a whole.

    python3 tests/run.py costs 09-matmul-tiled
    python3 tests/run.py faults 06 full           more thoroughly, where the check knows how to
    python3 tests/run.py released                 all chapters, one after the other

    python3 tests/run.py pages 06                  its own words: see tests/texts/pages.py

A check is a module with a function check(report[, chapter][, full]): it is given what it has a parameter for.
One with a parameter `words` gets all the words after its name.
Its last line says what was looked at. Exit code 0; 1 if anything failed or nothing was looked at; 2 for
wrong arguments; 77 if something that it needs is not there.
"""

import importlib
import inspect
import pathlib
import re
import sys

sys.path[0] = str(pathlib.Path(__file__).resolve().parent.parent)  # checker/ and tests/ are packages there

from tests import running  # noqa: E402

MODULES = {
    path.stem.replace("_", "-"): f"tests.{path.parent.name}.{path.stem}"
    for path in (pathlib.Path(__file__).parent).glob("*/*.py")
    if re.search(r"^def check\(", path.read_text(), re.MULTILINE)
}
CHECKS = sorted(MODULES)


def usage(what):
    print(
        f"{what}\nusage: tests/run.py CHECK [CHAPTER ...] [full]\nCHECK is one of: {' '.join(CHECKS)}", file=sys.stderr
    )
    return 2


def main():
    name, *chapters = sys.argv[1:] or [""]
    if name not in CHECKS:
        return usage(f"no such check: {name}")
    check = importlib.import_module(MODULES[name]).check
    takes = inspect.signature(check).parameters
    more = {}
    if "words" in takes:
        more, chapters = {"words": chapters}, []
    full = chapters[-1:] == ["full"]
    chapters = chapters[:-1] if full else chapters
    named, rest = running.named(chapters, ".*")
    if rest or full and "full" not in takes or chapters and "chapter" not in takes:
        return usage(f"no such test: {' '.join(sys.argv[1:])}")
    if "full" in takes:
        more["full"] = full
    chapters = named if "chapter" in takes else [""]
    codes = set()
    for chapter in chapters:
        report = running.Report(" ".join([name, *["full"] * full, *[chapter] * (chapter != "")]))
        try:
            if chapter and running.left_out(chapter):
                raise running.Skip(running.left_out(chapter))
            check(report, **({"chapter": chapter} if chapter else {}), **more)
            codes.add(report.end())
        except running.Skip as what:
            print(f"SKIPPED: {what}")
            codes.add(1 if report.failures else running.SKIPPED)
    return 1 if 1 in codes else max(codes)


if __name__ == "__main__":
    sys.exit(main())
