"""Figures of chapters 08, 09 and 21: matrix, coalescing, tiles; the order of the halves in memory."""

from draw import BLUE, FOUR, GREEN, INK, LINE, ORANGE, PALE, RED, SOFT, VIOLET, WHITE, figure


@figure("matmul", "One element of C: a row of A times a column of B; the launch covers C in work-groups", 532)
def matmul(f):
    M, N, K, side, row, col, cell = 6, 7, 8, 4, 2, 4, 25
    ax, cx, by = 70, 330, 52
    cy = by + K * cell + 46
    f.grid(cx, by, K, N, cell, lambda r, c: "#8fcca5" if c == col else None)
    f.grid(ax, cy, M, K, cell, lambda r, c: "#93bde8" if r == row else None)
    rows, cols = -(-M // side) * side, -(-N // side) * side  # the launch, rounded up to whole groups
    for r in range(rows):
        for c in range(cols):
            if r >= M or c >= N:
                f.box(cx + c * cell, cy + r * cell, cell, cell, "#f1f0ea", LINE, 0, 0.8, "2 3")
    f.grid(cx, cy, M, N, cell, lambda r, c: "#f2b78a" if (r, c) == (row, col) else None)
    for r in range(0, rows, side):
        for c in range(0, cols, side):
            f.box(cx + c * cell, cy + r * cell, side * cell, side * cell, "none", VIOLET, 0, 2.6)
    for r in range(2):
        for c in range(K):  # the order in memory
            f.text(ax + (c + 0.5) * cell, cy + (r + 0.5) * cell + 4, r * K + c, 11.5, SOFT)
    f.text(cx + N * cell / 2, 24, "B: K rows, N columns", 16, GREEN, bold=True)
    f.text(ax + K * cell / 2, cy - 34, "A: M rows, K columns", 16, BLUE, bold=True)
    f.text(ax + K * cell / 2, cy - 12, "small numbers: the order in memory", 13, SOFT)
    f.text(cx + cols * cell + 14, cy + 18, "C: M rows,", 16, ORANGE, "start", True)
    f.text(cx + cols * cell + 14, cy + 38, "N columns", 16, ORANGE, "start", True)
    f.arrow(ax + K * cell + 4, cy + (row + 0.5) * cell, cx + col * cell - 4, cy + (row + 0.5) * cell, BLUE, 2.2)
    f.arrow(cx + (col + 0.5) * cell, by + K * cell + 4, cx + (col + 0.5) * cell, cy + row * cell - 4, GREEN, 2.2)
    f.text(ax - 8, cy + (row + 0.5) * cell + 5, "row", 14.5, BLUE, "end")
    f.text(cx + (col + 0.5) * cell, by - 8, "col", 14.5, GREEN)
    x = cx + N * cell + 22
    f.note(x, by + 44, "sum over k of", SOFT, 15)
    f.text(x, by + 68, "A[row][k]", 15, BLUE, "start", mono=True)
    f.text(x, by + 92, "· B[k][col]", 15, GREEN, "start", mono=True)
    x = cx + cols * cell + 14
    f.note(x, cy + 84, "violet: the\nwork-groups", VIOLET, 14)
    f.note(x, cy + 140, "dashed: work-\nitems outside C", SOFT, 14)
    f.arrow(cx, cy + rows * cell + 12, cx + 130, cy + rows * cell + 12, INK, 1.6)
    f.note(cx + 138, cy + rows * cell + 17, "dimension 0", INK, 14)
    f.arrow(cx - 12, cy + side * cell + 10, cx - 12, cy + rows * cell, INK, 1.6)
    f.text(cx - 20, cy + 6 * cell + 16, "dimension 1", 14, INK, "end")


@figure("coalescing", "Coalesced access: neighbours that read neighbouring addresses share a transaction", 372)
def coalescing(f):
    """Chapter 08: which addresses eight neighbours in dimension 0 read at one moment."""
    N = K = 8
    items, brings, cell, x0 = 8, 8, 9.75, 28  # a transaction brings 8 floats, as in the laboratory
    k = 1
    f.text(656, 65, "circles: work-items 0 to 7", 14, SOFT, "end")
    f.text(656, 162, "memory, address by address", 14, SOFT, "end")
    f.text(656, 338, "red: one transaction, 32 bytes: 8 floats", 14, SOFT, "end")
    for y, title, index in (
        (30, "dimension 0 = columns: neighbours read b[k * N + col]", lambda i: k * N + i),
        (206, "dimension 0 = rows: neighbours read a[row * K + k]", lambda i: i * K + k),
    ):
        f.title_at(24, y, title, 16)
        read = {index(i): i for i in range(items)}
        used = sorted({place // brings for place in read})
        for place in range(items * N):
            f.box(x0 + place * cell, y + 76, cell, 26, WHITE, LINE, 0, 0.8)
        brought = set()
        for place, i in read.items():
            f.moment()
            f.box(x0 + place * cell, y + 76, cell, 26, FOUR[i % 4], LINE, 0, 0.8)
            s = place // brings
            if s not in brought:
                f.box(x0 + s * brings * cell + 0.5, y + 73, brings * cell - 1, 32, "none", RED, 3, 3)
            brought.add(s)
            x = x0 + (i * 4 + 4 if y < 100 else i * 8 + 4) * cell
            f.box(x - 13, y + 16, 26, 26, PALE[FOUR[i % 4]], FOUR[i % 4], 13)
            f.text(x, y + 34.25, i, 15)
            f.arrow(x, y + 43, x0 + (place + 0.5) * cell, y + 74, FOUR[i % 4], 1.8)
        f.moment()
        what = f"{len(used)} transaction{'s' * (len(used) > 1)}, {items} of {len(used) * brings} floats used"
        f.note(24, y + 132, what, RED, 16)


@figure("tiling", "Tiling: one work-group computes one tile of C, step by step along K", 400)
def tiling(f):
    """Chapter 09: the tiles that one work-group reads, step by step."""
    tile, M, N, K, cell = 2, 4, 4, 6, 18
    group = (1, 0)  # get_group_id(1), get_group_id(0)
    a_rows, b_cols = (range(g * tile, (g + 1) * tile) for g in group)
    steps = [
        "copy: each work-item brings one element of each tile",
        "barrier: both tiles are complete",
        "use: each work-item adds TILE products, from local memory",
        "barrier: everyone has read them; on to the next step",
    ]
    for i, text in enumerate(steps):
        f.box(24, 270 + i * 30, 24, 24, INK, INK, 12)
        f.text(36, 288 + i * 30, i + 1, 16, WHITE, bold=True)
        f.note(60, 288 + i * 30, text, INK, 17)
    for s, first in enumerate(range(0, K, tile)):  # for (first = 0; first < K; first += TILE)
        if s:
            f.moment()
        ks = range(first, first + tile)
        x0 = 24 + s * 218
        cx, cy = x0 + K * cell + 12, 30 + K * cell + 12
        f.grid(cx, 30, K, N, cell, lambda r, c, ks=ks: "#8fcca5" if r in ks and c in b_cols else None)
        f.grid(x0, cy, M, K, cell, lambda r, c, ks=ks: "#93bde8" if r in a_rows and c in ks else None)
        f.grid(cx, cy, M, N, cell, lambda r, c: "#f2b78a" if r in a_rows and c in b_cols else None)
        f.title_at(x0, 48, f"step {s + 1}", 18)
        f.note(x0, 72, f"first = {first}", SOFT, 16)
        f.text(x0 + 2, cy - 10, "A", 18, BLUE, "start", True)
        f.text(cx - 8, 46, "B", 18, GREEN, "end", True)
        f.text(cx + N * cell - 2, cy + M * cell + 20, "C", 18, ORANGE, "end", True)


@figure("fragments", "How the halves lie in memory: fragments of two rows and four values of k", 406)
def fragments(f):
    cell, x0 = 30, 90
    f.title_at(24, 30, "A slice of a tile, its first four of TILE rows: 16 values of k, in fragments")
    f.grid(x0, 60, 4, 16, cell, lambda _, k: PALE[FOUR[k // 4]])
    for i, label in [*enumerate(range(16)), (-1.4, "k =")]:
        f.text(x0 + (i + 0.5) * cell, 54, label, 13, SOFT)
    f.note(40, 80, "row 0\nrow 1\nrow 2\nrow 3", step=cell)
    for i in range(8):
        x, y = x0 + i % 4 * 4 * cell, 60 + i // 4 * 2 * cell
        f.box(x, y, 4 * cell, 2 * cell, "none", FOUR[i % 4], 0, 2.6)
        f.box(x + 1.5 * cell, y + 0.6 * cell, cell, 0.8 * cell, PALE[FOUR[i % 4]], "none")
        f.text(x + 2 * cell, y + 36, i, 17, FOUR[i % 4], bold=True)
    f.title_at(24, 218, "In memory: fragment after fragment, then the next slice of the tile")
    for x, words in ((24, "the big halves: 2·TILE fragments"), (340, "the small halves: as many")):
        f.cells(x, 230, 34, 34, [*range(8), "…"], [*FOUR, *FOUR, INK], 14)
        f.text(x + 153, 284, words, 14, SOFT)
    f.title_at(24, 322, "Fragment 0: eight halves, 16 bytes; each is written as row, k")
    for y, of, order in ((334, "of A", "01452367"), (368, "of B", "01234567")):  # A's: v.s01452367 in the kernel
        f.text(x0 - 12, y + 20, of, 14, INK, "end", bold=True)
        f.cells(x0, y, 2 * cell, 28, [f"{int(i) // 4}, {int(i) % 4}" for i in order], FOUR[:1] * 8, 14)
