"""Figures of chapter 20: the search."""
from draw import BLUE, Figure, GREEN, INK, ORANGE, PALE, SOFT, VIOLET, figure


@figure("autotune")
def autotune():
    f = Figure(680, 250, "Autotuning: try, measure, remember")
    steps = [("candidates", "tile, group,\nregister tile", INK), ("does it fit?", "limits of the\ndevice", BLUE), ("is it right?", "check against\nthe host", GREEN),
             ("how fast?", "median of\nseveral runs", ORANGE)]
    for i, (name, sub, color) in enumerate(steps):
        x = 24 + i * 165
        f.box(x, 44, 137, 86, PALE[color], color, 6)
        f.text(x + 68, 70, name, 15, INK, bold=True)
        for j, part in enumerate(sub.split("\n")):
            f.text(x + 68, 92 + j * 18, part, 13, SOFT)
        if i:
            f.arrow(x - 27, 87, x - 3, 87, SOFT, 2)
    f.path("M 587 130 V 158 H 92 V 134", SOFT, 1.8, True)
    f.text(340, 152, "the next one", 13, SOFT)
    f.label(210, 182, 260, 46, "the fastest, for this device", VIOLET, 14.5, True, sub="written to a file, used at the next start")
    f.arrow(587, 130, 472, 198, VIOLET, 1.8)
    return f
