from formulas import sum_reduction
from references import total

LARGE_LAUNCHES = True
BAD_ARGUMENTS = [
    (["10", "4"], "not a way that this device has: 4"),
    (["10", "1"], "not a way that this device has: 1", "work-group functions: no"),
    (["10", "2"], "not a way that this device has: 2", "sub-groups: no"),
]
TRIED_CALLS = ["clBuildProgram"]
RUNS_ON = {
    "rusticl": [(["1000003"], "\nway       3: tree")],
    "intel": [
        (["1000003"], "\nway       1: work-group function"),
        (["1000003", "1"], "\nway       1: work-group function"),
        (["1000003", "2"], "\nway       2: sub-groups"),
        (["1", "2"], "\nway       2: sub-groups"),
        (["1000003", "3"], "\nway       3: tree"),
    ],
}
BENCH_VECTORS = {"kernel": "14 sub-groups"}
OCLGRIND_SIZES = [["1"], ["256"], ["140000"]]
REFERENCES = {"sum_sub_groups": total}


def costs(n):
    """Way 3: the simulated device has neither of the functions."""
    return [("sum_sub_groups", sum_reduction(n))]


def times(commands, expected, n):
    taken = commands.runs("sum_sub_groups")
    commands.take("clEnqueueReadBuffer")
    expected.rate("kernel", taken, 4 * n, "GB/s")
