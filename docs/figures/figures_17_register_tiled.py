"""Figures of chapter 17: tiles in registers."""
from draw import BLUE, Figure, GREEN, INK, ORANGE, PALE, SOFT, figure


@figure("register-tile")
def register_tile():
    """Chapter 17: a 4×4 tile of C in registers: 8 values read, 16 multiply-adds."""
    t, cell = 4, 34
    f = Figure(680, 312, "A tile of C in registers")
    cx, cy = 250, 116
    for i in range(t):
        f.label(cx - 64, cy + i * cell + 3, 42, cell - 6, f"a{i}", BLUE, 14)
        f.label(cx + i * cell + 2, cy - 56, cell - 4, 34, f"b{i}", GREEN, 14)
        for j in range(t):
            f.box(cx + j * cell, cy + i * cell, cell, cell, PALE[ORANGE], ORANGE, 0, 1)
            f.text(cx + (j + .5) * cell, cy + (i + .5) * cell + 4, f"a{i}b{j}", 11.5)
        f.line(cx - 22, cy + (i + .5) * cell, cx - 2, cy + (i + .5) * cell, BLUE, 1.4)
        f.line(cx + (i + .5) * cell, cy - 22, cx + (i + .5) * cell, cy - 2, GREEN, 1.4)
    f.text(170, cy - 34, "4 values of A's column k", 13, BLUE, "end")
    f.text(170, cy - 16, "from local memory", 13, SOFT, "end")
    f.text(cx + t * cell + 16, cy - 38, "4 values of B's row k", 13, GREEN, "start")
    f.text(cx + t * cell + 16, cy - 20, "from local memory", 13, SOFT, "start")
    f.text(cx + t * cell + 16, cy + 52, "sums[4][4] stay in registers", 13.5, ORANGE, "start")
    f.text(cx + t * cell + 16, cy + 74, "of one work-item", 13.5, ORANGE, "start")
    f.text(24, 30, "for each k: 8 values read, 16 multiply-adds", 15, INK, "start", True)
    f.text(24, 280, "one element per work-item (09): 2 reads for 1 multiply-add", 13, SOFT, "start")
    f.text(24, 300, "a column of 4 (10): 5 reads for 4;   a tile of 4×4: 8 reads for 16;   a tile of 8×8: 16 reads for 64", 13, SOFT, "start")
    return f
