"""Figures of chapter 18: loading and multiplying, one after the other and at the same time."""

from draw import BLUE, GREEN, INK, ORANGE, PALE, RED, SOFT, Figure, figure


@figure("double-buffering")
def double_buffering():
    """Four steps of chapter 17 and of chapter 18 on one time axis."""
    f = Figure(680, 330, "One pair of tiles, and two")
    left, load, store, mult, h = 132, 50, 12, 60, 34

    def bar(x, y, width, text, color):
        f.label(x + 1, y, width - 2, h, text, color, 13)

    def stored(x, y):
        f.box(x + 1, y, store - 3, 2 * h + 8, PALE[ORANGE], ORANGE, 2)

    def barrier(x, y):
        f.line(x, y - 4, x, y + 2 * h + 12, RED, 2)

    f.text(24, 30, "chapter 17: one pair of tiles", 15, INK, "start", True)
    f.text(24, 65, "memory", 13, SOFT, "start")
    f.text(24, 107, "arithmetic", 13, SOFT, "start")
    x = left
    for i in range(4):
        bar(x, 44, load, f"load {i}", BLUE)
        stored(x + load, 44)
        barrier(x + load + store, 44)
        bar(x + load + store, 86, mult, f"mult. {i}", GREEN)
        x += load + store + mult
        barrier(x, 44)
    f.text(x + 10, 107, "…", 16, SOFT, "start")

    f.text(24, 170, "chapter 18: two pairs, in half 0 and half 1 of local memory", 15, INK, "start", True)
    f.text(24, 205, "memory", 13, SOFT, "start")
    f.text(24, 247, "arithmetic", 13, SOFT, "start")
    f.text(24, 282, "stored", 12.5, SOFT, "start")
    f.text(24, 300, "read", 12.5, SOFT, "start")
    bar(left, 184, load, "load 0", BLUE)
    stored(left + load, 184)
    f.text(left + load, 282, "into 0", 12.5, ORANGE)
    x = left + load + store
    barrier(x, 184)
    for i in range(4):
        bar(x, 184, load, f"load {i + 1}", BLUE)
        bar(x, 226, mult, f"mult. {i}", GREEN)
        stored(x + mult, 184)
        f.text(x + mult, 282, f"into {(i + 1) % 2}", 12.5, ORANGE)
        f.text(x + mult / 2, 300, f"from {i % 2}", 12.5, GREEN)
        x += mult + store
        barrier(x, 184)
    f.text(x + 10, 247, "…", 16, SOFT, "start")
    f.text(x + 40, 205, "time saved: the loads,", 13, SOFT, "start")
    f.text(x + 40, 223, "but for the first one", 13, SOFT, "start")
    f.line(24, 316, 44, 316, RED, 2)
    f.text(50, 320, "barrier", 13, SOFT, "start")
    f.box(116, 309, store - 3, 14, PALE[ORANGE], ORANGE, 2)
    f.text(131, 320, "store to local memory", 13, SOFT, "start")
    f.arrow(440, 316, 656, 316, SOFT)
    f.text(430, 320, "time", 13, SOFT, "end")
    return f
