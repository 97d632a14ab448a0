import math

from checker.references import product_within
from tests.formulas import double_buffered, matmul_times

THOROUGH = ["costs", "other-inputs"]  # three ways
SMALL_SIZES = [["1"], ["64", "128", "16"], ["9", "17", "21"]]  # on Oclgrind three ways take long
LARGE_LAUNCHES = True
OCLGRIND_SIZES = [["1"], ["64", "128", "16"], ["9", "17", "35"]]
COPIES = [
    ("kernel.cl", "18-matmul-double-buffered/kernel.cl", ["A_LOADS", "B_LOADS", "load4", "store4", "load_tiles"]),
]


# Matrix units where there are none: what the instruction is said to do, through local memory, which the functions get
# handed down. What stands first in a parameter list or a call tells the two apart.
_EMULATED = """#undef UNITS
#define UNITS 1
#define E_const __local float *emulated, const
#define E_float4 __local float *emulated, float4
#define E_first emulated, first
#define E_second emulated, second
#define E_blocks emulated, blocks
#define E_sums emulated, sums
#define unit(x, ...) unit(E_##x, __VA_ARGS__)
#define add_products(x, ...) add_products(E_##x, __VA_ARGS__)
#define multiply(x, ...) multiply(E_##x, __VA_ARGS__)
#define asm(...) emulated_unit(emulated, a, b0, b1, sums, &x, &y, &z, &w)
float bits11(const float x) {
  return PRODUCTS == 0 ? x : as_float(as_uint(x) & 0xffffe000u); // floats as they are never go into units
}
void emulated_unit(__local float *all, const float4 a, const float b0, const float b1, const float4 sums, float *x,
                   float *y, float *z, float *w) {
  const uint g = get_local_id(0) % 32 / 4, t = get_local_id(0) % 4;
  __local float *a_all = all + get_local_id(0) / 32 * 192, *b_all = a_all + 128;
  barrier(CLK_LOCAL_MEM_FENCE);
  a_all[g * 8 + t] = bits11(a.x);
  a_all[(g + 8) * 8 + t] = bits11(a.y);
  a_all[g * 8 + t + 4] = bits11(a.z);
  a_all[(g + 8) * 8 + t + 4] = bits11(a.w);
  b_all[t * 8 + g] = bits11(b0);
  b_all[(t + 4) * 8 + g] = bits11(b1);
  barrier(CLK_LOCAL_MEM_FENCE);
  float4 found = sums;
  for (uint k = 0; k < 8; k++)
    found += (float4)(a_all[g * 8 + k], a_all[g * 8 + k], a_all[(g + 8) * 8 + k], a_all[(g + 8) * 8 + k]) *
             (float4)(b_all[k * 8 + 2 * t], b_all[k * 8 + 2 * t + 1], b_all[k * 8 + 2 * t], b_all[k * 8 + 2 * t + 1]);
  *x = found.x;
  *y = found.y;
  *z = found.z;
  *w = found.w;
}
"""
FORCED = [(_EMULATED, "\n  __local float emulated[4 * 192];")]

BENCH = {
    "matmul": {"three products": "21 three products", "one product": "21 one product"},
    "front": "21 three products",
    "matrix_units": True,
}
MOST_ROWS = 2**30
# A warp of 32 work-items is what a matrix unit works for; the kernel without units divides its work in the same way.
_WARP = "this device is too small: a group needs 32 work-items and 12,544 bytes"
NEEDS = {"minimum-1.2": _WARP, "apple-cpu": _WARP}
# What is left out of a product, in ε: see The bound in README.md.
_LEFT_OUT = {"3": 5 * 2, "1": 2**13 + 2, "0": 0}


def _path(m, n, k, launch):
    """In a part three products for each of 16 values of k, and not quite all of 64 additions; then the parts."""
    return _LEFT_OUT[launch.options["PRODUCTS"]] + math.ceil(k / 16) + 64


# Not all rows are compared with reals; the last one always is.
SAYS = [
    # A device that says it has matrix units, and whose compiler does not know their instructions.
    (["17", "33", "65"], r"^units     no: multiply-adds instead\n[\s\S]*^PASSED$", "capability 8"),
    (["2", "4096", "4096"], r"\A(?![\s\S]*^result    C\[0\])[\s\S]*^result    C\[1\]"),
]
# A compiler that does know them, of the first generation that has them and of the one before.
SAYS_FORCED = [
    (["17", "33", "65"], r"^units     yes: .*\n[\s\S]*^PASSED$", "capability 8"),
    (["17", "33", "65"], r"^units     no: .*\n[\s\S]*^PASSED$", "capability 7"),
]
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
