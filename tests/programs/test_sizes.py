"""Does a chapter pass at sizes that nobody chose? Its own tests have a few; a guard that is left out where one of three
numbers is no multiple of what it should be shows at few others.

Vectors: every N up to 20, alone and with a second argument where that is a length, and around the powers of two.
Matrices: rows and columns that are whole tiles of some size, with every K of 4 to 64 in steps of 4, then all but one
of the three numbers, sizes drawn from those around powers of two, always the same, and such of which one number is large.
All of them with each of the kernel's FORCED ways as well. A program that searches has nothing remembered, and tries all its
candidates at each size: every one must be right. It gets each third K.
"""

import random

import pytest

from tests import chapter_facts, running
from tests.kernels import forced_copy

CHAPTERS = [chapter for chapter in running.CHAPTERS if chapter_facts.of(chapter).PARAMETERS]
AROUND = sorted({max(1, 2**p + d) for p in range(9) for d in (-1, 0, 1)})


def sizes_of(known):
    if not known.IS_MATRIX:
        lengths = known.PARAMETERS[1:2] in (["UF"], ["PIECE"])
        pieces = [[n, max(2, n // 5 + 1)] for n in range(1, 21)] if lengths else []
        every = [*range(1, 21), *(2**p + d for p in range(5, 18) for d in (-1, 0, 1))]
        return [[n] for n in every[:: 4 if known.TIME_FLOOR else 1]] + pieces  # 15 takes long, whatever its size
    whole = [[m, n, k] for m, n in [(32, 64), (128, 128)] for k in range(4, 65, 12 if known.SEARCH_SIZE else 4)]
    whole += [[128, 100, 64], [100, 128, 64], [128, 128, 50]]
    draw = random.Random(1)
    drawn = [[draw.choice(AROUND) for _ in range(3)] for _ in range(30)]
    return whole + drawn + [[1031, 35, 5], [3, 1031, 6], [3, 35, 2051]]


@pytest.mark.thorough
def test_sizes(report, chapter, tmp_path):
    known = chapter_facts.of(chapter)
    for way, change in enumerate([None, *known.FORCED]):
        program = forced_copy(chapter, tmp_path / str(way), change)
        for number, size in enumerate(sizes_of(known)):
            # Without anything remembered; PoCL has its compiled kernels in another place.
            ended = running.run([program, *map(str, size)], env=running.remembering(tmp_path / str(way) / str(number)))
            what = " ".join([chapter, *map(str, size), *("".join(change or "").split("\n")[1:2])])
            report.failed(what, running.not_passed(*ended))
            report.count("sizes")
