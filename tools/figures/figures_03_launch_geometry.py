"""Figures of chapter 03: the launch."""

from draw import FOUR, INK, LINE, PALE, RED, SOFT, WHITE, Figure, figure


@figure("ndrange")
def ndrange():
    n, local, groups = 10, 4, 3
    f = Figure(680, 300, "12 work-items in 3 groups of 4 over 10 elements")
    w, x0 = 47, 76
    marked = 9
    for g in range(groups):
        x = x0 + g * local * w + g * 8
        f.box(x - 3, 34, local * w + 6, 96, "#f4f8fc", FOUR[g], 8)
        f.text(x + local * w / 2, 26, f"work-group {g}", 14, FOUR[g], bold=True)
        for lid in range(local):
            i = g * local + lid  # get_group_id(0) * get_local_size(0) + get_local_id(0)
            inside = i < n  # the guard
            f.box(
                x + lid * w + 3,
                44,
                w - 6,
                76,
                (FOUR[g] if i == marked else PALE[FOUR[g]]) if inside else WHITE,
                FOUR[g] if inside else LINE,
                5,
                dash=None if inside else "3 3",
            )
            ink = WHITE if i == marked else INK if inside else SOFT
            f.text(x + lid * w + w / 2, 73, i, 18, ink, bold=True)
            f.text(x + lid * w + w / 2, 104, lid, 13, ink)
            cx = x + lid * w + w / 2
            if inside:
                f.arrow(cx, 130, 76 + i * 53 + 25, 188, FOUR[g])
            else:
                f.line(cx, 124, cx, 142, LINE, 1.5, dash="3 3")
                f.text(cx, 158, "×", 18, RED, bold=True)
    f.note(12, 72, "global id", SOFT, 12.5)
    f.note(12, 104, "local id", SOFT, 12.5)
    for i in range(n):
        g = i // local
        f.label(76 + i * 53, 190, 50, 34, f"[{i}]", FOUR[g], 14)
    f.note(12, 211, "array", SOFT, 12.5)
    f.note(x0, 250, "the guard keeps work-items 10 and 11 from touching memory past the end", RED)
    f.text(
        x0,
        276,
        f"work-item {marked}: group {marked // local}, local id {marked % local}, and {marked // local} · {local} + {marked % local} = {marked}",
        13,
        FOUR[marked // local],
        "start",
        True,
    )
    return f


@figure("grid-stride")
def grid_stride():
    n, global_size = 10, 4
    f = Figure(680, 262, "Grid-stride loop: 4 work-items, 10 elements")
    w, x0, y0 = 56, 60, 158
    owner = [None] * n
    rounds = [0] * n
    for item in range(global_size):
        turn = 0
        for i in range(item, n, global_size):  # for (i = get_global_id(0); i < n; i += get_global_size(0))
            owner[i], rounds[i] = item, turn
            turn += 1
    for item in range(global_size):
        f.label(x0 + item * w + 3, 46, w - 6, 36, item, FOUR[item], 16, True, strong=True)
        f.arrow(x0 + item * w + w / 2, 82, x0 + item * w + w / 2, y0 - 3, FOUR[item], 1.8)
    f.text(x0, 34, "4 work-items (global size 4)", 14, SOFT, "start", True)
    for i in range(n):
        f.label(x0 + i * w, y0, w, 40, f"[{i}]", FOUR[owner[i]], 14)
        if i + global_size < n:
            a, b = x0 + i * w + w / 2, x0 + (i + global_size) * w + w / 2
            up = 24 + 7 * (i % global_size)
            f.path(
                f"M {a + 7:g} {y0 - 3} C {a + 26:g} {y0 - up - 26:g}, {b - 26:g} {y0 - up - 26:g}, {b:g} {y0 - 3}",
                FOUR[owner[i]],
                1.6,
                True,
            )
    f.text(430, 60, "i += get_global_size(0)", 14, INK, mono=True)
    f.text(430, 82, "each step is as long as the launch", 13, SOFT)
    for r in range(max(rounds) + 1):
        first, last = rounds.index(r), n - 1 - rounds[::-1].index(r)
        a, b = x0 + first * w + 4, x0 + (last + 1) * w - 4
        f.path(f"M {a:g} {y0 + 48} v 8 H {b:g} v -8", SOFT)
        f.text((a + b) / 2, y0 + 76, f"round {r + 1}", 13, SOFT)
    f.text(x0 + n * w - 2, 34, "element i goes to work-item i mod 4", 13, SOFT, "end")
    return f
