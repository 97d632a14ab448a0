"""Figures of chapter 19: panels."""

from draw import BLUE, GREEN, INK, LINE, PALE, SOFT, WHITE, figure


@figure("panels", "Panels of A and of B", 376)
def panels(f):
    """A piece of A and of B in rows, and the first panel of each: TM = 2, KS = 4, TN = 4."""
    cell = 27
    f.title_at(24, 30, "where the numbers lie in memory")

    def matrix(x, y, rows, cols, number, color, chosen):
        for r in range(rows):
            for c in range(cols):
                inside = chosen(r, c)
                fill, rim = (PALE[color], color) if inside else (WHITE, LINE)
                f.box(x + c * cell, y + r * cell, cell, cell, fill, rim, 0, 1)
                f.text(x + (c + 0.5) * cell, y + (r + 0.5) * cell + 4, number(r, c), 11.5, INK if inside else SOFT)

    f.note(24, 62, "A, row by row", BLUE, 13.5)
    matrix(24, 72, 4, 8, lambda r, c: r * 8 + c, BLUE, lambda r, c: r < 2)
    f.note(24, 200, "two rows of A, 8 floats apart")
    f.arrow(252, 126, 316, 126, SOFT, 2)
    f.text(284, 116, "pack_a", 12.5, SOFT)
    f.note(328, 62, "panel 0 of A: TM = 2 rows, KS = 4 floats at a time", BLUE, 13.5)
    for line in range(2):  # a panel is one stretch of memory; it takes two lines here
        matrix(328, 72 + line * 54, 1, 8, lambda _, c, k=line * 4: c // 4 * 8 + k + c % 4, BLUE, lambda _, c: True)
        for row in range(2):
            where = f"row {row}, k = {line * 4}…{line * 4 + 3}"
            f.text(328 + (row * 4 + 2) * cell, 116 + line * 54, where, 11.5, SOFT)
    f.note(328 + 8 * cell + 8, 90, "goes on below,", SOFT, 12.5)
    f.note(328 + 8 * cell + 8, 144, "then panel 1", SOFT, 12.5)

    f.note(24, 236, "B, row by row", GREEN, 13.5)
    matrix(24, 246, 4, 8, lambda r, c: r * 8 + c, GREEN, lambda r, c: c < 4)
    f.arrow(252, 300, 316, 300, SOFT, 2)
    f.text(284, 290, "pack_b", 12.5, SOFT)
    f.note(328, 236, "panel 0 of B: TN = 4 columns", GREEN, 13.5)
    for line in range(2):
        matrix(328, 246 + line * 54, 1, 8, lambda _, c, k=line * 2: (c // 4 + k) * 8 + c % 4, GREEN, lambda _, c: True)
        for k in range(2):
            f.text(328 + (k * 4 + 2) * cell, 290 + line * 54, f"k = {2 * line + k}", 11.5, SOFT)
    f.note(328 + 8 * cell + 8, 264, "goes on below,", SOFT, 12.5)
    f.note(328 + 8 * cell + 8, 318, "then panel 1", SOFT, 12.5)
