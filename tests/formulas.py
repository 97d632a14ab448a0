"""Formulas that several chapters' facts (tests/chapters/) share."""

import math

# ---- Costs: what Oclgrind counts over all work-items of a launch, on the device as check `costs` sets it ----

COMPUTE_UNITS = 1
MAX_WORK_GROUP = 1024
TILE = 32  # chapters 09 and 10 choose it from the device's work-group size


def count(loads, stores, local_loads=0, local_stores=0, barriers=0):
    """What one launch does, in floats: a load of four of them counts as four."""
    return {
        "global loads": loads,
        "global stores": stores,
        "local loads": local_loads,
        "local stores": local_stores,
        "barriers": barriers,
    }


def tree(loads, groups, local_size, readers=1):
    """Each work-group adds its share in a tree: log2(local_size) steps, half the work-items fewer at
    each; a barrier before the first step and one after each, reached by all work-items. `readers` of
    them read the total."""
    return count(
        loads,
        groups,
        local_loads=groups * (2 * (local_size - 1) + readers),
        local_stores=groups * (local_size + local_size - 1),
        barriers=groups * local_size * (1 + int(math.log2(local_size))),
    )


def dot_naive(n):
    return count(2 * n, n)


def dot_reduction(n):
    return tree(2 * n, min(32, math.ceil(n / 64)), 64)


def sum_reduction(n):
    """Chapter 11's kernel with the launch that it derives from the device."""
    return tree(n, COMPUTE_UNITS * 64, 256)


def tiled(m, n, k, wpt):
    """Each element of A is loaded once for each column of tiles of C, each of B once for each row of
    them: 2·M·N·K / TILE loads when TILE divides M and N. wpt: elements of C for each work-item."""
    rows, cols, steps = math.ceil(m / TILE), math.ceil(n / TILE), math.ceil(k / TILE)
    items = rows * cols * TILE * TILE // wpt
    return count(
        m * k * cols + k * n * rows,
        m * n,
        local_loads=items * steps * TILE * (1 + wpt),
        local_stores=rows * cols * steps * 2 * TILE * TILE,
        barriers=items * steps * 2,
    )


def register_tiled(m, n, k, bm=128, bn=128, bk=16, tm=16, tn=8):
    """As in `tiled`, with oblong tiles; a work-item reads TM + TN floats of the tiles for TM·TN
    multiply-adds."""
    rows, cols, steps = math.ceil(m / bm), math.ceil(n / bn), math.ceil(k / bk)
    items = rows * cols * (bm // tm) * (bn // tn)
    return count(
        m * k * cols + k * n * rows,
        m * n,
        local_loads=items * steps * bk * (tm + tn),
        local_stores=rows * cols * steps * (bm * bk + bk * bn),
        barriers=items * steps * 2,
    )


def double_buffered(m, n, k, bm=32, bn=64, bk=8, tm=8, tn=8):
    """Loads and stores as in `register_tiled`, with one barrier a step and one before the first."""
    costs = register_tiled(m, n, k, bm, bn, bk, tm, tn)
    items = math.ceil(m / bm) * math.ceil(n / bn) * (bm // tm) * (bn // tn)
    return [("matmul", {**costs, "barriers": items * (math.ceil(k / bk) + 1)})]


PANEL_STEP = 16  # KS


def panels(m, n, k, tm, tn, bk):
    """A and B are read once into panels, which are filled up to whole ones. For each of its TM×TN sums
    and each k a work-item reads TM + TN floats of them. Each BK steps of K, C is written, and from the
    second time on read before."""
    rows, cols, padded = math.ceil(m / tm), math.ceil(n / tn), math.ceil(k / PANEL_STEP) * PANEL_STEP
    parts = math.ceil(padded / bk)
    return [
        ("pack_a", count(m * k, rows * tm * padded)),
        ("pack_b", count(n * k, cols * tn * padded)),
        ("matmul", count(rows * cols * padded * (tm + tn) + (parts - 1) * m * n, parts * m * n)),
    ]


# ---- Times: which commands a program takes the time of, and what it must print (checks/times.py) ----


def matmul_times(commands, expected, m, n, k, what="kernel", by_host=False):
    """A matrix product of one kernel."""
    times = commands.runs("matmul", by_host=by_host)
    commands.take("clEnqueueReadBuffer")
    expected.rate(what, times, 2 * m * n * k, "GFLOP/s")


def packed_times(commands, expected, what, m, n, k, by_host=False):
    """The same of three kernels, of which two pack."""
    times = commands.runs("pack_a", "pack_b", "matmul", by_host=by_host)
    commands.take("clEnqueueReadBuffer")
    expected.rate(what, times, 2 * m * n * k, "GFLOP/s")
    expected.line(r"of which packing ([\d.]+) ms", (sorted(times.pack[1:])[len(times.pack[1:]) // 2], 3))
