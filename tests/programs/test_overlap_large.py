"""A program that works in pieces, with a file of more than 4 GiB: numbers that lie beyond are found.

The file has nothing but zeros, and four numbers at the ends of its vectors, so that it takes no place on the disk.
"""

import pathlib
import tempfile

import pytest

from tests import running
from tests.programs.test_overlap import CHAPTER, floats, pair


@pytest.mark.thorough
@pytest.mark.parametrize("chapter", [CHAPTER])
def test_overlap_large(report, chapter):
    n = (1 << 29) + 100
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "numbers"
        with open(path, "wb") as file:
            file.truncate(8 * n)
            for place, value in [(0, 2.0), (n, 5.0), (n - 1, 3.0), (2 * n - 1, 7.0)]:
                file.seek(4 * place)
                file.write(floats([value]))
        code, out, err = running.run([running.program(CHAPTER), "--file", path, str(n), str(1 << 24)], timeout=300)
    good = not running.not_passed(code, out, err) and pair(out)[0] == 2 * 5 + 3 * 7
    report.must(f"a file of {8 * n} bytes: {pair(out)[0]}", good, out + err)
