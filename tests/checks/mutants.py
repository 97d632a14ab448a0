"""Tries deliberate defects (mutants/table.py) on copies of a chapter, and says which check noticed each.

A mutant goes through the checks in this order until one notices it: its results on the default
device (the chapter's own tests), Oclgrind, the counts of loads and barriers, what a run releases,
failing calls; a host's through the quicker ones first. One that no check notices is a failure, unless
the table says why it changes nothing that can be observed; and one said to change nothing must not be
noticed. A kernel without mutants is a failure.

Without "full", the chapters whose facts say ALL_TYPICAL_MUTANTS try those that the table marks as
typical, and every other chapter the first of these only. All of them are applied in any case, so
that none gets lost when a file changes.
"""
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import facts
import harness
from mutants import table

# The checks in their order; the results are those of the chapter's own tests.
RESULTS = "results"
CHECKS = [RESULTS, "oclgrind", "costs", "released", "faults"]
HOST_CHECKS = [RESULTS, "released", "oclgrind", "costs", "faults"]


def own_tests(chapter):
    """The argument lists of the chapter's own tests, from its CMakeLists.txt, small ones first."""
    text = (harness.ROOT / chapter / "CMakeLists.txt").read_text()
    listed = re.search(r"add_chapter\([^)]*?TEST ([^)]*?)(?:FULL|\))", text)
    if listed is None:
        raise SystemExit(f"FAILED  {chapter}/CMakeLists.txt lists no tests")
    lists = [quoted.split() if quoted else plain.split()
             for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', listed.group(1))]
    lists = [[] if arguments == ["default"] else arguments for arguments in lists]
    return sorted(lists, key=lambda arguments: (not arguments, sum(int(a) for a in arguments)))


def mutate(text, changes, what):
    """Makes the changes; each old text must stand in the code once, not counting comment lines."""
    for old, new in changes:
        places = [match.start() for match in re.finditer(re.escape(old), text)
                  if not text[text.rfind("\n", 0, match.start()) + 1:].lstrip().startswith("//")]
        if len(places) != 1:
            raise SystemExit(f"FAILED  {what}: the text to change stands {len(places)} times in the code, "
                             f"where once was expected: {old!r}")
        text = text[:places[0]] + new + text[places[0] + len(old):]
    return text


def build(chapter, folder, file, text):
    """Puts a copy of the chapter with a changed file into the folder; its program is built there, or
    taken from the build when only the kernel changes. Returns the compiler's errors."""
    home = folder / chapter
    home.mkdir()
    if (harness.ROOT / chapter / "kernel.cl").exists():
        shutil.copy(harness.ROOT / chapter / "kernel.cl", home)
    for header in (harness.ROOT / chapter).glob("*.h"):
        shutil.copy(header, home)
    (folder / "common").symlink_to(harness.ROOT / "common")
    if file == "kernel.cl":
        shutil.copy(harness.program(chapter), home)
        (home / file).write_text(text)
        return ""
    if file != "host.cpp":
        shutil.copy(harness.ROOT / chapter / "host.cpp", home)
    (home / file).write_text(text)
    compiler = [os.environ.get("CXX", "c++"), "-std=c++17", *os.environ.get("CXX_FLAGS", "").split()]
    code, _, err = harness.run([*compiler, "-o", home / chapter, home / "host.cpp", "-lOpenCL"])
    return err if code else ""


def results_wrong(chapter, program):
    """Do the chapter's own tests notice the mutant? Says how, or returns an empty string."""
    for arguments in own_tests(chapter):
        size = " ".join(arguments) or "default size"
        try:
            with tempfile.TemporaryDirectory() as cache:  # 16 remembers there, and would not search again
                code, out, err = harness.run([program] + arguments, timeout=60, env={
                    **harness.remembering(cache), "POCL_CACHE_DIR": str(harness.BUILD / "mutants-cache")})
        except subprocess.TimeoutExpired:
            return f"hangs at {size}"
        if code < 0:
            return f"signal {-code} at {size}"
        if code != 0:
            return f"wrong at {size}" if "FAILED" in out else f"error at {size}"
        if "WRONG" in err:
            return f"a candidate is wrong at {size}"
        if "PASSED" not in out.splitlines():
            return f"does not pass at {size}"
    return ""


def noticed_by(chapter, folder, checks):
    """The check that notices the mutant in the folder, and how; two empty strings if none does."""
    for name in checks:
        if name == RESULTS:
            how = results_wrong(chapter, folder / chapter / chapter)
            if how:
                return name, how
            continue
        code, out, err = harness.run([sys.executable, harness.ROOT / "tests" / "run.py", name, chapter],
                                     env={"BUILD_DIR": str(folder), "LAYER": harness.LAYER}, timeout=600)
        if code == harness.SKIPPED:
            print(out.strip())
        elif code != 0:
            said = [line for line in (out + err).splitlines() if re.search("reports|never|where|FAILED", line)]
            return name, (said[-1].strip() if said else f"exit code {code}")[:110]
    return "", ""


def check(report, chapter, full):
    harness.need_tool("oclgrind", "oclgrind")  # without it, missing barriers survive
    # A mutant may run wild: what it can take of the machine's memory is limited.
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    if harness.has_kernel(chapter) and not table.KERNELS.get(chapter):
        report.failed(chapter, ["it has a kernel but no mutants: add some to tests/mutants/table.py"])
    tried, let_through = 0, []
    for file, mutants in [("kernel.cl", table.KERNELS.get(chapter, [])), ("host.cpp", table.HOSTS.get(chapter, [])),
                          *table.HEADERS.get(chapter, {}).items()]:
        original = (harness.ROOT / chapter / file).read_text() if mutants else ""
        for name, changes, *marks in mutants:
            what = f"{chapter} {file}: {name}"
            text = mutate(original, changes, what)  # always, so that none is lost unnoticed
            if not full and (table.TYPICAL not in marks or tried and not facts.of(chapter).ALL_TYPICAL_MUTANTS):
                continue
            tried += 1
            reason = next((mark for mark in marks if isinstance(mark, table.EQUIVALENT)), "")
            with tempfile.TemporaryDirectory() as folder:
                errors = build(chapter, pathlib.Path(folder), file, text)
                checks = CHECKS if file == "kernel.cl" else HOST_CHECKS
                by, how = ("", "") if errors else noticed_by(chapter, pathlib.Path(folder), checks)
            if errors:
                report.failed(what, ["it does not compile, so it tests nothing: " + errors])
            elif by and reason:
                report.failed(what, [f"said to change nothing, but {by}: {how}"])
            elif not by and not reason:
                report.failed(what, ["SURVIVES every check"])
            else:
                print(f"ok      {what}: {f'changes nothing: {reason}' if reason else f'{by}: {how}'}", flush=True)
                report.count("mutants that change nothing observable" if reason else "mutants killed")
            if by and by != RESULTS:
                let_through.append(f"{what}: {by}: {how}")
    if let_through:
        print("The results alone would have let these through:\n" + "\n".join(let_through))
        report.count("of them let through by the results alone", len(let_through))
    if not tried:
        report.nothing_to_do("it has no mutants")
