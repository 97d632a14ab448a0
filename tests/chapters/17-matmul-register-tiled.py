from formulas import CEILING, arithmetic_ceiling, matmul_times, multiply_add_costs, register_tiled

LARGE_LAUNCHES = True
# What the optimizer makes of the kernel, Oclgrind 21.10 does not know (the instruction `freeze`, the
# intrinsic `noalias.scope.decl`) and gives up: it gets it as it is written.
OCLGRIND_OPTIONS = ["--build-options", "-cl-opt-disable"]
UNNOTICED = {"multiply_add": CEILING}
BENCH_MATMUL = {"kernel": "17 registers"}


def costs(m, n, k):
    return [("matmul", register_tiled(m, n, k))] + multiply_add_costs(1, 16)


def times(commands, expected, m, n, k):
    rate = matmul_times(commands, expected, m, n, k)
    expected.share(rate, arithmetic_ceiling(commands), "GFLOP/s")
