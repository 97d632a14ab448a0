"""What is recorded: launches of the chapters' own kernels, at a size at which every access can be looked at; and QUEUES.

A launch is a dictionary: the chapter; the kernel; `options` for its compiler; `global` and `local` sizes; `arguments`
in the kernel's order, each a whole number (a ulong or uint), a list of numbers or NaNs (a buffer; the type is that of
the kernel), or {"local": elements}; `figure`, the figure of the lesson that the player stands below; `say`, what it is
called there; `try`, what its reader may try, from tries.md; `seed`, which shuffled order comes first (of 06: the one in which 31 becomes 25); `show`, the private variables that are shown; `grid`, for each buffer or local array [rows, columns] as it
is drawn; `pocl`, the arguments with which the chapter's own program tries on PoCL what lines are in site/what-if/; `copies`: its work-items store in local memory what
they have read, unchanged and in that order; `expected`, what is in a
buffer in the end, computed here from the inputs, not from the kernel, or `total`, what its elements add up to.
"""

import pathlib
import re

NAN = None  # as JSON has it


def whole(n, seed):
    """Small whole numbers, from -2 to 4, without a pattern that an eye would follow."""
    return [(i * i * i + 5 * i + 3 * seed * i + 5 * seed) % 17 % 7 - 2 for i in range(n)]


def product(a, b, m, n, k):
    return [sum(a[r * k + i] * b[i * n + c] for i in range(k)) for r in range(m) for c in range(n)]


def _tries(chapter):
    """What a reader may try: [[question, answer], ...]."""
    text = (pathlib.Path(__file__).resolve().parent / "tries.md").read_text(encoding="utf-8")
    section = text.partition(f"## {chapter}\n")[2].partition("\n## ")[0]
    found = re.findall(r"(?ms)^- (.*?)\n\n(.*?)(?=\n\n|\Z)", section)
    return [[" ".join(part.split()) for part in pair] for pair in found]


# Group 0's sums are those of the figure reduction-tree: 3 1 4 1 5 9 2 6.
_A = [1, -1, 2, 3, 5, 3, 1, 2, 2, 1, 2, 1, 4, -1, 3, 1, 2, 1, 1, -2]
_B = [1, 1, 1, 1, 1, 3, 2, 3, 2, 3, 1, 1, 2, 2, 1, 4, 1, 2, 2, 1]
_N = len(_A)
_PRODUCTS = [a * b for a, b in zip(_A, _B)]


def _sums(first, number, step=16):
    return sum(sum(_PRODUCTS[i::step]) for i in range(first, first + number))


def _launch(chapter, kernel, figure, say, sizes, arguments, show, **more):
    """A launch; `sizes`: global and local. It has what its reader may try, where tries.md has something."""
    tries = _tries(chapter)
    return {
        "chapter": chapter, "kernel": kernel, "pocl": "1000003", "figure": figure, "say": say, **({"try": tries} if tries else {}),
        "global": sizes[0], "local": sizes[1], "arguments": arguments, "show": show, **more,
    }  # fmt: skip


def _matmul(chapter, shape, sizes, figure, say, show, options="", tiles=None):
    """A launch of a matrix product; with `options` its work-items bring elements into tiles."""
    m, n, k = shape
    a, b = whole(m * k, 1), whole(k * n, 2)
    return _launch(
        chapter, "matmul", figure, say, sizes, [a, b, [NAN] * (m * n), m, n, k], show,
        pocl="300 200 100", expected={"c": product(a, b, m, n, k)}, grid={"a": [m, k], "b": [k, n], "c": [m, n], **(tiles or {})},
        **({"copies": True, "options": options} if options else {}),
    )  # fmt: skip


_X16 = whole(70, 3)
_Y16 = whole(70, 4)
_X13 = whole(30, 5)
_X12 = whole(19, 6)

BLOCKS = "-D BM=8 -D BN=8 -D BK=4 -D TM=4 -D TN=4 -D EDGES=0"
LAUNCHES = [
    _launch(
        "03-launch-geometry", "grid_stride", "grid-stride", "eight work-items, twenty elements", ([8], [4]), [[NAN] * 20, 20],
        ["i"], pocl="1000000", expected={"owner": [i % 8 for i in range(20)]},
    ),
    _launch(
        "05-dot-product-naive", "dot_product", "host-adds", "sixteen work-items, twenty products", ([16], [8]),
        [_A, _B, [NAN] * _N, _N], ["i"], expected={"products": _PRODUCTS},
    ),
    _launch(
        "06-dot-product-reduction", "dot_product", "reduction-tree", "two groups of eight, twenty products", ([16], [8]),
        [_A, _B, [NAN] * 2, _N, {"local": 8}], ["sum", "active"],
        seed=5, expected={"partial_sums": [_sums(0, 8), _sums(8, 8)]},
    ),
    _matmul("08-matmul-naive", (6, 7, 8), ([8, 8], [4, 4]), "matmul", "one work-item, one element of C", ["sum", "k"]),
    _matmul(
        "09-matmul-tiled", (6, 7, 8), ([8, 8], [4, 4]), "tiling", "four groups, each with two tiles of 4×4", ["sum", "k"],
        "-D TILE=4", {"a_tile": [4, 4], "b_tile": [4, 4]},
    ),
    _matmul(
        "10-matmul-wpt", (6, 7, 8), ([8, 4], [4, 2]), "wpt", "four groups, two elements of C for each work-item", ["sums", "k"],
        "-D TILE=4 -D WPT=2", {"a_tile": [4, 4], "b_tile": [4, 4]},
    ),
    _launch(
        "12-sum-unrolled", "sum_unrolled", "unrolled", "the first launch: nineteen elements become nine", ([12], [4]),
        [_X12, 19], ["sum"], options="-D UF=2",
        expected={"data": [_X12[i] + _X12[i + 9] + (_X12[18] if i == 0 else 0) for i in range(9)] + _X12[9:]},
    ),
    _launch(
        "13-sum-atomic", "sum_last_group", "atomic-last-group", "three groups of four; the last one adds the rest", ([12], [4]),
        [_X13, [NAN], 30, {"local": 4}, [NAN] * 3, [0]], ["sum", "rest"],
        expected={"total": [sum(_X13)], "done": [0]},
    ),
    _launch(
        "16-dot-product-vectorized", "dot_product", "vector-loads", "vectors of four, two of each in flight", ([8], [4]),
        [_X16, _Y16, [NAN] * 2, 70, {"local": 4}], ["vector_sums", "sum"],
        options="-D WIDTH=4 -D UNROLL=2 -D STRETCH=0", grid={"a": [5, 16], "b": [5, 16]},
        total={"partial_sums": sum(x * y for x, y in zip(_X16, _Y16))},
    ),
    _matmul(
        "17-matmul-register-tiled", (8, 16, 8), ([8], [4]), "register-tile",
        "two groups of four work-items, each with 4×4 elements of C", ["k"],
        BLOCKS, {"a_tile": [4, 12], "b_tile": [4, 8]},
    ),
    _matmul(
        "18-matmul-double-buffered", (8, 16, 12), ([8], [4]), "double-buffering",
        "two groups of four work-items, two pairs of tiles in turns", ["now", "k"],
        BLOCKS, {"a_tiles": [8, 12], "b_tiles": [8, 8]},
    ),
]  # fmt: skip

# Hosts with several queues, whose commands are recorded with their events (commands.py): the chapter, the arguments of
# its program before the number of queues, and the numbers; `figure`, `say`, `try` and `seed` as above.
QUEUES = [
    {
        "chapter": "22-overlap",
        "figure": "overlap",
        "say": "five pieces, three slots, up to three queues",
        "arguments": ["18", "4"],
        "queues": [1, 2, 3],
        "try": _tries("22-overlap"),
        "seed": 23,
    },
]
