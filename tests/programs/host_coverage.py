"""Is all of every host and of common/ run? What the tests ran of the programs in build-coverage/ (coverage/run).

Clang counts there how often each side of each condition was taken, failing calls and processes that end at once included,
since the counters lie in a file from the beginning. A side that was never taken, a function never called,
a piece of code that no condition accounts for, and what is left out between #if and #endif: each must stand in
coverage/not-run.txt, with the reason.
"""

import json
import pathlib
import tempfile

from tests import running
from tests.coverage import covered

BUILD = running.ROOT / "build-coverage"
SKIPPED_BY_PREPROCESSOR = 2  # the kind of a region in LLVM's export


def programs():
    """The programs whose code is counted: the chapters' and the tests of common/."""
    return [
        *(BUILD / chapter / chapter for chapter in running.built()),
        BUILD / "tests" / "compare_test",
        BUILD / "tests" / "common_test",
    ]


def counters_of(program, folder):
    """The files of a program's counters, one for each process: their names begin with a number that stands for the
    program, which a short run tells."""
    running.run([program, "--help"], env={"LLVM_PROFILE_FILE": f"{folder}/%m%c"})
    (found,) = folder.iterdir()
    return sorted((BUILD / "counters").glob(f"{found.name}-*"))


def exported(program):
    """What llvm-cov says of a program."""
    with tempfile.TemporaryDirectory() as name:
        (pathlib.Path(name) / "one").mkdir()
        counters, merged = counters_of(program, pathlib.Path(name) / "one"), f"{name}/merged"
        if not counters:
            raise SystemExit(f"FAILED  no test ran {program}: tests/coverage/run runs them")
        for tool in ("llvm-profdata", "llvm-cov"):
            running.need_tool(tool, "llvm")
        listed = pathlib.Path(name) / "list"
        listed.write_text("".join(f"{path}\n" for path in counters))
        code, _, err = running.run(["llvm-profdata", "merge", "-failure-mode=all", "-o", merged, "-f", listed])
        if not code:
            code, out, err = running.run(["llvm-cov", "export", program, f"-instr-profile={merged}"])
        if code:
            raise SystemExit(f"FAILED  llvm cannot read what {program} counted: {err}")
        return json.loads(out)["data"][0]


class File:
    """A source file: its lines, and how often what was run in it, over all programs."""

    def __init__(self, path):
        self.lines = path.read_text().splitlines()
        self.name = str(path.relative_to(running.ROOT))
        self.regions, self.branches, self.functions = {}, {}, {}  # by place: counts; the function at each place

    def text(self, place):
        """The code at a place, its first line only."""
        row, col, last_row, last_col = place
        line = self.lines[row - 1].encode()
        code = line[col - 1 : last_col - 1 if row == last_row else None].decode()
        return " ".join(code.partition("//")[0].split())

    def add(self, function, regions, branches):
        for *place, count, file, _, kind in regions:
            place = tuple(place)
            if file == 0 and kind in (0, SKIPPED_BY_PREPROCESSOR):
                self.functions[place] = function
                self.regions[place, kind] = self.regions.get((place, kind), 0) + count
        for *place, true, false, file, _, _ in branches:
            if file == 0:
                old = self.branches.get(tuple(place), (0, 0))
                self.branches[tuple(place)] = (old[0] + true, old[1] + false)

    def not_run(self):
        """What is not run, in words."""
        inside = {}
        for place in self.branches:
            around = [one for one in self.functions if one[:2] <= place[:2] and place[2:] <= one[2:]]
            inside[place] = self.functions[max(around)] if around else "?"
        missed = {
            place: [side for side, count in zip(("true", "false"), counts) if not count]
            for place, counts in self.branches.items()
        }
        for place, sides in missed.items():
            if len(sides) == 1:
                yield f"{self.name} {inside[place]}: {self.text(place)} -> {sides[0]}"
        explained = {inside[place] for place, sides in missed.items() if sides}
        for (place, kind), count in self.regions.items():
            function = self.functions[place]
            line = self.lines[place[0] - 1].strip()
            if kind == SKIPPED_BY_PREPROCESSOR:  # among them comments and blank lines
                if line.startswith("#"):
                    yield f"{self.name} {function}: left out: {line}"
            elif not count and function not in explained:
                yield f"{self.name} {function}: never run: {self.text(place)}"


def plain(functions):
    """The functions' names as they are written: {"host.cpp:_ZL8is_rightRK5setup": "is_right"}."""
    names = sorted({function["name"] for function in functions})
    demangled = running.run(["llvm-cxxfilt", *(name.rpartition(":")[2] for name in names)])[1].splitlines()
    return {name: long.partition("(")[0].split()[-1].replace("[abi:cxx11]", "") for name, long in zip(names, demangled)}


def check(report):
    files, functions = {}, []
    for program in programs():
        for function in exported(program)["functions"]:
            path = pathlib.Path(function["filenames"][0]).resolve()
            if running.ROOT in path.parents and "tests" not in path.parts:
                functions.append({**function, "path": path})
    names = plain(functions)
    for function in functions:
        path = function["path"]
        if path not in files:
            files[path] = File(path)
        files[path].add(names[function["name"]], function["regions"], function["branches"])
    not_run = [what for file in files.values() for what in file.not_run()]
    for file in files.values():
        report.count("sides of conditions", 2 * len(file.branches))
    covered.compare(report, r"[\w-]+/\w+\.(h|cpp) ", not_run)
