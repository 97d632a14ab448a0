"""The figure of chapter 24: SUMMA on a grid of 2 × 2 processes, and what happens when."""

from draw import BLUE, GREEN, INK, LINE, ORANGE, PALE, SOFT, VIOLET, WHITE, Figure, figure

COLORS = [[BLUE, GREEN], [VIOLET, ORANGE]]  # of the processes 0, 1 / 2, 3


@figure("several-machines")
def several_machines():
    f = Figure(
        680,
        470,
        "SUMMA: a panel of A goes along the rows of the grid, one of B along its columns; the next is on its way",
    )
    f.text(24, 28, "4 processes in a grid of 2 × 2: each has a block of A, of B and of C", 15, INK, "start", True)
    side, ax, bx, cx, ay, by = 64, 60, 236, 236, 220, 56

    def blocks(x, y, name):
        for i in range(2):
            for j in range(2):
                color = COLORS[i][j]
                f.box(x + j * side, y + i * side, side, side, PALE[color], color, 0, 1.4)
                f.text(x + (j + 0.5) * side, y + (i + 0.5) * side + 5, f"{2 * i + j}", 14, color, bold=True)
        f.text(x - 10, y + 14, name, 15, INK, "end", True)

    blocks(ax, ay, "A")
    blocks(bx, by, "B")
    blocks(cx, ay, "C")
    # The panel: a strip of columns of A, and the strip of rows of B with the same k.
    f.box(ax + 4, ay, 14, 2 * side, "none", INK, 0, 2.6)
    f.box(bx, by + 4, 2 * side, 14, "none", INK, 0, 2.6)
    f.text(ax + 40, ay - 24, "panel of A", 13, INK)
    f.text(ax + 40, ay - 8, "(columns k)", 13, SOFT)
    f.text(bx - 12, by + 34, "panel of B (rows k)", 13, INK, "end")
    for i in range(2):
        f.arrow(ax + 20, ay + (i + 0.5) * side + 16, cx - 4, ay + (i + 0.5) * side + 16, COLORS[i][0], 2)
    for j in range(2):
        f.arrow(bx + (j + 0.5) * side + 16, by + 20, bx + (j + 0.5) * side + 16, ay - 4, COLORS[0][j], 2)
    x = 392
    for row, line in enumerate(
        [
            "Along a row of the grid, the process",
            "that has these columns of A sends its",
            "rows of them; along a column, the one",
            "with these rows of B its columns.",
            "",
            "Then each has what it needs for one",
            "step of its block: C += panel · panel",
            "",
            "Nobody ever has all of a matrix.",
        ]
    ):
        if line:
            f.text(x, 100 + row * 22, line, 14, INK if row < 7 else SOFT, "start")
    # What happens when.
    f.text(
        24, 384, "In time: the next panel is on its way while the device multiplies this one", 15, INK, "start", True
    )
    top, left, step = 402, 96, 138
    for row, name in enumerate(["network", "device"]):
        f.text(left - 12, top + 17 + row * 30, name, 14, INK, "end")
        f.line(left, top + 24 + row * 30, 656, top + 24 + row * 30, LINE, 0.8)
    for p in range(4):
        f.box(left + p * step, top, step - 34, 22, PALE[BLUE], BLUE, 2, 1.4)
        f.text(left + p * step + (step - 34) / 2, top + 16, f"panel {p}", 13, BLUE)
        if p < 3:
            f.box(left + (p + 1) * step, top + 30, step - 22, 22, PALE[GREEN], GREEN, 2, 1.4)
            f.text(left + (p + 1) * step + (step - 22) / 2, top + 46, f"C += panel {p}", 13, GREEN)
    f.box(left, top + 30, step - 4, 22, WHITE, LINE, 2, 1, "3 2")
    f.text(left + step / 2, top + 46, "nothing to do yet", 13, SOFT)
    return f
