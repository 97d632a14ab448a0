from formulas import matmul_times, register_tiled
from references import product

LARGE_LAUNCHES = True
# What the optimizer makes of the kernel, Oclgrind 21.10 does not know (the instruction `freeze`, the
# intrinsic `noalias.scope.decl`) and gives up: it gets it as it is written.
OCLGRIND_OPTIONS = ["--build-options", "-cl-opt-disable"]
BENCH_MATMUL = {"kernel": "17 registers"}
_REFUSED = "the host takes no more than 2^30 rows or columns"
NARROW = {
    "into 32 bits: m": _REFUSED,
    "into 32 bits: n": _REFUSED,
    "into 32 bits: k": _REFUSED,
    "into 32 bits: get_group_id(0) / groups_across * BM": _REFUSED,
    "into 32 bits: get_group_id(0) % groups_across * BN": _REFUSED,
}
REFERENCES = {"matmul": product}


def costs(m, n, k):
    return [("matmul", register_tiled(m, n, k))]


def times(*arguments):
    matmul_times(*arguments)
