"""Formulas that several chapters' facts (NN-topic/chapter_test.py) share."""

import math

# ---- Costs: what Oclgrind counts over all work-items of a launch, on the device as check `costs` sets it ----

COMPUTE_UNITS = 1
MAX_WORK_GROUP = 1024
TILE = 32  # chapters 09 and 10 choose it from the device's work-group size


def count(loads, stores, fmas=0, adds=0, muls=0, conversions=0, local_loads=0, local_stores=0, barriers=0):
    """What one launch does, in floats: a load of four of them counts as four, and so does a multiply-add of
    four. Additions (subtractions are some, too) and multiplications that stand alone are counted as the device is
    told to do them: that of a vector is one. Conversions are those between numbers of different kinds, such as float
    and int: a float that goes through an int on its way shows here."""
    return {
        "global loads": loads,
        "global stores": stores,
        "multiply-adds": fmas,
        "additions": adds,
        "multiplications": muls,
        "conversions": conversions,
        "local loads": local_loads,
        "local stores": local_stores,
        "barriers": barriers,
    }


def tree(loads, groups, local_size, readers=1, fmas=0, adds=0):
    """Each work-group adds its share in a tree: log2(local_size) steps, half the work-items fewer at
    each; a barrier before the first step and one after each, reached by all work-items. `readers` of
    them read the total. The other arithmetic is what comes before the tree."""
    return count(
        loads,
        groups,
        fmas,
        adds + groups * (local_size - 1),
        local_loads=groups * (2 * (local_size - 1) + readers),
        local_stores=groups * (local_size + local_size - 1),
        barriers=groups * local_size * (1 + int(math.log2(local_size))),
    )


def dot_naive(n):
    return count(2 * n, n, muls=n)


def dot_reduction(n, groups=None, local_size=64):
    return tree(2 * n, groups or min(32, math.ceil(n / local_size)), local_size, fmas=n)


def sum_reduction(n):
    """Chapter 11's kernel with the launch that it derives from the device."""
    return tree(n, COMPUTE_UNITS * 64, 256, adds=n)


def tiled(m, n, k, wpt, tile=TILE):
    """Each element of A is loaded once for each column of tiles of C, each of B once for each row of
    them: 2·M·N·K / tile loads when the tile divides M and N. The multiply-adds are those of whole tiles. wpt: elements
    of C for each work-item."""
    rows, cols, steps = math.ceil(m / tile), math.ceil(n / tile), math.ceil(k / tile)
    items = rows * cols * tile * tile // wpt
    return count(
        m * k * cols + k * n * rows,
        m * n,
        fmas=rows * cols * steps * tile**3,
        local_loads=items * steps * tile * (1 + wpt),
        local_stores=rows * cols * steps * 2 * tile * tile,
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
        fmas=rows * cols * steps * bm * bn * bk,
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


def panels(m, n, k, tm, tn, bk, width=4):
    """A and B are read once into panels, which are filled up to whole ones. For each of its TM×TN sums
    and each k a work-item reads TM + TN floats of them. Each BK steps of K, C is written, and from the
    second time on read and added to before: vector by vector, but at the edges float by float."""
    rows, cols, padded = math.ceil(m / tm), math.ceil(n / tn), math.ceil(k / PANEL_STEP) * PANEL_STEP
    parts = math.ceil(padded / bk)
    whole = (m // tm) * (n // tn) * tm * tn  # elements of C that are not at an edge
    loads = rows * cols * padded * (tm + tn) + (parts - 1) * m * n
    adds = (parts - 1) * (whole // width + m * n - whole)
    return [
        ("pack_a", count(m * k, rows * tm * padded)),
        ("pack_b", count(n * k, cols * tn * padded)),
        ("matmul", count(loads, parts * m * n, fmas=rows * tm * cols * tn * padded, adds=adds)),
    ]


# ---- Times: which commands a program takes the time of, and what it must print (programs/test_printed_times.py) ----


def matmul_times(commands, expected, m, n, k, what="kernel", by_host=False):
    times = commands.runs("matmul", by_host=by_host)
    commands.take("clEnqueueReadBuffer")
    expected.rate(what, times, 2 * m * n * k, "GFLOP/s")


def packed_times(commands, expected, what, m, n, k, by_host=False):
    """The same of three kernels, of which two pack."""
    times = commands.runs("pack_a", "pack_b", "matmul", by_host=by_host)
    commands.take("clEnqueueReadBuffer")
    expected.rate(what, times, 2 * m * n * k, "GFLOP/s")
    expected.line(r"of which packing ([\d.]+) ms", (sorted(times.pack[1:])[len(times.pack[1:]) // 2], 3))
    return times
