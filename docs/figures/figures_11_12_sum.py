"""Figures of chapters 11 and 12: rounding, levels."""
from draw import FOUR, Figure, GREY, INK, LINE, ORANGE, PALE, SOFT, figure


@figure("rounding-path")
def rounding_path():
    """Chapter 11: the longest way of a term to its partial sum."""
    f = Figure(680, 300, "How many roundings a term goes through")
    n, items = 24, 4
    per = n // items
    x0, w = 34, 25
    f.text(24, 28, "each arrow is an addition, and each addition rounds", 14, SOFT, "start")
    heads = []
    for item in range(items):
        base = x0 + item * 158
        for t in range(per):
            strong = item == 0
            f.box(base + t * w - 9, 50, 18, 18, "#f2b78a" if strong and t == 0 else PALE[FOUR[item]], FOUR[item], 3)
            if t:
                f.arrow(base + (t - 1) * w + 9, 59, base + t * w - 10, 59, ORANGE if strong else LINE, 2.4 if strong else 1.3)
        heads.append(base + (per - 1) * w)
    f.text(heads[0] + 10, 92, "terms: ⌈N / global size⌉", 12.5, ORANGE, "start")
    y, active = 118, items // 2
    pos = heads
    for x in heads:
        f.box(x - 10, y, 20, 20, GREY, SOFT, 3)
        f.line(x, 70, x, y - 1, ORANGE if x == heads[0] else LINE, 1.4)
    while active:
        for l in range(active):
            strong = l == 0
            f.arrow(pos[l], y + 20, pos[l], y + 54, ORANGE if strong else LINE, 2.4 if strong else 1.3)
            f.arrow(pos[l + active], y + 20, pos[l] + 8, y + 54, LINE, 1.3)
            f.box(pos[l] - 10, y + 55, 20, 20, GREY, SOFT, 3)
        y += 55
        active //= 2
    f.text(heads[0] + 180, y + 4, "then the tree: log₂(local size) steps", 13, ORANGE, "start")
    f.text(heads[0] - 18, y + 15, "partial sum", 13, SOFT, "end")
    f.text(24, 284, "error ≤ (terms on the longest path) · ε · Σ|x|", 14.5, INK, "start", True)
    f.text(400, 284, "ε = 2⁻²³: the step between floats at 1", 13, SOFT, "start")
    return f


@figure("unrolled")
def unrolled():
    """Chapter 12: the levels, with the kernel's index arithmetic."""
    n, uf = 11, 2
    f = Figure(680, 322, "The unrolled sum, level by level: N = 11, UF = 2")
    w, x0, y = 52, 82, 34
    left = n
    level = 0
    while True:
        f.text(24, y + 21, f"n = {left}", 13.5, INK, "start", mono=True)
        stride = left // uf  # stride = n / UF
        items = max(1, stride)
        colors = []
        for i in range(left):
            # element i is read by work-item i mod stride; the n mod UF left over by work-item 0
            owner = i % stride if i < stride * uf else 0
            colors.append(FOUR[owner % 4] if left > 1 else INK)
        f.cells(x0, y, w, 30, [f"[{i}]" for i in range(left)], colors, 13)
        if left == 1:
            f.text(x0 + w + 14, y + 20, "the sum of all", 13.5, INK, "start", True)
            break
        for i in range(items):
            for k in range(uf):
                f.arrow(x0 + (i + k * stride + .5) * w, y + 30, x0 + (i + .38 + .24 * k) * w, y + 60, FOUR[i % 4], 1.6)
        for j in range(stride * uf, left):
            f.path(f"M {x0 + (j + .5) * w:g} {y + 30} C {x0 + (j + .3) * w:g} {y + 52}, {x0 + 2.2 * w:g} {y + 42}, {x0 + .86 * w:g} {y + 61}", FOUR[0], 1.6, True, dash="4 3")
        level += 1
        y += 64 if level < 9 else 0
        left = items
    f.text(656, 298 - 4, "solid: UF elements each", 13, SOFT, "end")
    f.text(656, 312 - 1, "dashed: left over, for work-item 0", 13, SOFT, "end")
    f.text(656, 26, "one colour, one work-item; one row, one launch", 13, SOFT, "end")
    return f
