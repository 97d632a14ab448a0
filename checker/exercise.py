"""An exercise, and what its exercise.json says.

An exercise is a folder NN-topic/exercises/K-name with

    README.md       goal, what to do, how to check
    hints.txt       what ./check.sh --hint offers, see Exercise.hints
    exercise.json   which files are the student's, and how they are checked (see Exercise)
    check.py        what the task asks beyond PASSED: check(attempt), OTHER_LAUNCHES, UNDER_OCLGRIND; may be left out
    kernel.cl, host.cpp   the starter
    solution/       the same files, solved            (not in what students get)
    wrong.txt       known wrong answers, see tests/checker/test_exercises.py  (not in what students get)
    right.txt       right ones that nobody expects, in the same notation; may be left out  (the same)
"""

import functools
import hashlib
import importlib.util
import inspect
import json
import re

from checker.machine import ROOT

# Where exercise.json names no sizes: those for PoCL, and those for Oclgrind.
VECTORS = ["1", "63", "64", "65", "1000", "4096"], ["1", "65", "300"]
MATRICES = ["1", "16", "64", "17 33 65", "65 17 33", "40 1 100"], ["20 17 21"]


class Problem(Exception):
    """Something is wrong with the exercise or the machine, not with the answer."""


class Exercise:
    """What exercise.json says:

    files        the files that are the student's: ["kernel.cl"], ["host.cpp"] or both. Where the exercise has no host.cpp,
                 the chapter's runs the kernel
    starter      a regular expression: what the check has to answer to the unchanged starter
    sizes        argument lists for PoCL (default by chapter), each a string: "17 33 65"; the last has all the numbers
    oclgrind     the same for Oclgrind, which is slow; [] where there is no kernel. "5000 @32": on a device whose groups have
                 at most 32 work-items
    multiple     what the launch rounds up to, for "right for multiples of 64 only"
    nan          what a NaN in the result means (default: nobody wrote it)
    restores     true where the answer is the chapter's own kernel, put right again
    reference    what the kernel must give for any real numbers (behaviour.REFERENCES)
    processes    for a program that uses MPI: with how many processes it runs on PoCL, [1, 2, 5]: the last size with each,
                 the others with one and with the most
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
            if not isinstance(data, dict) or not {"files", "starter"} <= set(data):
                raise ValueError("files and starter are to be in it")
        except (OSError, ValueError) as error:
            raise Problem(f"{self.path}/exercise.json: {error}") from None
        unknown = [key for key in data if f"\n{key} " not in inspect.getdoc(Exercise)]
        if unknown:
            raise Problem(f"{self.path}/exercise.json: nothing is known of {', '.join(unknown)}")
        self.files = data["files"]
        self.own_host = "host.cpp" in self.files or (folder / "host.cpp").exists()
        self.starter = data["starter"]
        self.matrix = "matmul" in self.chapter
        sizes, simulated = MATRICES if self.matrix else VECTORS
        self.sizes = [size.split() for size in data.get("sizes", sizes)]
        cases = [size.partition(" @") for size in data.get("oclgrind", simulated)]
        # [(arguments, most work-items of a group or None)]
        self.oclgrind = [(args.split(), items or None) for args, _, items in cases]
        self.multiple = data.get("multiple", 16 if self.matrix else 64)
        self.nan = data.get("nan", "nobody wrote it")
        self.restores = data.get("restores", False)
        self.reference = data.get("reference")
        self.processes = data.get("processes", [])
        self.points, self.begun = 1, 0  # of a right answer, and of one that was begun: for ./grade.sh
        self.sha256 = data.get("sha256", "")

    @functools.cached_property
    def own(self):
        """The exercise's check.py, None where it has none."""
        path = self.folder / "check.py"
        if not path.exists():
            return None
        spec = importlib.util.spec_from_file_location(f"check_{self.id.replace('/', '_').replace('-', '_')}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def own_check(self, attempt):
        """What the task asks beyond PASSED: a list of complaints, empty where there are none."""
        return self.own.check(attempt) if hasattr(self.own, "check") else []

    def other_launches(self):
        """OTHER_LAUNCHES of check.py, for which the kernel has to be right, too: (text of the host, what stands there
        instead)."""
        return getattr(self.own, "OTHER_LAUNCHES", [])

    def under_oclgrind(self):
        """UNDER_OCLGRIND of check.py, in the same way: what the host has under Oclgrind, for which its own takes too long."""
        return getattr(self.own, "UNDER_OCLGRIND", [])

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
        """Two sizes that change with the kernel, so that none can be written into it."""
        if self.files != ["kernel.cl"]:
            return []
        number = int(self.digest(folder), 16)
        sizes = []
        for limit in [[90] * len(self.sizes[-1])] * 2 if self.matrix else ([600], [50000]):
            size = []
            for most in limit:
                number, rest = divmod(number, most)
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
