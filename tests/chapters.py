"""What the checks in tests/ share: the list of chapters, how to find and run their programs.

The build folder is the environment variable BUILD_DIR, which each CMakeLists.txt sets, or build/.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("BUILD_DIR", ROOT / "build"))

CHAPTERS = sorted(p.parent.name for p in ROOT.glob("[0-9][0-9]-*/host.cpp"))


def program(chapter, build=BUILD):
    """The path of a chapter's program; an error that says how to build it when it is not there."""
    path = build / chapter / chapter
    if not path.exists():
        raise SystemExit(f"{path} is not there: build first (cmake --build --preset default)")
    return path


def parameters(chapter):
    """The names of a chapter's arguments, as its usage line gives them: ["M", "N", "K"]."""
    text = (ROOT / chapter / "host.cpp").read_text()
    usage = re.search(rf'usage: {chapter}([^\\]*)', text)
    if usage is None:
        raise SystemExit(f"{chapter}/host.cpp has no line 'usage: {chapter} ...'")
    return re.findall(r"[A-Z]+", usage.group(1))


def is_matrix(chapter):
    """Does the chapter take [M [N [K]]] (else it takes [N])?"""
    return parameters(chapter)[:1] == ["M"]


def tiny_size(chapter):
    """The arguments of the shortest run that still goes through the whole program."""
    return ["3", "2", "5"] if is_matrix(chapter) else ["5"] if parameters(chapter) else []


def small_sizes(chapter):
    """Argument lists that run fast: one element, a multiple of the group, and none."""
    if not parameters(chapter):
        return [[]]
    if chapter == "20-matmul-autotuned":  # each size many times over: the search
        return [["1"], ["32", "32", "64"], ["9", "17", "20"]]
    if is_matrix(chapter):
        return [["1"], ["32", "32", "64"], ["17", "33", "65"]]
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


SKIPPED = 77  # the exit code that CTest reports as "Skipped", set in tests/CMakeLists.txt


def need_tool(name, package):
    """Returns the path of a program that only some checks need; without it, the test is SKIPPED."""
    path = shutil.which(name)
    if path is None:
        print(f"SKIPPED: {name} is missing (on Debian and Ubuntu: apt install {package})")
        sys.exit(SKIPPED)
    return path


def remembering(folder):
    """The environment in which chapter 20 remembers its winner in a folder. PoCL, which would keep its
    compiled kernels there too, keeps them where they are."""
    usual = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    return {"XDG_CACHE_HOME": str(folder), "POCL_CACHE_DIR": os.environ.get("POCL_CACHE_DIR", str(usual / "pocl" / "kcache"))}


def crashed(code, err):
    """What is wrong with the way a program ended, whatever it was to do: a list of sentences."""
    wrong = [f"ended by signal {-code}"] if code < 0 else []
    wrong += [f"a sanitizer reports: {line}" for line in err.splitlines()
              if "Sanitizer" in line or "runtime error:" in line][:1]
    return wrong


class Cases:
    """Counts what must be so, and prints a line for each; `found` is shown where it is not so."""

    def __init__(self):
        self.count = 0
        self.failures = 0

    def must(self, what, good, found):
        self.count += 1
        self.failures += not good
        print(f"{'ok     ' if good else 'FAILED '} {what}")
        if not good:
            print("        " + found.strip().replace("\n", "\n        "))

    def end(self, what):
        """Prints how many were `what`, and ends the script: with exit code 0 only if all were, and there were some."""
        print(f"{self.count - self.failures} of {self.count} {what}")
        sys.exit(1 if self.failures or not self.count else 0)


def failed(where, wrong):
    """Prints each of the sentences on what is wrong; returns how many there are."""
    for what in wrong:
        print(f"FAILED  {where}: {what}")
    return len(wrong)


def total(label):
    """Adds up what all chapters' tests of a label counted; an error that names one that has no figures."""
    sums, counted = {}, None
    for chapter in CHAPTERS:
        path = BUILD / "figures" / label / chapter
        if not path.exists():
            raise SystemExit(f"{label}: no figures of {chapter}: run ctest -L {label}")
        figures = dict(line.split() for line in path.read_text().splitlines())
        if not figures or figures.keys() != (counted or figures).keys():
            raise SystemExit(f"{label}: {chapter} counted {', '.join(figures) or 'nothing'}, which is not what others did")
        counted = figures
        for key, value in figures.items():
            sums[key] = sums.get(key, 0) + int(value)
    return sums


def test(label, check, summary, full=False, needs=None, details=None):
    """The whole of a script that add_check_per_chapter (tests/CMakeLists.txt) runs, from its arguments to its end.

        SCRIPT CHAPTER [full]   calls check(CHAPTER), or check(CHAPTER, "full"), which prints what it finds and
                                returns the number of failures and what it counted: {name: number}
        SCRIPT total [full]     prints the label and `summary`, in which {chapters} is the number of chapters and
                                {name} the sum over all of them; the line is kept in figures/<label>.txt

    `full`: the script takes that word; the label is <label>-full then. `needs` is called before either, and ends
    the script where a tool is missing. `details`, called with the label, prints what the total shows before its line.

    Exit code 0; 1 if something failed or the total has no figures of a chapter; 2 for wrong arguments; SKIPPED.
    It does not return: a script that forgot to hand the exit code on would always be green.
    """
    chapter, *words = sys.argv[1:] or ["(none given)"]
    if chapter not in [*CHAPTERS, "total"] or words not in ([[], ["full"]] if full else [[]]):
        print(f"no such test: {' '.join([chapter, *words])}\n"
              f"usage: {sys.argv[0]} CHAPTER{' [full]' if full else ''}\n"
              f"CHAPTER is total or one of: {' '.join(CHAPTERS)}", file=sys.stderr)
        sys.exit(2)
    label = "-".join([label, *words])
    folder, line = BUILD / "figures" / label, BUILD / "figures" / f"{label}.txt"
    folder.mkdir(parents=True, exist_ok=True)
    # What earlier runs noted goes first: it must not stand for this one if this one fails or is ended.
    line.unlink(missing_ok=True)
    if chapter != "total":
        (folder / chapter).unlink(missing_ok=True)
    if needs:
        needs()
    if chapter == "total":
        sums = total(label)
        if details:
            details(label)
        text = f"{label}: " + summary.format(chapters=len(CHAPTERS), **sums)
        print(text)
        line.write_text(text + "\n")
        sys.exit(0)
    failures, counts = check(chapter, *words)
    if failures:
        sys.exit(1)
    (folder / chapter).write_text("".join(f"{name} {number}\n" for name, number in counts.items()))
    sys.exit(0)


# Their launches do not shrink with N: on Oclgrind --thorough runs only the first and the last
# work-group, at one size.
LARGE_LAUNCHES = ["11-sum-reduction", "12-sum-unrolled", "15-device-ceilings", "17-matmul-register-tiled",
                  "20-matmul-autotuned"]
# Of these not: a launch reads what all work-groups of the one before wrote.
LARGE_BUT_WHOLE = ["20-matmul-autotuned"]
# What the optimizer makes of their kernels, Oclgrind 21.10 does not know (the instruction `freeze`, the
# intrinsic `noalias.scope.decl`) and gives up: it gets them as they are written.
NOT_OPTIMIZED = ["17-matmul-register-tiled", "20-matmul-autotuned"]


def oclgrind(command, *options, timeout=600):
    """Runs a command on Oclgrind's simulated device. Returns (exit code, standard output, standard
    error, what Oclgrind reports). Its exit code is 0 even when it reports, so that has to be read."""
    tool = need_tool("oclgrind", "oclgrind")
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        code, out, err = run([tool, "--log", log, *options, *command], timeout=timeout,
                             env={"XDG_CACHE_HOME": folder})  # where 16 remembers its winner
        return code, out, err, log.read_text() if log.exists() else ""


CHECKS = ["--data-races", "--uninitialized", "--check-api"]  # memory errors are always reported


def wrong_under_oclgrind(command, quick=False, timeout=600):
    """What is wrong with a command that is to pass on Oclgrind without a report: a list. `quick` runs
    the first and the last work-group of each launch only; the result is wrong then, and not looked at."""
    options = [*CHECKS, *(["--quick"] if quick else [])]
    if pathlib.Path(command[0]).name in NOT_OPTIMIZED:
        options += ["--build-options", "-cl-opt-disable"]
    code, out, err, log = oclgrind(command, *options, timeout=timeout)
    wrong = crashed(code, err)
    if "Oclgrind" not in out:
        wrong.append("it did not run on Oclgrind's device")
    reports = [line.strip() for line in (log + err).splitlines()
               if line.strip() and not line.startswith("search ")]  # 16 says there what it tries
    if reports:
        wrong.append("Oclgrind reports: " + " / ".join(reports[:6]))
    if not quick and (code != 0 or "PASSED" not in out.splitlines()):
        wrong.append(f"it does not pass, exit code {code}")
    if quick and not re.search("^(PASSED|FAILED)$", out, re.MULTILINE):
        wrong.append(f"it does not get to its verdict, exit code {code}")
    return wrong
