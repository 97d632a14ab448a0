"""Does a chapter that searches take the fastest of its candidates that are right, remember it for what it holds
for, and believe nothing else?

Looks at what the search says on standard error. Candidates that are wrong, each in one way, are handed to it by
changed kernel files: a copy of the program finds those beside itself first.
"""

import pathlib
import re
import shutil
import tempfile

import pytest

from checker import sandbox
from tests import chapter_facts, running

STALE = "ignored, made with another driver or kernel, or damaged: "
SHAPE = r"\w+ \d+x\d+x\d+, registers \d+x\d+(?:, \d+ groups|, not packed)?"

# What is wrong with a candidate: lines at the beginning of its file, or of its kernel; why it is left out ({} is the size
# of the run); the size at which it wins the rounds all the same, if it does.
DEFECTS = {
    "does not build": ("#error", "", "CL_BUILD_PROGRAM_FAILURE (-11)", None),
    "lacks a kernel": ("#define matmul another_name", "", "CL_INVALID_KERNEL_NAME (-46)", None),
    "cannot be launched": (
        "#define reqd_work_group_size(x, y, z) reqd_work_group_size(2 * (x), y, z)",
        "",
        "CL_INVALID_WORK_GROUP_SIZE (-54)",
        None,
    ),
    "does nothing": ("", "return;", "WRONG at {}", None),
    "is right at even sizes only": ("", "if (M % 2 == 1) return;", "WRONG at {}", ["128", "64", "256"]),
    # On a CPU the rounds look no further than a K of 2048, and the odd size at 1023.
    "is right for small K only": ("", "if (K > 2048) return;", "WRONG at {}", ["128", "64", "2300"]),
}
ODD = ["127", "63", "255"]
SLOW = "for (volatile int i = 0; i < 5000000; i++);"  # so that a candidate does not win, however busy the machine is


class Failed(Exception):
    """The first failure ends the check: what follows builds on what came before."""


class Copy:
    """A copy of a chapter's program, its kernel files beside it, and a folder for what it remembers."""

    def __init__(self, report, chapter, folder):
        self.report, self.chapter = report, chapter
        self.size = chapter_facts.of(chapter).SEARCH_SIZE
        self.home, self.cache = folder / "copy", folder / "cache"
        self.home.mkdir()
        shutil.copy(running.program(chapter), self.home)
        self.restore()

    def must(self, what, good, found=""):
        if not self.report.must(what, good, found):
            raise Failed

    def restore(self):
        for kernel in (running.ROOT / self.chapter).glob("*.cl"):
            shutil.copy(kernel, self.home)

    def spoil(self, defects):
        """Makes candidates wrong: {shape: (lines for its file, lines for its kernel)}; no other one builds."""
        self.restore()
        for kernel in self.home.glob("*.cl"):
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
            kernel.write_text(others + top + text[:body] + inside + text[body:])

    def files(self):
        return [path for path in self.cache.rglob("*") if path.is_file()]

    def file(self):
        (only,) = self.files()
        return only

    def run(self, what, word=None, searches=True, size=None, env=None):
        """Runs it; it must pass, and say `word` on standard error if it is not to believe what it finds. Returns the
        winner and what the search says (PoCL's compiler may say more)."""
        command = [self.home / self.chapter, *(size or self.size)]
        code, out, err = running.run(command, env={**running.remembering(self.cache), **(env or {})})
        err = "".join(line for line in err.splitlines(True) if line.startswith("search    "))
        found = re.search(rf"^time      ({SHAPE}):", out, re.MULTILINE)
        winner = found.group(1) if found else ""
        good = code == 0 and out.endswith("\nPASSED\n") and winner != ""
        self.must(f"{what}: passes and names the winner", good, out + err)
        good = f"search    {word}" in err if word else "ignored" not in err
        self.must(f"{what}: {'says so' if word else 'has nothing to complain of'}", good, err)
        if searches:
            wrong = wrong_in_search(winner, err)
            self.must(f"{what}: searches, and the fastest wins", not wrong, "\n".join(wrong) + "\n" + err)
        else:
            self.must(f"{what}: does not search", "search    round " not in err, err)
        return winner, err


def lines_of(number, err):
    """The lines of a round: a list of (shape, rate)."""
    lines = re.findall(
        rf"^search    round {number}, \d+ of \d+: ({SHAPE}): ([\d.]+) GFLOP/s(?:, the best so far)?$", err, re.MULTILINE
    )
    return [(shape, float(rate)) for shape, rate in lines]


def wrong_in_search(winner, err):
    """What is wrong with a search that ended with `winner`, as texts. One that was left out cannot have won."""
    left_out = re.findall(rf"^search    ({SHAPE}): .*, left out$", err, re.MULTILINE)
    first, second = lines_of(1, err), lines_of(2, err)
    if not first or len(first) + len(second) != err.count("search    round "):
        return ["not every line of the search is understood"]
    if len(second) != min(4, len(first)):
        return [f"round 2 has {len(second)} lines"]
    wrong, best = [], dict(second)
    if min(rate for shape, rate in first if shape in best) < max(
        (rate for shape, rate in first if shape not in best), default=0
    ):
        wrong.append("round 2 does not have the best of round 1")
    if max(best.values()) != max(rate for _, rate in first + second):
        wrong.append("round 2 does not have the highest rate of all")
    if best.get(winner) != max((rate for shape, rate in second if shape not in left_out), default=None):
        wrong.append(f"round 2: the fastest one that is right is not the winner, {winner}")
    return wrong


def memory(copy):
    """What was found is remembered, and taken; what is damaged or no file is not. Returns the shapes of round 2."""
    must = copy.must
    winner, err = copy.run("nothing remembered")
    must("one file, which is named", err.endswith(f"search    remembered in {copy.file()}\n"), err)
    shapes = [winner, *(shape for shape, _ in lines_of(2, err) if shape != winner)]
    file, text = copy.file(), copy.file().read_text()
    again, err = copy.run("remembered", searches=False)
    must("remembered: the same one", again == winner and err == f"search    remembered: {winner} ({file})\n", err)
    file.write_text(text.replace(f"\nwinner {winner}\n", f"\nwinner {shapes[1]}\n"))
    again, _ = copy.run("another one remembered", searches=False)
    must("another one remembered: it is taken", again == shapes[1], f"{again}, where {shapes[1]} was remembered")

    copy.spoil({shape: ("", "") for shape in shapes[:2]})  # two are enough for what follows
    copy.run("other kernels", STALE)
    text = file.read_text()
    for what, content in [
        ("empty", ""),
        ("cut off", text[:-10]),
        ("more behind", text + "more\n"),
        ("none of the candidates", text.replace("\nwinner ", "\nwinner 1")),
        ("another driver", re.sub(r"\ndriver .*", "\ndriver 0.1", text)),
        ("another device in it", re.sub(r"\ndevice .*", "\ndevice 0.1", text)),
    ]:
        file.write_text(content)
        copy.run(what, STALE)
        must(f"{what}: mended", file.read_text().startswith(text.partition("winner ")[0]), file.read_text())
    newer = copy.home / "newer-driver"
    newer.write_text("driver 9.9\n")
    copy.run("a newer driver", STALE, env=running.as_device(newer))
    must("a newer driver: its version is in the file", "\ndriver 9.9\n" in file.read_text(), file.read_text())
    file.unlink()
    file.mkdir()
    _, err = copy.run("a folder in the file's place", STALE)
    must("a folder in the file's place: not remembered", f"not remembered: cannot write {file}\n" in err, err)
    left = [path for path in copy.cache.rglob("*") if path != file and path != file.parent]
    must("nothing else is left behind", not left, str(left))
    file.rmdir()
    nowhere = {"XDG_CACHE_HOME": "relative", "HOME": "relative", "POCL_CACHE_DIR": f"{copy.home}/kernels"}
    _, err = copy.run("no folder that is an absolute path", env=nowhere)
    must("no folder that is an absolute path: not remembered", "nor HOME is an absolute path\n" in err, err)
    must("no folder that is an absolute path: none is made", not copy.files() and not pathlib.Path("relative").exists())
    return shapes


def key(copy):
    """What is remembered holds for this device, so many compute units, these kernels, and sizes like this one."""
    copy.restore()  # for other units and sizes other shapes are tried
    copy.run("the key")
    known = copy.file().read_text()
    one_unit = {"POCL_MAX_PTHREAD_COUNT": "1", "POCL_CPU_MAX_CU_COUNT": "1"}  # by the version of PoCL
    for what, env in [("compute units", one_unit), ("device", {**one_unit, "POCL_DEVICES": "basic"})]:
        files = set(copy.files())
        copy.run(f"another {what}", env=env)
        (file,) = set(copy.files()) - files or {None}
        copy.must(f"another {what}: a file of its own", file is not None)
        lines = set(file.read_text().splitlines()) - set(known.splitlines())
        different = any(line.startswith("device ") for line in lines)
        copy.must(f"another {what}: another line in it", different, f"{known}\n{file.read_text()}")
        known = file.read_text()
    for kernel in sorted(copy.home.glob("*.cl")):
        kernel.write_text(kernel.read_text() + "// one line more\n")
        copy.run(f"another {kernel.name}", STALE)
        copy.run(f"another {kernel.name}, remembered", searches=False)
    for size in (["64", "64", "256"], ["128", "128", "256"], ["128", "64", "128"], ODD):
        files = len(copy.files())
        copy.run(" ".join(["another kind of size,", *size]), size=size)
        copy.must(f"{' '.join(size)}: a file of its own", len(copy.files()) == files + 1)
    copy.run("a size of the same kind", searches=False, size=["126", "64", "254"])


def two_at_once(copy):
    """Two programs that search at the same time must not write into one file: each renames one of its own."""
    log = copy.home.parent / "log"
    names = []
    for _ in range(2):
        shutil.rmtree(copy.cache)
        log.unlink(missing_ok=True)
        copy.run("watched", env=running.layered(log=log))
        moved = [line.split(" ") for line in log.read_text().splitlines() if line.startswith("rename ")]
        names += [before for _, before, after in moved if after == str(copy.file())]
    copy.must(
        "what is remembered gets its name in one step, from another file each time", len({*names}) == 2, str(names)
    )


def full_disk(copy):
    """Where a file can be made and nothing written into it, no file is left, and the program says so."""
    if sandbox.missing():
        return print(f"SKIPPED: a full disk: {sandbox.missing()}")
    shutil.rmtree(copy.cache)
    copy.cache.mkdir()
    fill = f"mkdir {copy.cache}/opencl-step-by-step; head -c 9999 /dev/zero >{copy.cache}/fill"
    look = f"ls {copy.cache}/opencl-step-by-step"
    words = ["bwrap", "--dev-bind", "/", "/", "--size", "4096", "--tmpfs", copy.cache, "sh", "-c"]
    command = [*words, f'{fill} 2>/dev/null; "$0" "$@" && {look}', copy.home / copy.chapter, *copy.size]
    code, out, err = running.run(command, env=running.remembering(copy.cache))
    good = code == 0 and out.endswith("\nPASSED\n") and "search    not remembered: cannot write " in err
    return copy.must("a full disk: not remembered, and no file is left", good, f"{code}\n{out}{err}")


def wrong_candidates(copy, bad, good):
    """A candidate that is wrong in one way or another neither wins nor stays remembered; another one does."""
    must = copy.must
    for what, (of_file, of_kernel, why, leads) in DEFECTS.items():
        shutil.rmtree(copy.cache)
        copy.spoil({bad: (of_file, of_kernel), good: ("", SLOW if leads else "")})
        size = leads or copy.size
        winner, err = copy.run(f"one {what}", size=size)
        must(f"one {what}: the other one wins", winner == good, f"{winner} won{running.indented(err)}")
        left_out = re.findall(rf"^search    {bad}: (.*), left out$", err, re.MULTILINE)
        if leads:
            rates = dict(lines_of(2, err))
            must(f"one {what}: it leads until then", rates.get(bad, 0) > rates.get(good, 0), err)
            good_reason = left_out == [f"WRONG at {' '.join(size if int(size[2]) > 1024 else ODD)}"]
        else:
            good_reason = left_out == [why.format(" ".join(size))]
        must(f"one {what}: left out in one line", good_reason, err)
        # Remembered all the same, by another version, say.
        size = ODD if "even" in what else size
        if size == ODD:
            shutil.rmtree(copy.cache)
            copy.run(f"one {what}, at an odd size", size=size)
        file = copy.file()
        must(f"one {what}: not remembered", f"\nwinner {good}\n" in file.read_text(), file.read_text())
        file.write_text(file.read_text().replace(f"\nwinner {good}\n", f"\nwinner {bad}\n"))
        winner, err = copy.run(f"one {what}, and is remembered", size=size)
        said = f"search    remembered: {bad} ({file})\nsearch    {bad}: {why.format(' '.join(size))}, left out\n"
        must(f"one {what}, and is remembered: the file is named", err.startswith(said), f"{said}expected{err}")
        must(f"one {what}, and is remembered: another wins", winner == good, err)
        must(f"one {what}, and is remembered: mended", f"\nwinner {good}\n" in file.read_text(), file.read_text())

    shutil.rmtree(copy.cache)
    copy.spoil({bad: ("", "return;"), good: ("#error", "")})
    command = [copy.home / copy.chapter, *copy.size]
    code, out, err = running.run(command, env=running.remembering(copy.cache))
    none = "no candidate computes the right product on this device\n"
    must("none is right: exit code 1, and why", code == 1 and err.endswith(none) and "PASSED" not in out, out + err)
    must("none is right: nothing is remembered", not copy.files(), str(copy.files()))


def room_for_copies(copy):
    """On a GPU: the search measures with a product of odd rows, though that asked for has none, and pads it."""
    m, n, k = 4100, 4100, 4112  # n is halved, to 2050
    code, _, err, account = running.under_layer(
        [copy.home / copy.chapter, *map(str, (m, n, k))],
        profile=running.ROOT / "tests" / "devices" / "h200.txt",
        fail=1,
        function="clCreateProgramWithSource",
        code=-6,
    )
    sizes = [int(size) // 4 for size in re.findall(r"^CreateBuffer \w+, \d+, (\d+),", account.text, re.MULTILINE)]
    good = code == 1 and len(sizes) > 4 and sizes[3] >= m * k and sizes[4] >= k * (n // 2 + 2)
    copy.must(f"{m} {n} {k} on a GPU: room for copies of {m} {n // 2} {k}", good, f"{code} {sizes}\n{err}")


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("chapter", [chapter for chapter in running.CHAPTERS if chapter_facts.of(chapter).SEARCH_SIZE])
def test_search(report, chapter):
    with tempfile.TemporaryDirectory() as name:
        copy = Copy(report, chapter, pathlib.Path(name))
        try:
            bad, good, *_ = memory(copy)
            key(copy)
            two_at_once(copy)
            full_disk(copy)
            room_for_copies(copy)
            wrong_candidates(copy, bad, good)
        except Failed:
            print("what comes after the first failure was not looked at")
