"""The figure of chapter 21: the order of the halves in memory."""

from draw import FOUR, INK, PALE, SOFT, figure


@figure("fragments", "How the halves lie in memory: fragments of two rows and four values of k", 424)
def fragments(f):
    cell, x0 = 30, 90
    f.title_at(24, 30, "A slice of a tile: 16 values of k of each row, in fragments")
    f.grid(x0, 60, 4, 16, cell, lambda _, k: PALE[FOUR[k // 4]])
    for i, label in [*enumerate(range(16)), (-1.4, "k =")]:
        f.text(x0 + (i + 0.5) * cell, 54, label, 13, SOFT)
    f.note(40, 80, "row 0\nrow 1\nrow 2\nrow 3", step=cell)
    for i in range(8):
        x, y = x0 + i % 4 * 4 * cell, 60 + i // 4 * 2 * cell
        f.box(x, y, 4 * cell, 2 * cell, "none", FOUR[i % 4], 0, 2.6)
        f.box(x + 1.5 * cell, y + 0.6 * cell, cell, 0.8 * cell, PALE[FOUR[i % 4]], "none")
        f.text(x + 2 * cell, y + 36, i, 17, FOUR[i % 4], bold=True)
    f.text(x0 + 8 * cell, 200, "and so on, to row TILE − 1", 13, SOFT)
    f.title_at(24, 236, "In memory: fragment after fragment, then the next slice of the tile")
    for x, words in ((24, "the big halves: 2·TILE fragments"), (340, "the small halves: as many")):
        f.cells(x, 248, 34, 34, [*range(8), "…"], [*FOUR, *FOUR, INK], 14)
        f.text(x + 153, 302, words, 14, SOFT)
    f.title_at(24, 340, "Fragment 0: eight halves, 16 bytes; each is written as row, k")
    for y, of, order in ((352, "of A", "01452367"), (386, "of B", "01234567")):  # A's: v.s01452367 in the kernel
        f.text(x0 - 12, y + 20, of, 14, INK, "end", bold=True)
        f.cells(x0, y, 2 * cell, 28, [f"{int(i) // 4}, {int(i) % 4}" for i in order], FOUR[:1] * 8, 14)
