"""A program that works in pieces: numbers from a file, and the drawing of when each command ran.

Files: the dot product of what is in them, with any piece and any number of queues, also beyond 4 GiB; files that are cut off, of
another N, or empty are refused before anything is allocated. The drawing: a
bar for each command of the first pieces of the last run, with the times of its event; what was there before stays until
there is something to draw.
"""

import array
import math
import random
import re

import pytest

from tests import chapter_facts, running
from tests.programs import test_other_inputs as other_inputs

CHAPTERS = [CHAPTER := "22-overlap"]
pytestmark = pytest.mark.thorough


def vectors(n):
    draw = random.Random(n)
    return [array.array("f", [draw.uniform(-1, 1) for _ in range(n)]) for _ in range(2)]


def overlap(*arguments, **options):
    return running.run([running.program(CHAPTER), *map(str, arguments)], **options)


def said(out):
    """Result, expected and allowed, as printed."""
    found = re.search(r"^result +(\S+)\nexpected +(\S+)(?: \(error \S+, allowed (\S+)\))?$", out, re.MULTILINE)
    return [float(text or 0) for text in found.groups()] if found else [math.nan] * 3


def test_overlap(report, chapter, tmp_path):
    known, path = chapter_facts.of(chapter), tmp_path / "numbers"
    for n in [1, 5, 1000, 3001]:
        a, b = vectors(n)
        path.write_bytes(a.tobytes() + b.tobytes())
        right = math.fsum(x * y for x, y in zip(a, b))
        for arguments in [[], [n, 64, 3], [n, 1000, 1], [n, n // 5 + 1, 2]]:
            ended = overlap("--file", path, *arguments)
            report.ends(f"{n} pairs of a file, {arguments}", ended, 0, f"N = {n}, ")
            result, expected, allowed = said(ended[1])
            good = abs(expected - right) <= 1e-8 * n and abs(result - right) <= allowed <= 1e-5 * n
            report.must(f"{n} pairs of a file, {arguments}: {result}", good, f"{right}\n{ended[1]}")
    # With what comes back changed: a sum that is just outside its bound, and numbers that are none.
    for special, add, code in [(0.5, "outside", 1), (math.nan, "", 0), (math.inf, "", 0), (-math.inf, "nan", 1)]:
        a, b = vectors(1000)
        a[700], b[700] = abs(a[700]), special
        path.write_bytes(a.tobytes() + b.tobytes())
        arguments, settings = ["1000", "300", "2", "--file", str(path)], {"add": f"2 {add}"} if add else {}
        if add == "outside":
            result, expected, allowed = said(overlap(*arguments)[1])
            settings = {"add": f"2 {1.02 * allowed - (result - expected):.9g}"}
        code_now, out, err, *_ = other_inputs.run(known, arguments, tmp_path / "cache", **settings)
        good = code_now == code and ("FAILED" if code else "PASSED") in out.splitlines()
        report.must(f"{special} in a file, and {settings}: exit code {code}", good, out + err)


def test_beyond_4_gib(report, chapter, tmp_path):
    n, path = (1 << 29) + 100, tmp_path / "numbers"
    with open(path, "wb") as file:  # nothing but zeros, and four numbers, so that it takes no place on the disk
        file.truncate(8 * n)
        for place, value in [(0, 2.0), (n, 5.0), (n - 1, 3.0), (2 * n - 1, 7.0)]:
            file.seek(4 * place)
            file.write(array.array("f", [value]).tobytes())
    ended = overlap("--file", path, n, 1 << 24, timeout=300)
    report.ends(f"a file of {8 * n} bytes", ended, 0)
    report.must("what lies beyond 4 GiB is found", said(ended[1])[0] == 2 * 5 + 3 * 7, ended[1])


def test_refused(report, chapter, tmp_path):
    whole = b"".join(x.tobytes() for x in vectors(100))
    for what, content, code, text, arguments in [
        ("no vectors", b"", 2, "cut off: ", []),
        ("half a float", whole[:-2], 2, "cut off: ", []),
        ("a float too few", whole[:-4], 2, "cut off: ", []),
        ("a pair too few", whole[:-8], 2, "cut off, or of another N: ", ["100"]),
        ("a pair too many", whole, 2, "cut off, or of another N: ", ["99"]),
    ]:
        (tmp_path / "numbers").write_bytes(content)
        ended = overlap(*arguments, "--file", tmp_path / "numbers")
        report.ends(what, ended, code, text)
        report.must("before it says anything else", ended[1] == "", ended[1])


def test_drawing(report, chapter, tmp_path, record):
    """On the known clock it is always the same: tests/times/22-overlap.svg, which one can look at."""
    path = tmp_path / "drawing.svg"
    command = [running.program(chapter), "896", "64", "3", "--timeline", path]  # 14 pieces, of which 12 are drawn
    *ended, _ = running.under_layer(command, clock=1)
    report.ends("14 pieces and 3 queues", ended, 0)
    report.recorded(running.ROOT / "tests" / "times" / f"{chapter}.svg", path.read_text().splitlines(), record)


def test_drawing_is_kept(report, chapter, tmp_path):
    """What was there stays where there is nothing to draw; and the numbers are not drawn over."""
    numbers, drawing = tmp_path / "numbers", tmp_path / "drawing.svg"
    numbers.write_bytes(b"".join(x.tobytes() for x in vectors(100)))
    content = numbers.read_bytes()
    report.ends("the same", overlap("--file", numbers, "--timeline", numbers), 2, "would overwrite the numbers")
    report.ends("numbers from a file", overlap("--file", numbers, "--timeline", drawing), 0)
    report.must("they are drawn, and stay as they are", drawing.stat().st_size and numbers.read_bytes() == content)
    drawing.write_text("an old one")
    refused = [(["10", "10", "4"], 2, {}), ([], 1, {"OCL_DEVICE": "no such device"}), (["--file", "none"], 2, {})]
    for arguments, code, env in refused:
        report.ends(f"{arguments} {env}", overlap(*arguments, "--timeline", drawing, env=env), code)
        report.must("the drawing that was there stays", drawing.read_text() == "an old one")
    full = overlap("77", "--timeline", "/dev/full")
    report.ends("a full disk", full, 1, "no timeline in /dev/full: it cannot be written")
    no_times = {"fail": 1, "code": -7, "function": "clGetEventProfilingInfo"}
    ended = running.under_layer([running.program(chapter), "77", "--timeline", drawing], **no_times)
    report.ends("a device without times", ended, 1, f"no timeline in {drawing}: this device reports no times")
