"""Tries deliberate defects (table.py) on copies of a chapter, and says which check noticed each.

    python3 tests/mutants/mutants.py 06-dot-product-reduction        some of them, see below
    python3 tests/mutants/mutants.py 06-dot-product-reduction full   all of them
    python3 tests/mutants/mutants.py total [full]

A mutant goes through the checks in this order until one notices it: its results on the default
device (the chapter's own tests), Oclgrind, the counts of loads and barriers, what a run releases,
failing calls; a host's through the quicker ones first. One that no check notices is a failure, unless
the table says why it changes nothing that can be observed; and one said to change nothing must not be
noticed. A kernel without mutants is a failure.

Without "full", chapters 06 and 09, where barriers are the lesson, try those that the table marks as
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import chapters  # noqa: E402
import table  # noqa: E402  beside this file

TESTS = pathlib.Path(__file__).resolve().parent.parent
# The checks in their order: name, the script, None for the chapter's own tests.
RESULTS = "results"
CHECKS = [(RESULTS, None), ("oclgrind", "oclgrind/races.py"), ("costs", "costs/costs.py"),
          ("released", "faults/released.py"), ("faults", "faults/faults.py")]
HOST_CHECKS = [CHECKS[0], CHECKS[3], *CHECKS[1:3], CHECKS[4]]


BARRIER_LESSONS = ["06-dot-product-reduction", "09-matmul-tiled"]


def own_tests(chapter):
    """The argument lists of the chapter's own tests, from its CMakeLists.txt, small ones first."""
    text = (chapters.ROOT / chapter / "CMakeLists.txt").read_text()
    listed = re.search(r"add_chapter\(TEST ([^)]*?)(?:FULL|\))", text)
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
    if (chapters.ROOT / chapter / "kernel.cl").exists():
        shutil.copy(chapters.ROOT / chapter / "kernel.cl", home)
    for header in (chapters.ROOT / chapter).glob("*.h"):
        shutil.copy(header, home)
    (folder / "common").symlink_to(chapters.ROOT / "common")
    if file == "kernel.cl":
        shutil.copy(chapters.program(chapter), home)
        (home / file).write_text(text)
        return ""
    if file != "host.cpp":
        shutil.copy(chapters.ROOT / chapter / "host.cpp", home)
    (home / file).write_text(text)
    compiler = [os.environ.get("CXX", "c++"), "-std=c++17", *os.environ.get("CXX_FLAGS", "").split()]
    code, _, err = chapters.run([*compiler, "-o", home / chapter, home / "host.cpp", "-lOpenCL"])
    return err if code else ""


def results_wrong(chapter, program):
    """Do the chapter's own tests notice the mutant? Says how, or returns an empty string."""
    for arguments in own_tests(chapter):
        size = " ".join(arguments) or "default size"
        try:
            with tempfile.TemporaryDirectory() as cache:  # 16 remembers there, and would not search again
                code, out, err = chapters.run([program] + arguments, timeout=60, env={
                    **chapters.remembering(cache), "POCL_CACHE_DIR": str(chapters.BUILD / "mutants-cache")})
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
    for name, script in checks:
        if script is None:
            how = results_wrong(chapter, folder / chapter / chapter)
            if how:
                return name, how
            continue
        code, out, err = chapters.run([sys.executable, TESTS / script, chapter], env={"BUILD_DIR": str(folder)}, timeout=600)
        if code == chapters.SKIPPED:
            print(out.strip())
        elif code != 0:
            said = [line for line in (out + err).splitlines() if re.search("reports|never|where|FAILED", line)]
            return name, (said[-1].strip() if said else f"exit code {code}")[:110]
    return "", ""


def table_file(label, chapter):
    """Beside the chapters' figures: chapters.test has made the folder."""
    return chapters.BUILD / "figures" / label / f"{chapter}.table"


def check(chapter, full=""):
    # A mutant may run wild: what it can take of the machine's memory is limited.
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    if (chapters.ROOT / chapter / "kernel.cl").exists() and not table.KERNELS.get(chapter):
        print(f"FAILED  {chapter} has a kernel but no mutants: add some to {TESTS}/mutants/table.py")
        return 1, {}
    failures = 0
    counts = {"mutants": 0, "killed": 0, "equivalent": 0, "let_through_by_results": 0}
    rows = []
    for file, mutants in [("kernel.cl", table.KERNELS.get(chapter, [])), ("host.cpp", table.HOSTS.get(chapter, [])),
                          *table.HEADERS.get(chapter, {}).items()]:
        original = (chapters.ROOT / chapter / file).read_text() if mutants else ""
        for name, changes, *marks in mutants:
            what = f"{chapter} {file}: {name}"
            text = mutate(original, changes, what)  # always, so that none is lost unnoticed
            if not full and (table.TYPICAL not in marks or counts["mutants"] and chapter not in BARRIER_LESSONS):
                continue
            reason = next((mark for mark in marks if isinstance(mark, table.EQUIVALENT)), "")
            counts["mutants"] += 1
            with tempfile.TemporaryDirectory() as folder:
                errors = build(chapter, pathlib.Path(folder), file, text)
                checks = CHECKS if file == "kernel.cl" else HOST_CHECKS
                by, how = ("", "") if errors else noticed_by(chapter, pathlib.Path(folder), checks)
            if errors:
                failures += 1
                verdict = "FAILED: it does not compile, so it tests nothing: " + errors
            elif bool(by) == bool(reason):
                failures += 1
                verdict = f"FAILED: said to change nothing, but {by}: {how}" if by else "FAILED: SURVIVES every check"
            elif reason:
                counts["equivalent"] += 1
                verdict = f"changes nothing: {reason}"
            else:
                counts["killed"] += 1
                counts["let_through_by_results"] += by != RESULTS
                verdict = f"{by}: {how}"
            rows.append((chapter, file, name, verdict))
            print(f"{chapter}  {file:9}  {name:45}  {verdict}", flush=True)
    file = table_file("mutants-full" if full else "mutants", chapter)
    file.write_text("".join(f"| {' | '.join(row)} |\n" for row in rows))
    print(f"{chapter}: {counts['killed']} of {counts['mutants']} mutants killed, {failures} failures")
    return failures, counts


def details(label):
    for chapter in chapters.CHAPTERS:
        print(table_file(label, chapter).read_text(), end="")
    print("\nThe results alone would have let these through:")
    for chapter in chapters.CHAPTERS:
        for line in table_file(label, chapter).read_text().splitlines():
            if re.search(r"\| (oclgrind|costs|released|faults): ", line):
                print(line)


chapters.test("mutants", check, "{mutants} mutants, {killed} killed, {equivalent} that change nothing observable, "
                                "0 survived; the results alone would have let {let_through_by_results} of the killed "
                                "ones through", full=True, details=details,
              needs=lambda: chapters.need_tool("oclgrind", "oclgrind"))  # without it, missing barriers survive
