import math

from checker.references import dot_product
from tests.formulas import COMPUTE_UNITS, tree

BENCH = {"vectors": {"both": "16 vectorized"}}
OCLGRIND_SIZES = [["1"], ["256"], ["60003"]]  # on the simulated device: in vectors of 4, 1024 work-items in turns
FORCED = [(f"#undef STRETCH\n#define STRETCH {way}\n", "") for way in (0, 1)]  # as for a GPU, and as for a CPU
REFERENCES = {"add_partial_sums": dot_product}


def costs(n, groups=None, size=256):
    """Two vectors are read once, by work-groups of 256; a second launch of
    one such group reads what each group left and writes one number. A work-item adds its two vectors of
    four, and then the four. (The simulated device calls
    itself a GPU.)"""
    groups = groups or min(COMPUTE_UNITS * 1024 // size, math.ceil(math.ceil(n / (4 * 2)) / size))
    return [
        ("dot_product", tree(2 * n, groups, size, readers=size, fmas=n, adds=groups * size * (4 + 2 - 1))),
        ("add_partial_sums", tree(groups, 1, size, readers=size, adds=groups)),
    ]


def times(commands, expected, n):
    taken = commands.runs("dot_product", "add_partial_sums")
    commands.take("clEnqueueReadBuffer")
    expected.rate("both kernels", taken, 2 * 4 * n, "GB/s")
