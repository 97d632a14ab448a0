"""Figures of chapter 18: loading and multiplying, one after the other and at the same time."""

from draw import BLUE, GREEN, INK, ORANGE, RED, SOFT, Figure, figure


@figure("double-buffering")
def double_buffering():
    """Steps of chapter 17 and of chapter 18 on one time axis; a load takes as long as a multiplication here."""
    f = Figure(680, 330, "One pair of tiles, and two")
    step, left, h = 62, 132, 34

    def bar(x, y, text, color):
        f.label(left + x * step + 2, y, step - 4, h, text, color, 13)

    f.text(24, 30, "chapter 17: one pair of tiles", 15, INK, "start", True)
    f.text(24, 65, "memory", 13, SOFT, "start")
    f.text(24, 107, "arithmetic", 13, SOFT, "start")
    for i in range(4):
        bar(2 * i, 44, f"load {i}", BLUE)
        bar(2 * i + 1, 86, f"mult. {i}", GREEN)
    for i in range(1, 8):  # two barriers per step
        f.line(left + i * step, 40, left + i * step, 124, RED, 2)
    f.text(left + 8 * step + 6, 107, "…", 16, SOFT, "start")

    f.text(24, 170, "chapter 18: two pairs, in half 0 and half 1 of local memory", 15, INK, "start", True)
    f.text(24, 205, "memory", 13, SOFT, "start")
    f.text(24, 247, "arithmetic", 13, SOFT, "start")
    for i in range(5):
        bar(i, 184, f"load {i}", BLUE)
        if i:
            bar(i, 226, f"mult. {i - 1}", GREEN)
    bar(5, 226, "mult. 4", GREEN)
    for i in range(5):
        f.text(left + (i + 0.5) * step, 282, f"into {i % 2}", 12.5, ORANGE)
        f.text(left + (i + 1.5) * step, 300, f"from {i % 2}", 12.5, GREEN)
    for i in range(1, 6):
        f.line(left + i * step, 180, left + i * step, 264, RED, 2)
    f.text(24, 282, "stored", 12.5, SOFT, "start")
    f.text(24, 300, "read", 12.5, SOFT, "start")
    f.text(left + 6 * step + 8, 205, "time saved: the loads,", 13, SOFT, "start")
    f.text(left + 6 * step + 8, 223, "but for the first one", 13, SOFT, "start")
    f.line(24, 315, 44, 315, RED, 2)
    f.text(50, 319, "barrier", 13, SOFT, "start")
    f.arrow(440, 315, 656, 315, SOFT)
    f.text(430, 319, "time", 13, SOFT, "end")
    return f
