"""Figures of chapter 20: the search."""

from draw import BLUE, GREEN, INK, ORANGE, PALE, RED, SOFT, VIOLET, Figure, figure


@figure("autotune")
def autotune():
    f = Figure(680, 316, "Autotuning: fit, time, check, remember")
    steps = [
        ("candidates", "a kernel and its\nfive numbers", INK),
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
