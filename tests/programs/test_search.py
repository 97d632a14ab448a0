"""Does a chapter that searches take the fastest of its candidates that are right, remember it for what it holds
for, and believe nothing else?

Looks at what the search says on standard error. Candidates that are wrong, each in one way, are handed to it by
changed kernel files: a copy of the program finds those beside itself first.
"""

import re
import shutil

import pytest

from tests import chapter_facts, running
from tests.kernels import changed_copy, kernel_files

CHAPTERS = ["20-matmul-autotuned"]
pytestmark = pytest.mark.thorough
STALE = "ignored, no candidate for this size, of another driver or kernel, or damaged: "
SHAPE = r"\w+ \d+x\d+x\d+, registers \d+x\d+(?:, \d+ groups|, not packed)?"
LARGER_GROUP = "#define reqd_work_group_size(x, y, z) reqd_work_group_size(2 * (x), y, z)"

# What is wrong with a candidate: lines at the beginning of its file, or of its kernel; why it is left out ({} is the size
# of the run); the size at which it wins the rounds all the same, if it does.
DEFECTS = {
    "does not build": ("#error", "", "CL_BUILD_PROGRAM_FAILURE (-11)", None),
    "lacks a kernel": ("#define matmul another_name", "", "CL_INVALID_KERNEL_NAME (-46)", None),
    "cannot be launched": (LARGER_GROUP, "", "CL_INVALID_WORK_GROUP_SIZE (-54)", None),
    "does nothing": ("", "return;", "WRONG at {}", None),
    "is right at even sizes only": ("", "if (M % 2 == 1) return;", "WRONG at 127 60 252", ["128", "64", "256"]),
    # On a CPU the first round looks no further than a K of 2048.
    "is right for small K only": ("", "if (K > 2048) return;", "WRONG at {}", ["128", "64", "2300"]),
}
SLOW = "for (volatile int i = 0; i < 5000000; i++);"  # so that a candidate does not win, however busy the machine is


class Copy:
    """A copy of a chapter's program, its kernel files beside it, and a folder for what it remembers."""

    def __init__(self, report, chapter, folder):
        self.must, self.chapter, self.size = report.must, chapter, chapter_facts.of(chapter).SEARCH_SIZE
        self.home, self.cache = folder / "copy", folder / "cache"
        self.program = changed_copy(chapter, self.home, {})

    def spoil(self, defects):
        """Makes candidates wrong: {shape: (lines for its file, lines for its kernel)}; no other one builds."""
        texts = {}
        for kernel in kernel_files(self.chapter):
            top, inside, others = "", "", "#error not in this test\n"
            for shape, (of_file, of_kernel) in defects.items():
                if shape.startswith(kernel.stem + " "):
                    given = dict(zip(("BM", "BN", "BK", "TM", "TN"), re.findall(r"\d+", shape)))
                    given["CUT"] = int("groups" in shape)  # what a file does not know is 0
                    given["PACKED"] = int(kernel.stem == "panels" and "not packed" not in shape)
                    this = "#if " + " && ".join(f"{name} == {value}" for name, value in given.items())
                    top += f"{this}\n{of_file}\n#endif\n"
                    inside += f"{this}\n{of_kernel}\n#endif\n"
                    others = f"{this}\n#else\n{others}#endif\n"
            text = kernel.read_text()
            body = re.search(r"\bmatmul\([^)]*\) \{\n", text).end()
            texts[kernel] = others + top + text[:body] + inside + text[body:]
        changed_copy(self.chapter, self.home, texts)

    def files(self):
        return {path for path in self.cache.rglob("*") if path.is_file()}

    def file(self):
        (only,) = self.files()
        return only

    def run(self, what, word="", searches=True, size=None, env=None):
        """Runs it; it must pass, and say `word` on standard error if it is not to believe what it finds. Returns the
        winner and what the search says (PoCL's compiler may say more)."""
        command = [self.program, *(size or self.size)]
        code, out, err = running.run(command, env={**running.remembering(self.cache), **(env or {})})
        err = "".join(line for line in err.splitlines(True) if line.startswith("search    "))
        winner = "".join(re.findall(rf"^time      ({SHAPE}):", out, re.MULTILINE))
        wrong = ["it does not pass"] * (code != 0 or not out.endswith("\nPASSED\n"))
        wrong += [f"it does not say {word!r}"] * (f"search    {word}" not in err)
        wrong += ["it ignores something"] * (not word and "ignored" in err)
        wrong += wrong_in_search(winner, err) if searches else ["it searches"] * ("search    round " in err)
        self.must(f"{what}: {winner}", not wrong, "\n".join([*wrong, out, err]))
        return winner, err


def wrong_in_search(winner, err):
    """What is wrong with a search that ended with `winner`, as texts. One that was left out cannot have won."""
    lines = [rf"^search    round {number}, \d+ of \d+: ({SHAPE}): ([\d.]+) GFLOP/s" for number in (1, 2)]
    first, second = ({shape: float(rate) for shape, rate in re.findall(line, err, re.MULTILINE)} for line in lines)
    left_out = re.findall(rf"^search    ({SHAPE}): .*, left out$", err, re.MULTILINE)
    worst = min((rate for shape, rate in first.items() if shape in second), default=0)
    right = {shape: rate for shape, rate in second.items() if shape not in left_out}
    wrong = ["there is no search"] * (not first)
    tried = {shape for shape in first if shape in [*second, *left_out]}  # in round 2, and right there or not
    wrong += ["round 2 has not the best four"] * (len(tried) != min(4, len(first)))
    better = [shape for shape, rate in first.items() if shape not in tried and rate > worst]
    wrong += ["round 2 has not the best of round 1"] * bool(better)
    wrong += ["the fastest one that is right does not win"] * (not right or right.get(winner) != max(right.values()))
    return wrong


def memory(copy):
    """What was found is remembered, and taken; what is damaged or no file is not. Returns two shapes of round 2."""
    winner, err = copy.run("nothing remembered")
    file, text = copy.file(), copy.file().read_text()
    copy.must("the file is named", err.endswith(f"search    remembered in {file}\n"), err)
    other = next(shape for shape in re.findall(f"round 2, [^:]*: ({SHAPE})", err) if shape != winner)
    for shape in (winner, other):
        file.write_text(text.replace(f"\nwinner {winner}\n", f"\nwinner {shape}\n"))
        taken = copy.run(f"{shape} is remembered", f"remembered: {shape} ({file})\n", searches=False)[0]
        copy.must(f"{shape} is taken", taken == shape)

    copy.spoil({winner: ("", ""), other: ("", "")})  # two are enough for what follows
    copy.run("other kernels", STALE)
    text = file.read_text()
    for what, content in [
        ("empty", ""),
        ("cut off", text[:-10]),
        ("none of the candidates", text.replace("\nwinner ", "\nwinner 1")),
        ("another driver", re.sub(r"\ndriver .*", "\ndriver 0.1", text)),
        ("another device in it", re.sub(r"\ndevice .*", "\ndevice 0.1", text)),
    ]:
        file.write_text(content)
        copy.run(what, STALE)
        copy.must(f"{what}: mended", file.read_text().startswith(text.partition("winner ")[0]), file.read_text())
    file.unlink()
    file.mkdir()
    copy.run("a folder in the file's place", f"not remembered: cannot write {file}\n")
    copy.must("nothing is left behind", not copy.files(), str(copy.files()))
    file.rmdir()
    return winner, other


def wrong_candidates(copy, bad, good):
    """A candidate that is wrong in one way or another neither wins nor stays remembered; the other one does."""
    for what, (of_file, of_kernel, why, leads) in DEFECTS.items():
        shutil.rmtree(copy.cache, ignore_errors=True)
        copy.spoil({bad: (of_file, of_kernel), good: ("", SLOW if leads else "")})
        size = leads or copy.size
        left_out = f"{bad}: {why.format(' '.join(size))}, left out\n"
        winner, err = copy.run(f"one {what}", left_out, size=size)
        copy.must(f"one {what}: the other one wins", winner == good, err)
        if "small K" in what:
            copy.must("round 2 has the whole product", f": {bad}: " not in err.partition("search    round 2")[2], err)
        if "even" in what:
            continue  # remembered, it would be right
        file = copy.file()
        copy.must(f"one {what}: not remembered", f"\nwinner {good}\n" in file.read_text(), file.read_text())
        # Remembered all the same, by another version, say.
        file.write_text(file.read_text().replace(f"\nwinner {good}\n", f"\nwinner {bad}\n"))
        said = f"remembered: {bad} ({file})\nsearch    {left_out}"
        winner, err = copy.run(f"one {what}, and is remembered", said, size=size)
        mended = winner == good and f"\nwinner {good}\n" in file.read_text()
        copy.must(f"one {what}, and is remembered: mended", mended, err)
    shutil.rmtree(copy.cache, ignore_errors=True)
    copy.spoil({bad: ("", "return;"), good: ("#error", "")})
    code, out, err = running.run([copy.program, *copy.size], env=running.remembering(copy.cache))
    good = code == 1 and "PASSED" not in out and not copy.files()
    good = good and err.endswith("no candidate computes the right product on this device\n")
    copy.must("none is right: exit code 1, why, and nothing is remembered", good, out + err)


@pytest.mark.timeout(600)
def test_search(report, chapter, tmp_path):
    copy = Copy(report, chapter, tmp_path)
    wrong_candidates(copy, *memory(copy))


def test_remembered(report, chapter, tmp_path):
    """What is remembered holds for this device, so many compute units, and sizes like this one."""
    copy = Copy(report, chapter, tmp_path)
    copy.run("the key")
    one_unit = {"POCL_MAX_PTHREAD_COUNT": "1", "POCL_CPU_MAX_CU_COUNT": "1"}  # by the version of PoCL
    for what in [
        {"env": one_unit},
        {"env": {**one_unit, "POCL_DEVICES": "basic"}},
        {"size": ["64", "64", "256"]},
        {"size": ["128", "64", "128"]},
        {"size": ["127", "63", "255"]},
    ]:
        files = len(copy.files())
        copy.run(str(what), **what)
        copy.must(f"{what}: a file of its own", len(copy.files()) == files + 1)
    copy.run("a size of the same kind", "remembered", searches=False, size=["126", "64", "254"])
