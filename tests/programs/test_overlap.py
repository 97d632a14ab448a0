"""A program that works in pieces: numbers from a file, and the drawing of when each command ran.

Files: the dot product of what is in them, with any piece and any number of queues, within the bound that follows from the
launch, which is kept from both sides (beyond 4 GiB: check `overlap-large`); files that are cut off, of another N, empty, or not
there are refused before anything is allocated, one that ends while it is read when it does. The drawing: a
bar for each command of the first pieces of the last run, with the times of its event; what was there before stays until
there is something to draw. Numbers that are made: no two pieces are alike.
"""

import array
import math
import os
import pathlib
import random
import re
import shutil
import tempfile
import xml.etree.ElementTree as xml

import pytest

from checker.references import EPSILON
from tests import chapter_facts, running
from tests.programs import test_other_inputs as other_inputs

CHAPTER = "22-overlap"
SHORT = pathlib.Path("/sys/devices/system/cpu/online")  # its size is said to be a page, and there is a line in it
MOST_DRAWN = 12


def vectors(n):
    draw = random.Random(n)
    return ([draw.uniform(-1, 1) for _ in range(n)] for _ in range(2))


def floats(*parts):
    return b"".join(array.array("f", part).tobytes() for part in parts)


def pair(out):
    """Result, expected and allowed, as printed."""
    found = re.search(r"^result +(\S+)\nexpected +(\S+)(?: \(error \S+, allowed (\S+)\))?$", out, re.MULTILINE)
    return [float(text) if text else 0.0 for text in found.groups()] if found else [math.nan] * 3


class Files:
    def __init__(self, report, folder):
        self.report, self.folder, self.program = report, folder, running.program(CHAPTER)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def refused(self, what, text, code, *arguments, **options):
        """Ends with the code and says the text, before it says anything else."""
        got, out, err = running.run([self.program, *arguments], **options)
        good = got == code and text in err and out == ""
        self.report.must(f"{what}: {text}", good, f"exit code {got}\n{out}{err}")

    def products(self):
        for n in [1, 5, 1000, 3001]:
            a, b = (array.array("f", x) for x in vectors(n))
            path = self.file(f"{n} pairs", floats(a, b))
            right, sizes = math.fsum(x * y for x, y in zip(a, b)), math.fsum(abs(x * y) for x, y in zip(a, b))
            for piece, queues in [(64, 3), (1000, 1), (1, 2)][: 3 if n < 1000 else 2]:
                ended = running.run([self.program, "--file", path, str(n), str(piece), str(queues)])
                result, expected, allowed = pair(ended[1])
                piece = min(piece, n)
                items = 256 * math.ceil(piece / 256)
                bound = (math.ceil(piece / items) + 8) * EPSILON * sizes
                good = not running.not_passed(*ended) and abs(expected - right) <= 1e-8 * sizes
                good = good and abs(result - right) <= bound and 0.95 < allowed / bound < 1.05
                what = f"{n} pairs of a file in pieces of {piece} by {queues} queues: {result}"
                self.report.must(what, good, f"{right}, off by {bound:.2g} at most\n{ended[1]}{ended[2]}")
            ended = running.run([self.program, "--file", path])
            good = not running.not_passed(*ended) and f"N = {n}, " in ended[1]
            self.report.must(f"N from the file: {n}", good, ended[1] + ended[2])

    def edges(self):
        """What comes back is changed, so that the sum is just within its bound, or just not."""
        path = self.file("edges", floats(*vectors(1000)))
        arguments, known = ["1000", "300", "2", "--file", str(path)], chapter_facts.of(CHAPTER)
        result, expected, allowed = pair(running.run([self.program, *arguments])[1])
        for share in [-1.02, -0.98, 0.98, 1.02]:
            with tempfile.TemporaryDirectory() as folder:
                add = f"2 {share * allowed - (result - expected):.9g}"
                code, out, err, _ = other_inputs.run(known, arguments, folder, add=add)
            good = code == 0 if abs(share) < 1 else code == 1 and "FAILED" in out.splitlines()
            self.report.must(f"off by {share} times its bound: exit code {code}", good, out + err)
        for special, add, code in [
            (math.nan, None, 0),
            (math.inf, None, 0),
            (-math.inf, "2 nan", 1),
            (0.0, "2 nan", 1),
        ]:
            numbers = list(vectors(1000))
            numbers[0][700] = abs(numbers[0][700])
            numbers[1][700] = special
            arguments = ["1000", "300", "2", "--file", str(self.file("special", floats(*numbers)))]
            with tempfile.TemporaryDirectory() as folder:
                got, out, err, _ = other_inputs.run(known, arguments, folder, **({"add": add} if add else {}))
            good = got == code and ("PASSED" if code == 0 else "FAILED") in out.splitlines()
            self.report.must(f"{special} in a file, and {add} added to a result: exit code {code}", good, out + err)

    def once(self):
        """The file is read once, whatever its length: as many bytes as it has, and a single run."""
        running.need_tool("strace", "strace")
        n = 300001
        path = self.file("once", floats(*vectors(n)))
        log = self.folder / "reads"
        command = ["strace", "-f", "-e", "trace=read,readv", "-P", str(path), "-o", str(log)]
        code, out, err = running.run([*command, self.program, "--once", str(path), str(n), "100000"])
        read = sum(map(int, re.findall(r"= (\d+)$", log.read_text(), re.MULTILINE))) if log.exists() else 0
        good = code == 0 and 8 * n <= read < 9 * n and "all pieces, and their check" in out
        self.report.must(f"--once: {read} bytes of {8 * n} are read", good, out + err)

    def refusals(self):
        whole = floats(*vectors(100))
        cut, other = "cut off: ", "cut off, or of another N: "
        self.refused("no vectors", cut, 2, "--file", self.file("empty", b""))
        self.refused("half a float", cut, 2, "--file", self.file("half", whole[:-2]))
        self.refused("a float too few", cut, 2, "--file", self.file("few", whole[:-4]))
        self.refused("a pair too few", other, 2, "100", "--file", self.file("pair", whole[:-8]))
        self.refused("a pair too many", other, 2, "99", "--file", self.file("all", whole))
        self.refused("a folder", "not a file that can be read", 2, "--file", self.folder)
        self.refused("no file", "not a file that can be read", 2, "--file", self.folder / "none")
        locked = self.file("locked", whole)
        locked.chmod(0)
        self.folder.chmod(0o755)
        as_user = {"user": 65534} if os.getuid() == 0 else {}  # root may read every file: be somebody else
        self.refused("not readable", "not a file that can be read", 2, "--file", locked, **as_user)
        if SHORT.exists() and SHORT.stat().st_size > 8 * len(SHORT.read_bytes()):
            code, out, err = running.run([self.program, "--file", SHORT])
            good = code == 1 and f"{SHORT}: cannot be read from float 0 on" in err and "PASSED" not in out
            self.report.must("a file that ends while it is read", good, f"exit code {code}\n{out}{err}")
        else:
            print(f"SKIPPED: {SHORT} is not there, or as long as it says: a file that ends while it is read")


class Drawing:
    def __init__(self, report, folder):
        self.report, self.folder, self.program = report, folder, running.program(CHAPTER)
        self.path = folder / "drawing.svg"

    def bars(self):
        """(row, left, right, piece) of each bar, in the units of the drawing; and its width. Nothing where it is none."""
        try:
            drawing = xml.parse(self.path).getroot()
        except (OSError, xml.ParseError):
            return [], 0.0
        found = []
        for rect in drawing.iter("{http://www.w3.org/2000/svg}rect"):
            title = rect.find("{http://www.w3.org/2000/svg}title")
            if title is not None:
                x, y, width = (float(rect.get(name)) for name in ("x", "y", "width"))
                found.append((y, x, x + width, int(title.text.removeprefix("piece "))))
        return found, float(drawing.get("viewBox").split()[2])

    def times(self, pieces, queues):
        """On the known clock: each bar is as long, and as far from the first, as its command's times say."""
        n = str(64 * pieces)
        command = [self.program, n, "64", queues, "--timeline", str(self.path)]
        self.path.unlink(missing_ok=True)
        *ended, account = running.under_layer(command, clock=1)
        kinds = {"clEnqueueWriteBuffer": 0, "clEnqueueNDRangeKernel": 1, "clEnqueueReadBuffer": 2}
        commands = [(kinds[each.function], *each.ns[2:]) for each in account.commands if each.function in kinds]
        commands = commands[-3 * pieces :][: 3 * MOST_DRAWN]
        wanted = sorted((kind, start, end, i // 3) for i, (kind, start, end) in enumerate(commands))
        found, width = self.bars() if not running.not_passed(*ended) else ([], 0)
        rows = sorted({bar[0] for bar in found})
        got = sorted((rows.index(y), x, end, piece) for y, x, end, piece in found)
        good = len(got) == len(wanted) and len(rows) == 3
        if good:
            first, last = min(bar[1] for bar in wanted), max(bar[2] for bar in wanted)
            left, right = min(bar[1] for bar in got), max(bar[2] for bar in got)
            scale = (right - left) / (last - first)
            good = 0 <= left and right <= width and right - left > width / 2
            said = re.search(r": the first pieces, (\S+) ms;", self.path.read_text())
            good = good and said is not None and math.isclose(float(said[1]), (last - first) / 1e6, rel_tol=1e-4)
            for (kind, start, end, piece), (row, x, x_end, its_piece) in zip(wanted, got):
                at, until = left + (start - first) * scale, left + (end - first) * scale
                good = good and (kind, piece) == (row, its_piece) and abs(x - at) < 0.1 and abs(x_end - until) < 0.1
        text = self.path.read_text() if self.path.exists() else ""
        ticks = re.findall(r'<text x="(\S+)" y="\S+" text-anchor="middle">(\S+)</text>', text)
        good = good and f">{queues} queue" in text and 4 <= len(ticks) <= 11 and min(e - x for _, x, e, _ in got) >= 1.5
        for x, ms in ticks if good else ():
            good = good and abs(float(x) - left - float(ms) * 1e6 * scale) < 0.1
        self.report.must(f"{len(got)} bars of {pieces} pieces and {queues} queues", good, "\n".join(ended[1:]) + text)

    def kept(self):
        """What was there stays where there is nothing to draw; and the numbers are not drawn over."""
        numbers = self.folder / "numbers"
        content = floats(*vectors(100))
        numbers.write_bytes(content)
        symbolic, hard = self.folder / "symbolic", self.folder / "hard"
        symbolic.symlink_to(numbers)
        hard.hardlink_to(numbers)
        for place in [numbers, self.folder / ".." / self.folder.name / numbers.name, symbolic, hard]:
            code, out, err = running.run([self.program, "--file", numbers, "--timeline", place])
            good = code == 2 and "would overwrite the numbers" in err and numbers.read_bytes() == content
            what = f"the file of the numbers, as {place.relative_to(self.folder)}, is no place for the timeline"
            self.report.must(what, good, f"exit code {code}\n{out}{err}")
        for where in ("a file that is not there yet", "the file that is there now"):
            code, out, err = running.run([self.program, "--file", numbers, "--timeline", self.path])
            good = not running.not_passed(code, out, err) and self.bars()[0] != [] and numbers.read_bytes() == content
            self.report.must(f"a timeline of numbers from a file, in {where}", good, out + err)
        self.path.write_text("an old one")
        for what, arguments, env in [
            ("four queues", ["10", "10", "4"], {}),
            ("no device", [], {"OCL_DEVICE": "no such device"}),
            ("a file that is not there", ["--file", "none"], {}),
        ]:
            code, out, err = running.run([self.program, *arguments, "--timeline", self.path], env=env)
            good = code in (1, 2) and self.path.read_text() == "an old one"
            self.report.must(f"{what}: the drawing that was there stays", good, f"exit code {code}\n{out}{err}")
        code, out, err = running.run([self.program, "77", "--timeline", "/dev/full"])
        good = code == 1 and "no timeline in /dev/full: it cannot be written" in err and "PASSED" not in out
        self.report.must("a full disk", good, f"exit code {code}\n{out}{err}")
        code, out, err, _ = running.under_layer(
            [self.program, "77", "--timeline", self.path], fail=1, code=-7, onward=1, function="clGetEventProfilingInfo"
        )
        good = code == 1 and f"no timeline in {self.path}: this device reports no times" in err and "PASSED" not in out
        self.report.must("a device without times", good, f"exit code {code}\n{out}{err}")


def made_numbers(report):
    for pieces, piece in [(16, 64), (4096, 8)]:  # as many as its comment says
        with tempfile.TemporaryDirectory() as cache:
            code, out, err, results = other_inputs.run(
                chapter_facts.of(CHAPTER), [str(pieces * piece), str(piece), "2"], cache
            )
        first = [tuple(result.inputs[0]) for result in results[:pieces]]
        halves = sum(x[:piece] == x[piece:] for x in first)
        good = code == 0 and len(set(first)) == pieces and not halves
        report.must(f"{len(set(first))} of {pieces} pieces differ, with {halves} equal halves", good, out + err)
    more = ["5000", "1"]  # pieces than there are places
    report.failed(f"{CHAPTER} {' '.join(more)}", running.not_passed(*running.run([running.program(CHAPTER), *more])))


@pytest.mark.thorough
@pytest.mark.parametrize("chapter", [CHAPTER])
def test_overlap(report, chapter):
    made_numbers(report)
    name = tempfile.mkdtemp()
    try:
        folder = pathlib.Path(name)
        files, drawing = Files(report, folder), Drawing(report, folder)
        files.refusals()
        files.products()
        files.edges()
        files.once()
        for pieces, queues in [(5, "1"), (20, "2"), (14, "3")]:
            drawing.times(pieces, queues)
        drawing.kept()
    finally:
        shutil.rmtree(name, ignore_errors=True)
