"""Tries mutants that nobody thought of: made by rule (generator.py), judged as those of the table (known_mutants.py).



One that does not compile is none; one that compiles to the same code cannot be told from the original by anything.
Every other one must be noticed, or stand in generated.txt under the reason why it changes nothing that can
be observed; what stands there must exist and must not be noticed.
"""

import functools
import os
import pathlib
import re
import tempfile

import pytest

from tests import chapter_facts, running, syntax
from tests.mutants import generator
from tests.mutants import test_known_mutants as known_mutants

SAMPLE = 2  # of a chapter, in its test
SAME, NOTHING = "that compile to the same code", "that change nothing"
LISTED = running.ROOT / "tests" / "mutants" / "generated.txt"


@functools.cache
def listed():
    """What changes nothing observable: {(chapter's number, name): (text, reason)}."""
    found, reason = {}, ""
    for line in LISTED.read_text().splitlines():
        if line.startswith("## "):
            reason = line[3:]
        elif match := re.fullmatch(r"(\d\d) ([\da-f]{8}(?:-\d+)?) (.+)", line):
            found[match[1], match[2]] = match[3], reason
        elif line and not line.startswith("# "):
            raise SystemExit(f"FAILED  {LISTED}: not understood: {line}")
    return found


def compiled(path, chapter, builds):
    """The code that compilers make of a file, for comparison; None where it does not compile."""
    if path.suffix == ".cl":
        text = path.read_text()
        clang = running.need_tool("clang", "clang")
        outputs = [
            running.run([clang, *syntax.kernel_options(text, options), "-O2", "-S", "-emit-llvm", "-o", "-", path])
            for options in builds
        ]
    else:
        compiler = [os.environ.get("CXX", "c++"), *syntax.host_options(path), "-O2", "-S", "-o", "-"]
        outputs = [running.run([*compiler, path.parent / "host.cpp"])]
    if any(code for code, _, _ in outputs):
        return None
    code = "".join(out for _, out, _ in outputs).replace(str(path.parent.parent), "")
    return re.sub(r"^(; ModuleID|source_filename|\s*\.(file|ident)).*", "", code, flags=re.MULTILINE)


def verdict(mutant, original, builds):
    """("noticed", by which check and how), or one of "no code", "same code", "survives"."""
    path = running.ROOT / mutant.chapter / mutant.file
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        texts = {mutant.file: mutant.made(path.read_bytes())}
        if known_mutants.build(mutant.chapter, folder, texts):
            return "no code", ""
        code = compiled(folder / mutant.chapter / mutant.file, mutant.chapter, builds)
        if code is None or code == original:
            return "no code" if code is None else "same code", ""
        checks = known_mutants.CHECKS if mutant.file.endswith(".cl") else known_mutants.HOST_CHECKS
        by, how = known_mutants.noticed_by(mutant.chapter, folder, checks)
        return ("noticed", f"{by}: {how}") if by else ("survives", "")


def of_chapter(report, chapter, wanted):
    known, number = chapter_facts.of(chapter), chapter[:2]
    everything = generator.mutants_of(chapter)
    names = {mutant.name for mutant in everything}
    for (of, name), (text, _) in listed().items():
        if of == number and name not in names:
            report.failed(LISTED.name, [f"there is no such mutant any more: {of} {name} {text}"])
    builds = {}
    if running.has_kernel(chapter):
        with tempfile.TemporaryDirectory() as cache:
            for source, options in syntax.builds_of(known, cache):
                builds.setdefault(source, []).append(options)
    originals, tried = {}, 0
    for mutant in everything:
        if wanted in names and mutant.name != wanted or isinstance(wanted, int) and tried >= wanted:
            continue
        path = running.ROOT / chapter / mutant.file
        options = builds.get(path.read_text(), [])
        if path not in originals:  # compiled from a copy, as the mutants are: paths stand in the code
            with tempfile.TemporaryDirectory() as name:
                known_mutants.build(chapter, pathlib.Path(name), {})
                originals[path] = compiled(pathlib.Path(name) / chapter / mutant.file, chapter, options)
        try:
            what, how = verdict(mutant, originals[path], options)
        except known_mutants.Broken as broken:
            report.failed(f"{number} {mutant.name} {mutant.text}", [str(broken)])
            tried += 1
            continue
        if what == "no code":
            continue
        tried += 1
        text, reason = listed().get((number, mutant.name), (mutant.text, ""))
        line = f"{number} {mutant.name} {mutant.text}"
        report.count({"noticed": "noticed", "same code": SAME}.get(what, NOTHING))
        if reason and what == "same code":
            report.failed(line, ["listed, but it compiles to the same code, which needs no reason"])
        elif reason and what == "noticed":
            report.failed(line, [f"said to change nothing ({reason}), but {how}"])
        elif not reason and what == "survives":
            report.failed(line, ["SURVIVES every check"])
        else:
            print(f"ok      {line}: {reason or how or what}", flush=True)


@pytest.mark.release
@pytest.mark.timeout(1800)
def test_generated_mutants(report, chapter):
    running.need_oclgrind()
    running.need_tool("clang", "clang")
    of_chapter(report, chapter, SAMPLE)
