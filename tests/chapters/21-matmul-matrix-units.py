from formulas import double_buffered, matmul_times

SMALL_SIZES = [["1"], ["64", "128", "16"], ["9", "17", "21"]]  # on Oclgrind three ways take long
LARGE_LAUNCHES = True
OCLGRIND_OPTIONS = ["--build-options", "-cl-opt-disable"]  # see 17
COPIES = [
    ("kernel.cl", "18-matmul-double-buffered/kernel.cl", ["A_LOADS", "B_LOADS", "load4", "store4", "load_tiles"]),
]


def costs(m, n, k):
    """With multiply-adds in place of units: the three ways cost the same. For each k a work-item reads, for each of its
    four blocks of sums, two floats of A and eight of B, where chapter 18 reads eight and eight for all of them."""
    [(kernel, launch)] = double_buffered(m, n, k, bm=64, bn=128, bk=16, tm=8, tn=8)
    return [(kernel, {**launch, "local loads": launch["local loads"] // (8 + 8) * 4 * (2 + 8)})]


def times(commands, expected, *size):
    for way in ["three products", "one product", "floats"]:
        for _ in range(3):  # whole numbers: one run, whose time is not printed
            commands.take("clEnqueueWriteBuffer")
        commands.runs("matmul", runs=1)
        commands.take("clEnqueueReadBuffer")
        for _ in range(3):
            commands.take("clEnqueueWriteBuffer")
        matmul_times(commands, expected, *size, what=f"{way}: kernel")
