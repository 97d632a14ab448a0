"""Figures of chapters 11 and 12: rounding, levels."""

from draw import FOUR, GREY, INK, LINE, ORANGE, PALE, SOFT, TEAL, WHITE, figure


@figure("rounding-path", "How many roundings a term goes through", 352)
def rounding_path(f):
    """Chapter 11: the longest way of a term to its partial sum. A + is an addition: what comes from its left or from above."""
    items, per = 4, 4
    x0, w, box = 40, 38, 20

    def plus(x, y, mine):
        f.add("circle", cx=x, cy=y, r=8, fill=WHITE, stroke=ORANGE if mine else LINE, stroke_width=1.6)
        f.text(x, y + 5, "+", 15, ORANGE if mine else SOFT, bold=mine)

    def way(x1, y1, x2, y2, mine):
        f.line(x1, y1, x2, y2, ORANGE if mine else LINE, 2.6 if mine else 1.5, True)

    f.note(24, 28, "each + is an addition, and each addition rounds", SOFT, 16)
    heads = []
    for item in range(items):
        base, mine = x0 + item * 162, item == 0
        for t in range(per):
            x = base + t * w
            f.box(x - box / 2, 46, box, box, "#f2b78a" if mine and t == 0 else PALE[FOUR[item]], FOUR[item], 3)
            if t:
                way(x, 67, x, 80, False)
        f.line(base, 67, base, 90, ORANGE if mine else LINE, 2.6 if mine else 1.5)
        for t in range(1, per):
            way(base + (t - 1) * w + (8 if t > 1 else 0), 89, base + t * w - 9, 89, mine)
        for t in range(1, per):
            plus(base + t * w, 89, mine)
        heads.append(base + (per - 1) * w)
        f.text(base + 0.9 * w, 118, f"work-item {item}", 14, FOUR[item])
    pos, y, active = heads, 132, items // 2
    for i, x in enumerate(heads):
        way(x, 98, x, y - 1, i == 0)
        f.label(x - 29, y, 58, 24, f"sums[{i}]", GREY, 12, mono=True)
    while active:
        for lid in range(active):
            way(pos[lid], y + 25, pos[lid], y + 39, lid == 0)
            way(pos[lid + active] - 24, y + 25, pos[lid] + 9, y + 49, False)
            plus(pos[lid], y + 49, lid == 0)
            way(pos[lid], y + 58, pos[lid], y + 71, lid == 0)
            f.label(pos[lid] - 29, y + 72, 58, 24, f"sums[{lid}]", GREY, 12, mono=True)
        y += 72
        active //= 2
    f.note(heads[0] + 190, y + 2, "additions in a row, one for each element,", ORANGE, 15)
    f.note(heads[0] + 190, y + 22, "then log₂(local size) steps of the tree", ORANGE, 15)
    f.text(heads[0] - 36, y + 17, "partial sum", 14, SOFT, "end")
    f.note(24, 332, "orange: the longest path, on which the first element is rounded most often", INK, 15)


@figure("unrolled", "The unrolled sum, level by level: N = 11, UF = 2", 390)
def unrolled(f):
    """Chapter 12: the levels, with the kernel's index arithmetic."""
    colour = FOUR + [TEAL]  # one for each work-item of the first level
    n, uf = 11, 2
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
            f.title_at(x0 + w + 14, y + 20, "the sum of all", 13.5)
            break
        for i in range(items):
            for k in range(uf):
                f.arrow(x0 + (i + k * stride + 0.5) * w, y + 30, x0 + (i + 0.38 + 0.24 * k) * w, y + 76, colour[i], 1.8)
        for j in range(stride * uf, left):
            curve = f"C {x0 + (j + 0.3) * w:g} {y + 72}, {x0 + 2.6 * w:g} {y + 52}, {x0 + 0.9 * w:g} {y + 77}"
            f.path(f"M {x0 + (j + 0.5) * w:g} {y + 30} {curve}", FOUR[0], 1.8, True, dash="4 3")
        y += 80
        left = items
    f.note(24, 26, "each step down is a launch; a colour is a work-item of that launch", SOFT, 15)
    f.text(656, 330, "solid: its UF elements", 15, SOFT, "end")
    f.text(656, 352, "dashed: left over, for work-item 0", 15, SOFT, "end")
