"""Does a chapter pass at sizes that nobody chose? Its own tests have a few; a guard that is left out where one of three
numbers is no multiple of what it should be shows at few others.

Vectors: every N up to 20, alone and with a second argument where that is a length, and around the powers of two.
Matrices: rows and columns that are whole tiles of some size, with every K of 4 to 64 in steps of 4, then all but one
of the three numbers, sizes drawn from those around powers of two, always the same, and such of which one number is large.
All of them with each of the kernel's FORCED ways as well. A program that searches has nothing remembered, and tries all its candidates at each size: every one
must be right. It gets each third K; and at SIZES_ON those candidates that only other devices have.
"""

import pathlib
import random
import tempfile

import pytest

from tests import chapter_facts, running
from tests.syntax import changed_copy, forced, kernel_files

AROUND = sorted({max(1, 2**p + d) for p in range(9) for d in (-1, 0, 1)})


def sizes_of(known):
    if not known.IS_MATRIX:
        pieces = [[n, known.piece_of(n)] for n in range(1, 21)] if known.piece_of else []
        return [[n] for n in [*range(1, 21), *(2**p + d for p in range(5, 18) for d in (-1, 0, 1))]] + pieces
    whole = [[m, n, k] for m, n in [(32, 64), (128, 128)] for k in range(4, 65, 4)]
    if known.SEARCH_SIZE:
        whole = whole[::3]
    whole += [[128, 100, 64], [100, 128, 64], [128, 128, 50]]
    draw = random.Random(1)
    drawn = [[draw.choice(AROUND) for _ in range(3)] for _ in range(30)]
    return whole + drawn + [[1031, 35, 5], [3, 1031, 6], [3, 35, 2051]]


def passes(report, what, command, **env):
    """A run that is to pass, without anything remembered; PoCL has its compiled kernels in another place."""
    with tempfile.TemporaryDirectory() as nothing:
        ended = running.run(command, env={**env, **running.remembering(nothing)})
    report.failed(what, running.not_passed(*ended))
    report.count("sizes")


@pytest.mark.thorough
def test_sizes(report, chapter):
    known = chapter_facts.of(chapter)
    if not known.PARAMETERS:
        return report.nothing_to_do("it takes no size")
    for change in [None, *known.FORCED]:
        with tempfile.TemporaryDirectory() as folder:
            texts = {path: forced(path.read_text(), change) for path in kernel_files(chapter)}
            program = changed_copy(chapter, pathlib.Path(folder), texts)
            for size in sizes_of(known):
                arguments = [str(number) for number in size]
                what = " ".join([chapter, *arguments, *("".join(change or "").split("\n")[1:2])])
                passes(report, what, [program, *arguments])
            for name, sizes in known.SIZES_ON.items() if change is None else []:
                profile = running.ROOT / "tests" / "devices" / f"{name}.txt"
                for arguments in sizes:
                    what = " ".join([chapter, *arguments, "on", name])
                    passes(report, what, [program, *arguments], **running.as_device(profile))
