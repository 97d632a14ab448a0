"""Figures of chapter 20: the search."""

from draw import BLUE, GREEN, INK, ORANGE, PALE, RED, SOFT, VIOLET, Figure, figure


@figure("autotune")
def autotune():
    f = Figure(680, 292, "Autotuning: try, check, measure, remember")
    steps = [
        ("candidates", "kernel, tile, group,\nregister tile", INK),
        ("does it fit?", "limits of\nthe device", BLUE),
        ("how fast?", "the fastest of\nits runs", ORANGE),
        ("is it right?", "Freivalds' check,\nO(n²)", GREEN),
    ]
    for i, (name, sub, color) in enumerate(steps):
        x = 24 + i * 165
        f.box(x, 44, 137, 86, PALE[color], color, 6)
        f.text(x + 68, 70, name, 15, INK, bold=True)
        for j, part in enumerate(sub.split("\n")):
            f.text(x + 68, 92 + j * 18, part, 13, SOFT)
        if i:
            f.arrow(x - 27, 87, x - 3, 87, SOFT, 2)
    f.path("M 567 130 V 172 H 92 V 134", SOFT, 1.8, True)
    f.text(250, 166, "the next one; then the best four once more", 13, SOFT)
    f.text(506, 192, "not right, not built, not launched: left out", 12.5, RED)
    f.label(
        180,
        218,
        320,
        50,
        "the fastest that is right, for this device",
        VIOLET,
        14.5,
        True,
        sub="checked at an odd size, written to a file",
    )
    f.path("M 640 130 V 243 H 504", VIOLET, 1.8, True)
    return f
