"""The figure of chapter 14: three ways in which a work-group adds."""

from draw import BLUE, GREEN, INK, ORANGE, PALE, SOFT, figure

VALUES = [3, 1, 4, 1, 5, 9, 2, 6]
SIZE = 4  # work-items in a sub-group
W = 24  # width of a cell


@figure(
    "three-ways",
    "Chapter 14: the sums of 8 work-items added by a work-group function, by sub-groups of 4, by a tree",
    424,
)
def three_ways(f):
    total = sum(VALUES)
    columns = [16, 240, 464]
    titles = ["1: work-group function", "2: sub-groups", "3: tree of chapter 11"]
    notes = ["1 call: the compiler decides", "2 calls, 1 barrier", "4 barriers, 9 for 256 items"]

    def middle(x, first, last=None):
        return x + (first + (first if last is None else last) + 1) * W / 2

    def barrier(x, y):
        f.line(x - 2, y, x + 8 * W + 2, y, ORANGE, 3)

    for x, title, note in zip(columns, titles, notes):
        f.title_at(x, 28, title)
        f.note(x, 412, note)
        colors = [BLUE] * 4 + [GREEN] * 4 if x == columns[1] else [BLUE] * 8
        f.cells(x, 42, W, 32, VALUES, colors, 15)

    x = columns[0]  # one box, and everyone has the total
    for i in range(8):
        f.arrow(middle(x, i), 74, middle(x, i), 128, SOFT)
        f.arrow(middle(x, i), 290, middle(x, i), 356, SOFT)
    f.box(x, 130, 8 * W, 160, PALE[INK], SOFT, 8)
    f.text(x + 4 * W, 204, "work_group_reduce_add", 14, mono=True)
    f.text(x + 4 * W, 228, "one work-group", 13, SOFT)
    f.cells(x, 358, W, 32, [total] * 8, [BLUE] * 8, 15)

    x = columns[1]  # each sub-group for itself, then each adds the totals of all
    totals = [sum(VALUES[g * SIZE : (g + 1) * SIZE]) for g in range(8 // SIZE)]
    for g, color in enumerate([BLUE, GREEN]):
        left = x + g * SIZE * W
        for i in range(g * SIZE, (g + 1) * SIZE):
            f.arrow(middle(x, i), 74, middle(x, i), 98, SOFT)
            f.arrow(middle(x, i), 306, middle(x, i), 356, SOFT)
        f.box(left + 4, 100, SIZE * W - 8, 44, PALE[color], color)
        f.text(left + SIZE * W / 2, 119, "sub_group_", 12.5, mono=True)
        f.text(left + SIZE * W / 2, 137, "reduce_add", 12.5, mono=True)
        f.arrow(left + SIZE * W / 2, 144, middle(x, 3 + g), 170, SOFT)
        for t in range(len(totals)):
            f.arrow(middle(x, 3 + t), 226, left + SIZE * W / 2 + (t - 0.5) * 30, 260, SOFT)
        f.box(left + 4, 262, SIZE * W - 8, 44, PALE[color], color)
        f.text(left + SIZE * W / 2, 281, "sub_group_", 12.5, mono=True)
        f.text(left + SIZE * W / 2, 299, "reduce_add", 12.5, mono=True)
    f.cells(x + 3 * W, 172, W, 32, totals, [BLUE, GREEN], 15)
    f.text(x + 2.8 * W, 193, "sums (local)", 12.5, SOFT, "end")
    barrier(x, 217)
    f.text(x + 8 * W, 195, "barrier", 13, ORANGE, "end", True)
    f.cells(x, 358, W, 32, [total] * 8, [BLUE] * 4 + [GREEN] * 4, 15)

    x = columns[2]  # the tree, as in the kernel
    sums, active, y = list(VALUES), 4, 74
    while active > 0:
        barrier(x, y + 10)
        for lid in range(active):
            sums[lid] += sums[lid + active]
            f.arrow(middle(x, lid), y + 14, middle(x, lid), y + 50, SOFT)
            f.arrow(middle(x, lid + active), y + 14, middle(x, lid) + 5, y + 50, SOFT)
        f.cells(x, y + 52, W, 32, sums[:active], [BLUE] * active, 14)
        active //= 2
        y += 84
    f.text(x + 8 * W, 150, "barrier", 13, ORANGE, "end", True)
    barrier(x, y + 10)
    for i in range(8):
        f.arrow(middle(x, 0), y + 14, middle(x, i), y + 32, SOFT)
    f.cells(x, y + 32, W, 32, [sums[0]] * 8, [BLUE] * 8, 15)
    assert sums[0] == total
