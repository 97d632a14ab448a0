"""Figures of chapter 03: the launch."""

from draw import FOUR, INK, LINE, PALE, RED, SOFT, WHITE, figure


@figure("ndrange", "12 work-items in 3 groups of 4 over 10 elements", 300)
def ndrange(f):
    n, local, groups, marked = 10, 4, 3, 9
    w, x0 = 47, 76
    for g in range(groups):
        x, color = x0 + g * local * w + g * 8, FOUR[g]
        f.box(x - 3, 34, local * w + 6, 96, "#f4f8fc", color, 8)
        f.text(x + local * w / 2, 26, f"work-group {g}", 14, color, bold=True)
        for lid in range(local):
            i = g * local + lid  # get_group_id(0) * get_local_size(0) + get_local_id(0)
            left, middle = x + lid * w + 3, x + lid * w + w / 2
            if i < n:  # the guard
                f.box(left, 44, w - 6, 76, color if i == marked else PALE[color], color, 5)
                f.arrow(middle, 130, 76 + i * 53 + 25, 188, color)
            else:
                f.box(left, 44, w - 6, 76, WHITE, LINE, 5, dash="3 3")
                f.line(middle, 124, middle, 142, LINE, 1.5, dash="3 3")
                f.text(middle, 158, "×", 18, RED, bold=True)
            ink = WHITE if i == marked else INK if i < n else SOFT
            f.text(middle, 73, i, 18, ink, bold=True)
            f.text(middle, 104, lid, 13, ink)
    for y, what in ((72, "global id"), (104, "local id"), (211, "array")):
        f.note(12, y, what, SOFT, 12.5)
    for i in range(n):
        f.label(76 + i * 53, 190, 50, 34, f"[{i}]", FOUR[i // local], 14)
    f.note(x0, 250, "the guard keeps work-items 10 and 11 from touching memory past the end", RED)
    g, lid = divmod(marked, local)
    sentence = f"work-item {marked}: group {g}, local id {lid}, and {g} · {local} + {lid} = {marked}"
    f.text(x0, 276, sentence, 13, FOUR[g], "start", True)


@figure("grid-stride", "Grid-stride loop: 4 work-items, 10 elements", 262)
def grid_stride(f):
    n, global_size = 10, 4
    w, x0, y0 = 56, 60, 158
    owner, rounds = [None] * n, [0] * n
    for item in range(global_size):
        # for (i = get_global_id(0); i < n; i += get_global_size(0))
        for turn, i in enumerate(range(item, n, global_size)):
            owner[i], rounds[i] = item, turn
    for item in range(global_size):
        f.label(x0 + item * w + 3, 46, w - 6, 36, item, FOUR[item], 16, True, strong=True)
        f.arrow(x0 + item * w + w / 2, 82, x0 + item * w + w / 2, y0 - 3, FOUR[item], 1.8)
    f.text(x0, 34, "4 work-items (global size 4)", 14, SOFT, "start", True)
    for i in range(n):
        f.label(x0 + i * w, y0, w, 40, f"[{i}]", FOUR[owner[i]], 14)
        if i + global_size < n:
            a, b = x0 + i * w + w / 2, x0 + (i + global_size) * w + w / 2
            top = y0 - 50 - 7 * (i % global_size)
            curve = f"M {a + 7:g} {y0 - 3} C {a + 26:g} {top:g}, {b - 26:g} {top:g}, {b:g} {y0 - 3}"
            f.path(curve, FOUR[owner[i]], 1.6, True)
    f.text(430, 60, "i += get_global_size(0)", 14, INK, mono=True)
    f.text(430, 82, "each step is as long as the launch", 13, SOFT)
    for r in range(max(rounds) + 1):
        first, last = rounds.index(r), n - 1 - rounds[::-1].index(r)
        a, b = x0 + first * w + 4, x0 + (last + 1) * w - 4
        f.path(f"M {a:g} {y0 + 48} v 8 H {b:g} v -8", SOFT)
        f.text((a + b) / 2, y0 + 76, f"round {r + 1}", 13, SOFT)
    f.text(x0 + n * w - 2, 34, "element i goes to work-item i mod 4", 13, SOFT, "end")
