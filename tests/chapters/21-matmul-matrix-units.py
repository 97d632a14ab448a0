import math

from formulas import double_buffered, matmul_times
from references import product_within

THOROUGH = ["costs", "inputs"]  # three ways
SMALL_SIZES = [["1"], ["64", "128", "16"], ["9", "17", "21"]]  # on Oclgrind three ways take long
LARGE_LAUNCHES = True
ONE_WAY = {"UNITS": "only the compiler of a device that has them gets to see them: check `units`"}
OCLGRIND_SIZES = [["1"], ["64", "128", "16"], ["9", "17", "35"]]
OCLGRIND_OPTIONS = ["--build-options", "-cl-opt-disable"]  # see 17
COPIES = [
    ("kernel.cl", "18-matmul-double-buffered/kernel.cl", ["A_LOADS", "B_LOADS", "load4", "store4", "load_tiles"]),
]


BENCH_MATMUL = {"three products": "21 three products", "one product": "21 one product"}
BENCH_FRONT = "21 three products"
BENCH_MATRIX_UNITS = True
MOST_ROWS = 2**30
_REFUSED = "the host takes no more rows or columns: MOST_ROWS"
NARROW = {
    "into 32 bits: m": _REFUSED,
    "into 32 bits: n": _REFUSED,
    "into 32 bits: k": _REFUSED,
    "into 32 bits: get_group_id(0) / groups_across * BM": _REFUSED,
    "into 32 bits: get_group_id(0) % groups_across * BN": _REFUSED,
    "into 32 bits: first_row + get_local_id(0) % 32 / 4": _REFUSED,
    "into 32 bits: first_col + get_local_id(0) / 32 * 32 + get_local_id(0) % 4 * 8": _REFUSED,
    "into 32 bits: get_local_id(0) + i * ITEMS": "within a tile",
}
# A warp of 32 work-items is what a matrix unit works for; the kernel without units divides its work in the same way.
_WARP = "this device is too small: a group needs 32 work-items and 12,544 bytes"
NEEDS = {"minimum-1.2": _WARP, "apple-cpu": _WARP}
# What is left out of a product, in ε: see The bound in README.md.
_LEFT_OUT = {"3": 5 * 2, "1": 2**13 + 2, "0": 0}


APART = {
    "*(__global float4 *)(x + (size_t)row * cols + col)": "as a matrix unit has its results: a work-item two rows of four"
}


def _path(m, n, k, launch):
    """In a part three products for each of 16 values of k, and not quite all of 64 additions; then the parts."""
    return _LEFT_OUT[launch.options["PRODUCTS"]] + math.ceil(k / 16) + 64


# Not all rows are compared with reals; the last one always is.
SAYS = [(["2", "4096", "4096"], r"\A(?![\s\S]*^result    C\[0\])[\s\S]*^result    C\[1\]")]
SPECIALS = ["1 nan", "2 nan"]  # what is left of an infinity when its leading digits are taken away is NaN
REFERENCES = {"matmul": product_within(_path)}
PATHS = {"matmul": _path}


def costs(m, n, k):
    """With multiply-adds in place of units. For each k a work-item reads, for each of its four blocks of sums, two
    floats of A and eight of B, where chapter 18 reads eight and eight for all of them. Each of these, four times, is
    split: a multiplication, a subtraction, and four multiply-adds. A block's four parts are added at the end of a step."""
    [(kernel, launch)] = double_buffered(m, n, k, bm=64, bn=128, bk=16, tm=8, tn=8)
    reads = launch["local loads"] // (8 + 8) * 4
    blocks = reads // 16
    ways = []
    for products in [3, 1, 0]:
        splits = reads * 4 if products else 0
        fmas = launch["multiply-adds"] * max(products, 1) + 4 * splits
        arithmetic = {"multiply-adds": fmas, "additions": splits + blocks * 4, "multiplications": splits}
        ways.append((kernel, {**launch, **arithmetic, "local loads": reads * (2 + 8)}))
    return ways


def times(commands, expected, *size):
    for way, products in [("three products", "3"), ("one product", "1"), ("floats", "0")]:
        built = {"PRODUCTS": products}
        for _ in range(3):  # whole numbers: one run, whose time is not printed
            commands.take("clEnqueueWriteBuffer")
        commands.runs("matmul", runs=1, built=built)
        commands.take("clEnqueueReadBuffer")
        for _ in range(3):
            commands.take("clEnqueueWriteBuffer")
        matmul_times(commands, expected, *size, what=f"{way}: kernel", built=built)
