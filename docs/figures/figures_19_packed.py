"""Figures of chapter 19: panels."""

from draw import BLUE, GREEN, INK, LINE, ORANGE, PALE, SOFT, WHITE, Figure, figure


@figure("panels")
def panels():
    """A piece of A in rows and as a panel, numbered by address: TM = 2, KS = 4; B with TN = 4."""
    f = Figure(680, 376, "Panels of A and of B")
    cell = 27
    f.text(24, 30, "where the numbers lie in memory", 15, INK, "start", True)

    def matrix(x, y, rows, cols, number, color, chosen):
        for r in range(rows):
            for c in range(cols):
                inside = chosen(r, c)
                f.box(
                    x + c * cell,
                    y + r * cell,
                    cell,
                    cell,
                    PALE[color] if inside else WHITE,
                    color if inside else LINE,
                    0,
                    1,
                )
                f.text(x + (c + 0.5) * cell, y + (r + 0.5) * cell + 4, number(r, c), 11.5, INK if inside else SOFT)

    f.text(24, 62, "A, row by row", 13.5, BLUE, "start")
    matrix(24, 72, 4, 8, lambda r, c: r * 8 + c, BLUE, lambda r, c: r < 2)
    f.text(24, 200, "two rows of A, 8 floats apart", 13, SOFT, "start")
    f.arrow(252, 126, 316, 126, SOFT, 2)
    f.text(284, 116, "pack_a", 12.5, SOFT)
    f.text(328, 62, "A in panels of TM = 2 rows, KS = 4 floats of each", 13.5, BLUE, "start")
    for r in range(2):
        matrix(
            328, 72 + r * 54, 1, 8, lambda _, c, r=r: r * 16 + (0 if c < 4 else 4) + c, BLUE, lambda _, c, r=r: r == 0
        )
        # below: which row of A each piece is from
        for piece in range(2):
            f.text(328 + (piece * 4 + 2) * cell, 116 + r * 54, f"row {2 * r + piece}, k = 0…3", 11.5, SOFT)
    f.text(328 + 8 * cell + 8, 90, "then k = 4…7, …", 12.5, SOFT, "start")
    f.text(328 + 8 * cell + 8, 144, "the next panel", 12.5, SOFT, "start")

    f.text(24, 236, "B, row by row", 13.5, GREEN, "start")
    matrix(24, 246, 4, 8, lambda r, c: r * 8 + c, GREEN, lambda r, c: c < 4)
    f.arrow(252, 300, 316, 300, SOFT, 2)
    f.text(284, 290, "pack_b", 12.5, SOFT)
    f.text(328, 236, "B in panels of TN = 4 columns", 13.5, GREEN, "start")
    for r in range(2):
        matrix(
            328, 246 + r * 54, 1, 8, lambda _, c, r=r: r * 0 + (c // 4 + 2 * r) * 8 + c % 4, GREEN, lambda _, c: True
        )
        for piece in range(2):
            f.text(328 + (piece * 4 + 2) * cell, 290 + r * 54, f"k = {2 * r + piece}", 11.5, SOFT)
    f.text(328 + 8 * cell + 8, 264, "read from left to right,", 12.5, ORANGE, "start")
    f.text(328 + 8 * cell + 8, 280, "a vector at a time", 12.5, ORANGE, "start")
    return f
