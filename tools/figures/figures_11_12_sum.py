"""Figures of chapters 11 and 12: rounding, levels."""

from draw import FOUR, GREY, INK, LINE, ORANGE, PALE, SOFT, TEAL, Figure, figure


@figure("rounding-path")
def rounding_path():
    """Chapter 11: the longest way of a term to its partial sum."""
    f = Figure(680, 352, "How many roundings a term goes through")
    items, per = 4, 4
    x0, w, box = 34, 40, 20
    f.text(24, 28, "each arrow is an addition, and each addition rounds", 16, SOFT, "start")
    heads = []
    for item in range(items):
        base = x0 + item * 162
        for t in range(per):
            mine = item == 0
            f.box(
                base + t * w - box / 2, 50, box, box, "#f2b78a" if mine and t == 0 else PALE[FOUR[item]], FOUR[item], 3
            )
            if t:
                f.arrow(
                    base + (t - 1) * w + box / 2 + 1,
                    60,
                    base + t * w - box / 2 - 1,
                    60,
                    ORANGE if mine else LINE,
                    2.6 if mine else 1.5,
                )
        heads.append(base + (per - 1) * w)
        f.text(base + 1.5 * w, 92, f"work-item {item}", 14, FOUR[item])
    pos, y, active = heads, 118, items // 2
    for i, x in enumerate(heads):
        f.line(x, 71, x, y, ORANGE if i == 0 else LINE, 2.6 if i == 0 else 1.5)
        f.label(x - 29, y, 58, 24, f"sums[{i}]", GREY, 12, mono=True)
    while active:
        for lid in range(active):
            f.arrow(pos[lid], y + 25, pos[lid], y + 61, ORANGE if lid == 0 else LINE, 2.6 if lid == 0 else 1.5)
            f.arrow(pos[lid + active] - 31, y + 22, pos[lid] + 32, y + 66, LINE, 1.5)
            f.label(pos[lid] - 29, y + 62, 58, 24, f"sums[{lid}]", GREY, 12, mono=True)
        y += 62
        active //= 2
    f.text(heads[0] + 190, y + 12, "first ⌈N / global size⌉ additions in a row,", 15, ORANGE, "start")
    f.text(heads[0] + 190, y + 32, "then log₂(local size) steps of the tree", 15, ORANGE, "start")
    f.text(heads[0] - 36, y + 17, "partial sum", 14, SOFT, "end")
    f.text(24, 328, "orange: the longest path, on which the first element is rounded most often", 15, INK, "start")
    return f


@figure("unrolled")
def unrolled():
    """Chapter 12: the levels, with the kernel's index arithmetic."""
    colour = FOUR + [TEAL]  # one for each work-item of the first level
    n, uf = 11, 2
    f = Figure(680, 390, "The unrolled sum, level by level: N = 11, UF = 2")
    w, x0, y = 52, 82, 62
    left = n
    while True:
        f.text(24, y + 21, f"n = {left}", 14, INK, "start", mono=True)
        stride = left // uf  # stride = n / UF
        items = max(1, stride)
        colors = []
        for i in range(left):
            # element i is read by work-item i mod stride; the n mod UF left over by work-item 0
            owner = i % stride if i < stride * uf else 0
            colors.append(colour[owner] if left > 1 else INK)
        f.cells(x0, y, w, 30, [f"[{i}]" for i in range(left)], colors, 13)
        if left == 1:
            f.text(x0 + w + 14, y + 20, "the sum of all", 13.5, INK, "start", True)
            break
        for i in range(items):
            for k in range(uf):
                f.arrow(x0 + (i + k * stride + 0.5) * w, y + 30, x0 + (i + 0.38 + 0.24 * k) * w, y + 76, colour[i], 1.8)
        for j in range(stride * uf, left):
            f.path(
                f"M {x0 + (j + 0.5) * w:g} {y + 30} C {x0 + (j + 0.3) * w:g} {y + 72}, {x0 + 2.6 * w:g} {y + 52}, {x0 + 0.9 * w:g} {y + 77}",
                FOUR[0],
                1.8,
                True,
                dash="4 3",
            )
        y += 80
        left = items
    f.text(24, 26, "each step down is a launch; a colour is a work-item of that launch", 15, SOFT, "start")
    f.text(656, 330, "solid: its UF elements", 15, SOFT, "end")
    f.text(656, 352, "dashed: left over, for work-item 0", 15, SOFT, "end")
    return f
