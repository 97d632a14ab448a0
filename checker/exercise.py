"""An exercise, and what its exercise.json says.

An exercise is a folder NN-topic/exercises/K-name with

    README.md       goal, what to do, how to check
    hints.txt       what ./check.sh --hint offers, see Exercise.hints
    exercise.json   which files are the student's, and how they are checked (see Exercise)
    check.py        what the task asks beyond PASSED, see Exercise.own_check; may be left out
    kernel.cl, host.cpp   the starter
    solution/       the same files, solved            (not in what students get)
    wrong.txt       known wrong answers, see tests/checker/exercises.py  (not in what students get)
    right.txt       right ones that nobody expects, in the same notation; may be left out  (the same)
"""

import hashlib
import importlib.util
import inspect
import json
import re

from checker.machine import ROOT


class Problem(Exception):
    """Something is wrong with the exercise or the machine, not with the answer."""


class Exercise:
    """What exercise.json says:

    files        the files that are the student's: ["kernel.cl"], ["host.cpp"] or both
    host         "chapter": the chapter's own host.cpp runs the kernel; "own": the exercise's
    starter      a regular expression: what the check has to answer to the unchanged starter
    sizes        argument lists for PoCL (default by chapter), each a string: "17 33 65"
    oclgrind     the same for Oclgrind, which is slow; [] where there is no kernel
    optimized    false where Oclgrind is to get the kernel as it is written: what the optimizer makes of it
                 may hold instructions that Oclgrind 21.10 does not know, or that it crashes at
    larger       [2, 64]: the kernel is right in groups of so many times as many work-items, too, or of the device's most
    fewer        [1, 2]: and in a launch of so many work-items in all, for N = 1007
    in_step      sizes at which it is right, too, where work-items of a group run side by side (Mesa's Rusticl, if it is there)
    hosts        [["side / 4", "side / 2"]]: and with other hosts, in which the second text stands in place of the first
    spare        true where a launch may have more groups than it needs, of which the kernel is to do nothing
    beyond       false where the numbers of an N beyond 2^24 are too large for what is asked for
    smaller      [64, 16]: and on simulated devices with groups no larger than that; matrices are small where it is 16 or less
    drawn        how many more sizes are drawn from the answer's own content (default 2)
    multiple     what the launch rounds up to, for "right for multiples of 64 only"
    nan          what a NaN in the result means (default: nobody wrote it)
    inputs       what the buffers are called that get numbers from the host, in the order of their making
    launches     false where the program launches no kernel (default: whether Oclgrind has something to look at)
    restores     true where the answer is the chapter's own kernel, put right again
    reference    what the kernel must give for any real numbers (behaviour.REFERENCES)
    processes    for a program that uses MPI: with how many processes it runs on PoCL, each size with each: [1, 2, 5]
    measure      the arguments of a run for the class's roofline plot, and its FLOP for each byte that has to be moved:
                 ["512", 85.3]; the program prints GFLOP/s or GB/s
    points       what it is worth (default 1)
    sha256       of the starter's files, so that an unchanged starter is known as one
    """

    def __init__(self, folder):
        self.folder = folder
        self.chapter = folder.parent.parent.name
        self.name = folder.name
        self.id = f"{self.chapter[:2]}/{self.name}"
        self.number = f"{self.chapter[:2]}/{self.name.split('-')[0]}"  # as one types it
        self.path = folder.relative_to(ROOT)
        try:
            data = json.loads((folder / "exercise.json").read_text())
            if not isinstance(data, dict) or not {"files", "host", "starter"} <= set(data):
                raise ValueError("files, host and starter are to be in it")
        except (OSError, ValueError) as error:
            raise Problem(f"{self.path}/exercise.json: {error}") from None
        unknown = [key for key in data if f"\n{key} " not in inspect.getdoc(Exercise)]
        if unknown:
            raise Problem(f"{self.path}/exercise.json: nothing is known of {', '.join(unknown)}")
        self.files = data["files"]
        self.host = data["host"]
        self.starter = data["starter"]
        self.matrix = "matmul" in self.chapter
        self.sizes = [
            s.split()
            for s in data.get(
                "sizes",
                ["1", "16", "64", "17 33 65", "65 17 33", "40 1 100"]
                if self.matrix
                else ["1", "63", "64", "65", "1000", "4096"],
            )
        ]
        self.oclgrind = [s.split() for s in data.get("oclgrind", ["20 17 21"] if self.matrix else ["1", "65", "300"])]
        self.optimized = data.get("optimized", True)
        self.larger = data.get("larger", [])
        self.fewer = data.get("fewer", [])
        self.hosts = data.get("hosts", [])
        self.in_step = [size.split() for size in data.get("in_step", [])]
        self.spare = data.get("spare", False)
        self.beyond = data.get("beyond", True)
        self.smaller = data.get("smaller", [])
        self.drawn = data.get("drawn", 2)
        self.multiple = data.get("multiple", 16 if self.matrix else 64)
        self.nan = data.get("nan", "nobody wrote it")
        self.inputs = data.get("inputs", [])
        self.launches = data.get("launches", bool(self.oclgrind))
        self.restores = data.get("restores", False)
        self.reference = data.get("reference")
        self.processes = data.get("processes", [])
        self.measure = data.get("measure")
        self.points = data.get("points", 1)
        self.sha256 = data.get("sha256", "")

    def own_check(self):
        """The function `check(attempt)` of check.py: what the task asks beyond PASSED, a list of complaints, empty if there
        are none. None where there is no such file."""
        path = self.folder / "check.py"
        if not path.exists():
            return None
        spec = importlib.util.spec_from_file_location(f"check_{self.id.replace('/', '_').replace('-', '_')}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.check

    def digest(self, folder):
        """A number for the content of an answer; it does not depend on line ends or trailing blanks."""
        digest = hashlib.sha256()
        for name in self.files:
            try:
                text = (folder / name).read_text(errors="replace")
            except OSError:
                text = "(missing)"
            digest.update("\n".join(line.rstrip() for line in text.splitlines()).encode() + b"\0")
        return digest.hexdigest()

    def is_starter(self, folder):
        return self.digest(folder) == self.sha256

    def drawn_sizes(self, folder):
        """Sizes that change with the answer, so that none can be written into it."""
        number = int(self.digest(folder), 16)
        sizes = []
        for _ in range(self.drawn):
            limits = [90, 90, 90] if self.matrix else [50000 if len(sizes) % 2 else 600]
            size = []
            for limit in limits:
                number, rest = divmod(number, limit)
                size.append(str(rest + 2))
            sizes.append(size)
        return sizes

    def hints(self, said=None):
        """The hints of hints.txt, in order; those that fit what the check said. A hint is a paragraph, and fits where
        the regular expression in its first line, `when: ...`, is found; without such a line it always does."""
        try:
            text = (self.folder / "hints.txt").read_text()
        except OSError:
            return []
        hints = []
        for paragraph in re.split(r"\n\s*\n", text.strip()):
            when, hint = re.fullmatch(r"(?:when: ([^\n]*)\n)?(.*)", paragraph, re.DOTALL).groups()
            if said is None or when is None or re.search(when, said):
                hints.append(" ".join(hint.split()))
        return hints


def all_exercises():
    return [Exercise(path.parent) for path in sorted(ROOT.glob("[0-9][0-9]-*/exercises/*/exercise.json"))]
