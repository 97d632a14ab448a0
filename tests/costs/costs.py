"""Counts what a chapter's kernels do, with Oclgrind, and compares with the formulas of its lesson.

    python3 tests/costs/costs.py 09-matmul-tiled
    python3 tests/costs/costs.py total

Counted over all work-items of a launch: elements loaded from and stored to global memory, to local
memory, and barriers reached. A chapter with kernels but without formulas here is a failure.
"""
import math
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import chapters  # noqa: E402

COMPUTE_UNITS = 1  # of the simulated device
TILE = 32  # chapters 09 and 10 choose it from the device's work-group size, here 1024
WPT = TILE // 4


def count(loads, stores, local_loads=0, local_stores=0, barriers=0):
    return {"global loads": loads, "global stores": stores, "local loads": local_loads,
            "local stores": local_stores, "barriers": barriers}


def tree(loads, groups, local_size, readers=1):
    """Each work-group adds its share in a tree: log2(local_size) steps, half the work-items fewer at
    each; a barrier before the first step and one after each, reached by all work-items. `readers` of
    them read the total."""
    return count(loads, groups, local_loads=groups * (2 * (local_size - 1) + readers),
                 local_stores=groups * (local_size + local_size - 1),
                 barriers=groups * local_size * (1 + int(math.log2(local_size))))


def dot_naive(n):
    return count(2 * n, n)


def dot_reduction(n):
    return tree(2 * n, min(32, math.ceil(n / 64)), 64)


def tiled(m, n, k, wpt):
    """Each element of A is loaded once for each column of tiles of C, each of B once for each row of
    them: 2·M·N·K / TILE loads when TILE divides M and N. wpt: elements of C for each work-item."""
    rows, cols, steps = math.ceil(m / TILE), math.ceil(n / TILE), math.ceil(k / TILE)
    items = rows * cols * TILE * TILE // wpt
    return count(m * k * cols + k * n * rows, m * n, local_loads=items * steps * TILE * (1 + wpt),
                 local_stores=rows * cols * steps * 2 * TILE * TILE, barriers=items * steps * 2)


def unrolled_levels(n, uf):
    """The lengths of the vector before each launch of chapter 12."""
    while n > 1:
        yield n
        n = max(1, n // uf)


def sum_unrolled(n, uf=2):
    """Each launch reads every element that is left, once, and writes one for every UF of them."""
    launches = [("sum_unrolled", count(left, max(1, left // uf))) for left in unrolled_levels(n, uf)]
    return launches + [("sum_reduction", tree(n, COMPUTE_UNITS * 64, 256))]


def ceilings(n):
    """A copy reads and writes each float once, in vectors of any width; N is rounded up to whole
    vectors of 16. The multiply-adds read nothing, and each of 64·64 work-items writes one vector."""
    padded = math.ceil(n / 16) * 16
    return [("copy", count(padded, padded))] + [("multiply_add", count(0, COMPUTE_UNITS * 64 * 64 * width))
                                                for width in (1, 4, 16)]


def vectorized(n):
    """Two vectors are read once, by work-groups as large as the device has them; a second launch of
    one such group reads what each group left and writes one number. (The simulated device calls
    itself a GPU.) The copy beside them is what the ceiling is measured with."""
    local_size = 1024
    groups = min(COMPUTE_UNITS * 2048 // local_size, math.ceil(math.ceil(n / (4 * 2)) / local_size))
    padded = math.ceil(n / 16) * 16
    return [("copy", count(padded, padded)), ("dot_product", tree(2 * n, groups, local_size, readers=local_size)),
            ("add_partial_sums", tree(groups, 1, local_size, readers=local_size))]


def ceiling_of_arithmetic():
    """What common/ceilings.h launches to measure it, whatever the chapter's size is."""
    return [("multiply_add", count(0, COMPUTE_UNITS * 64 * 64 * width)) for width in (1, 16)]


def register_tiled(m, n, k, bm=128, bn=128, bk=16, tm=16, tn=8):
    """As in `tiled`, with oblong tiles; a work-item reads TM + TN floats of the tiles for TM·TN
    multiply-adds."""
    rows, cols, steps = math.ceil(m / bm), math.ceil(n / bn), math.ceil(k / bk)
    items = rows * cols * (bm // tm) * (bn // tn)
    return count(m * k * cols + k * n * rows, m * n, local_loads=items * steps * bk * (tm + tn),
                 local_stores=rows * cols * steps * (bm * bk + bk * bn), barriers=items * steps * 2)


# What chapter 20 tries on the simulated device, whose vectors have 4 floats and whose local memory
# holds small tiles: shapes.h says why.
PANELS = [(6, 8, bk) for bk in (256, 512, 1024)] + [(4, 12, bk) for bk in (256, 512, 1024)]  # TM, TN, BK
PANEL_STEP = 16  # KS


def panels(m, n, k, tm, tn, bk):
    """A and B are read once into panels, which are filled up to whole ones. For each of its TM×TN sums
    and each k a work-item reads TM + TN floats of them. Each BK steps of K, C is written, and from the
    second time on read before."""
    rows, cols, padded = math.ceil(m / tm), math.ceil(n / tn), math.ceil(k / PANEL_STEP) * PANEL_STEP
    parts = math.ceil(padded / bk)
    return [("pack_a", count(m * k, rows * tm * padded)), ("pack_b", count(n * k, cols * tn * padded)),
            ("matmul", count(rows * cols * padded * (tm + tn) + (parts - 1) * m * n, parts * m * n))]


def double_buffered(m, n, k, bm=32, bn=64, bk=8, tm=8, tn=8):
    """Loads and stores as in `register_tiled`, with one barrier a step and one before the first."""
    costs = register_tiled(m, n, k, bm, bn, bk, tm, tn)
    items = math.ceil(m / bm) * math.ceil(n / bn) * (bm // tm) * (bn // tn)
    return [("matmul", {**costs, "barriers": items * (math.ceil(k / bk) + 1)})]


def autotuned(m, n, k):
    """What each candidate of the search costs: how many launches of it there are is up to the clock."""
    return [launch for shape in PANELS for launch in panels(m, n, k, *shape)] + double_buffered(m, n, k)


def geometry(n):
    """Each element of `owner`, a ulong, is written once, whatever the launch: two floats' worth."""
    return [("one_each", count(0, 2 * n)), ("grid_stride", count(0, 2 * n))]


# For each chapter, what each launch costs; launches that cost the same are there once.
FORMULAS = {
    "01-vector-add": lambda n: [("vector_add", count(2 * n, n))],
    "03-launch-geometry": geometry,
    "04-host-device-memory": lambda n: [("twice_plus_one", count(n, n))],
    "05-dot-product-naive": lambda n: [("dot_product", dot_naive(n))],
    "06-dot-product-reduction": lambda n: [("dot_product", dot_reduction(n))],
    "07-dot-product-profiling": lambda n: [("dot_product_naive", dot_naive(n)),
                                           ("dot_product_reduction", dot_reduction(n))],
    "08-matmul-naive": lambda m, n, k: [("matmul", count(2 * m * n * k, m * n))],
    "09-matmul-tiled": lambda m, n, k: [("matmul", {**tiled(m, n, k, 1)})],
    "10-matmul-wpt": lambda m, n, k: [("matmul", tiled(m, n, k, WPT))],
    "11-sum-reduction": lambda n: [("sum_reduction", tree(n, 256, 256)),
                                   ("sum_reduction", tree(n, COMPUTE_UNITS * 64, 256))],
    "12-sum-unrolled": sum_unrolled,
    "15-device-ceilings": ceilings,
    "16-dot-product-vectorized": vectorized,
    "17-matmul-register-tiled": lambda m, n, k: [("matmul", register_tiled(m, n, k))] + ceiling_of_arithmetic(),
    "20-matmul-autotuned": lambda m, n, k: autotuned(m, n, k) + ceiling_of_arithmetic(),
}


def sizes(chapter):
    """The arguments of the runs: a multiple of everything, and none; only the latter where it takes long."""
    if chapter == "20-matmul-autotuned":
        return [(17, 33, 65), (5, 33, 270)]  # the second: K in two parts where BK is 256
    if chapters.is_matrix(chapter):
        return [(17, 33, 65)] if chapter in chapters.LARGE_LAUNCHES else [(64, 64, 64), (17, 33, 65)]
    if chapter == "12-sum-unrolled":
        return [(1000, 3)]
    return [(1000,)] if chapter in chapters.LARGE_LAUNCHES else [(4096,), (1000,)]


def counted(log):
    """The launches in Oclgrind's account: a list of (kernel, counts)."""
    launches = []
    for line in log.splitlines():
        kernel = re.match(r"Instructions executed for kernel '(\w+)'", line)
        if kernel:
            launches.append((kernel.group(1), count(0, 0)))
        instruction = re.match(r"\s*(\d+) - (load|store) (global|local|__global|__local) \((\d+) bytes\)", line)
        if instruction:
            # In floats: a load of four of them counts as four.
            launches[-1][1][f"{instruction.group(3).strip('_')} {instruction.group(2)}s"] += int(instruction.group(4)) // 4
        vector = re.match(r"\s*(\d+) - call _Z\d+v(load|store)(\d+)\w*PU3AS([13])K?f\(", line)  # vload4 and its like
        if vector:
            place = {"1": "global", "3": "local"}[vector.group(4)]
            launches[-1][1][f"{place} {vector.group(2)}s"] += int(vector.group(1)) * int(vector.group(3))
        barrier = re.match(r"\s*(\d+) - call \w*barrier\w*\(", line)
        if barrier:
            launches[-1][1]["barriers"] += int(barrier.group(1))
    return launches


def distinct(launches):
    return sorted({(kernel, tuple(sorted(counts.items()))) for kernel, counts in launches})


def show(launches):
    return "".join(f"\n          {kernel}: " + ", ".join(f"{number} {what}" for what, number in counts)
                   for kernel, counts in launches)


def check(chapter):
    if not (chapters.ROOT / chapter / "kernel.cl").exists():
        print(f"{chapter} has no kernel")
        return 0, {"numbers": 0}
    if chapter not in FORMULAS:
        print(f"FAILED  {chapter} has a kernel but no formulas: say in {__file__} what it costs")
        return 1, {}
    failures = numbers = 0
    for size in sizes(chapter):
        arguments = [str(number) for number in size]
        code, out, err, log = chapters.oclgrind([chapters.program(chapter)] + arguments, "--inst-counts",
                                                "--compute-units", str(COMPUTE_UNITS), "--max-wgsize", "1024")
        launches = counted(log + out + err)
        expected = distinct(FORMULAS[chapter](*size))
        got = distinct(launches)
        wrong = code != 0 or got != expected
        failures += wrong
        numbers += sum(len(counts) for _, counts in got)
        print(f"{'FAILED' if wrong else 'ok'}  {' '.join([chapter] + arguments)}, exit code {code}, "
              f"{len(launches)} launches; a launch costs:{show(got)}"
              + (f"\n        expected:{show(expected)}\n{err if code else ''}" if wrong else ""))
    return failures, {"numbers": numbers}


chapters.test("costs", check, "{numbers} counts of loads, stores and barriers, each exactly as its formula says",
              needs=lambda: chapters.need_tool("oclgrind", "oclgrind"))
