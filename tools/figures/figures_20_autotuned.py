"""Figures of chapter 20: the search, and tiles that are cut along K."""

from draw import BLUE, GREEN, INK, ORANGE, PALE, RED, SOFT, VIOLET, Figure, figure


@figure("autotune")
def autotune():
    f = Figure(680, 316, "Autotuning: fit, time, check, remember")
    steps = [
        ("candidates", "a kernel and\nits numbers", INK),
        ("does it fit?", "limits of\nthe device", BLUE),
        ("how fast?", "the fastest of\nits runs", ORANGE),
        ("is it right?", "Freivalds' check,\nO(n²)", GREEN),
    ]
    for i, (name, sub, color) in enumerate(steps):
        x = 24 + i * 165
        f.box(x, 62, 137, 86, PALE[color], color, 6)
        f.text(x + 68, 88, name, 15, INK, bold=True)
        for j, part in enumerate(sub.split("\n")):
            f.text(x + 68, 110 + j * 18, part, 13, SOFT)
        if i:
            f.arrow(x - 27, 105, x - 3, 105, SOFT, 2)
    f.path("M 587 62 V 38 H 92 V 58", SOFT, 1.8, True)
    f.text(340, 30, "right: the next one; after the last one, the best four once more", 13, SOFT)
    f.label(354, 196, 137, 34, "left out", RED, 14.5, True)
    f.path("M 422 148 V 192", RED, 1.8, True)
    f.text(414, 176, "does not build or launch", 12.5, RED, "end")
    f.path("M 560 148 V 213 H 495", RED, 1.8, True)
    f.text(552, 176, "wrong", 12.5, RED, "end")
    f.label(
        100,
        250,
        391,
        50,
        "the fastest one of those that are right",
        VIOLET,
        14.5,
        True,
        sub="right at an odd size and at yours? Then it is remembered",
    )
    f.path("M 628 148 V 275 H 495", VIOLET, 1.8, True)
    f.text(620, 236, "after two", 12.5, VIOLET, "end")
    f.text(620, 252, "rounds", 12.5, VIOLET, "end")
    return f


@figure("cut-tiles")
def cut_tiles():
    f = Figure(680, 262, "Five tiles for three work-groups, whole and cut along K")
    steps, left, step = 6, 92, 20
    colors = [BLUE, BLUE, BLUE, ORANGE, VIOLET]

    def piece(row, at, tile, first, last):
        """The steps first to last along K of a tile, beginning at a time, in a group's row."""
        x, y, wide = left + at * step, row, (last - first) * step
        f.box(x, y, wide - 3, 30, PALE[colors[tile]], colors[tile], 3)
        whole = last - first == steps
        name = f"tile {tile}" if whole or last - first > 3 else str(tile)
        f.text(x + (wide - 3) / 2, y + 20, name, 13, INK)

    def groups(y, title):
        f.text(24, y - 12, title, 14, INK, "start", bold=True)
        for group in range(3):
            f.text(24, y + group * 38 + 20, f"group {group}", 13, SOFT, "start")
            piece(y + group * 38, 0, group, 0, steps)

    groups(42, "whole")
    piece(42, steps, 3, 0, steps)
    piece(80, steps, 4, 0, steps)
    f.text(left + 9 * step, 138, "idle", 13, RED)
    f.arrow(left, 172, left + 12 * step, 172, SOFT, 1.6)
    f.text(left + 6 * step, 190, "12 steps of time", 13, SOFT)
    left = 454
    f.text(386, 30, "the last two cut", 14, INK, "start", bold=True)
    for group in range(3):
        f.text(386, 62 + group * 38, f"group {group}", 13, SOFT, "start")
        piece(42 + group * 38, 0, group, 0, steps)
    piece(42, 6, 3, 0, 4)
    piece(80, 6, 3, 4, 6)
    piece(80, 8, 4, 0, 2)
    piece(118, 6, 4, 2, 6)
    f.arrow(left, 172, left + 10 * step, 172, SOFT, 1.6)
    f.text(left + 5 * step, 190, "10 steps of time", 13, SOFT)
    f.text(
        340,
        232,
        "tile 3 = 4 steps of group 0 + 2 of group 1;  tile 4 = 2 of group 1 + 4 of group 2;  whoever is last adds",
        13,
        INK,
    )
    return f
