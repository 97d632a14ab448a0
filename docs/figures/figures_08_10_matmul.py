"""Figures of chapters 08 to 10: matrix, tiles, more work per thread."""
from draw import BLUE, Figure, GREEN, INK, LINE, ORANGE, PALE, SOFT, WHITE, figure


def matrix(f, x, y, rows, cols, cell, color_of, name=None, below=None):
    for r in range(rows):
        for c in range(cols):
            color = color_of(r, c)
            fill = PALE.get(color, color) if color else WHITE
            f.box(x + c * cell, y + r * cell, cell, cell, fill, LINE, 0, 0.8)
    if name:
        f.text(x + cols * cell / 2, y - 9, name, 15, INK, bold=True)
    if below:
        f.text(x + cols * cell / 2, y + rows * cell + 19, below, 13, SOFT)


@figure("matmul")
def matmul():
    M, N, K, row, col, cell = 6, 7, 8, 2, 4, 24
    f = Figure(680, 446, "One element of C: a row of A times a column of B")
    ax, cx, by = 90, 330, 44
    cy = by + K * cell + 34
    matrix(f, cx, by, K, N, cell, lambda r, c: GREEN if c == col else None)
    matrix(f, ax, cy, M, K, cell, lambda r, c: BLUE if r == row else None)
    matrix(f, cx, cy, M, N, cell, lambda r, c: "#f2b78a" if (r, c) == (row, col) else None)
    f.text(cx + N * cell / 2, 30, "B: K×N", 15, GREEN, bold=True)
    f.text(ax + K * cell / 2, cy - 12, "A: M×K", 15, BLUE, bold=True)
    f.text(cx + N * cell + 12, cy + M * cell - 6, "C: M×N", 15, ORANGE, "start", True)
    f.arrow(ax + K * cell + 4, cy + (row + .5) * cell, cx + col * cell - 4, cy + (row + .5) * cell, BLUE, 2)
    f.arrow(cx + (col + .5) * cell, by + K * cell + 4, cx + (col + .5) * cell, cy + row * cell - 4, GREEN, 2)
    f.text(ax - 10, cy + (row + .5) * cell + 5, "row", 13, BLUE, "end")
    f.text(cx + N * cell + 14, by + 40, "sum over k of", 13.5, SOFT, "start")
    f.text(cx + N * cell + 14, by + 62, "A[row][k]", 14, BLUE, "start", mono=True)
    f.text(cx + N * cell + 14, by + 84, "· B[k][col]", 14, GREEN, "start", mono=True)
    f.text(340, 428, "one work-item computes one element: its global ids are col and row", 13, SOFT)
    f.text(cx + (col + 1) * cell + 2, by + K * cell + 22, "col", 13, GREEN, "start")
    return f


@figure("tiling")
def tiling():
    """Chapter 09: the tiles that one work-group reads, step by step."""
    tile, M, N, K = 2, 6, 6, 8
    group = (1, 2)  # get_group_id(1), get_group_id(0)
    steps = [first for first in range(0, K, tile)]  # for (first = 0; first < K; first += TILE)
    f = Figure(680, 342, "Tiling, step by step")
    f.text(24, 28, "one work-group computes one tile of C, in K / TILE steps", 14, SOFT, "start")
    shown = [0, 1, 3]
    for s, index in enumerate(shown):
        first = steps[index]
        x0 = 24 + s * 214
        a_rows = range(group[0] * tile, group[0] * tile + tile)
        b_cols = range(group[1] * tile, group[1] * tile + tile)
        small = 11
        matrix(f, x0 + K * small + 8, 48, K, N, small,
               lambda r, c, first=first: GREEN if first <= r < first + tile and c in b_cols else None)
        matrix(f, x0, 48 + K * small + 8, M, K, small,
               lambda r, c, first=first: BLUE if r in a_rows and first <= c < first + tile else None)
        matrix(f, x0 + K * small + 8, 48 + K * small + 8, M, N, small,
               lambda r, c: ORANGE if r in a_rows and c in b_cols else None)
        f.text(x0, 62, f"step {index + 1}", 14, INK, "start", True)
        f.text(x0, 82, f"first = {first}", 13, SOFT, "start")
        f.text(x0 + 4, 128, "A", 14, BLUE, "start", True)
        f.text(x0 + K * small + 8 + N * small + 6, 60, "B", 14, GREEN, "start", True)
        f.text(x0 + K * small + 8 + N * small + 6, 48 + K * small + 8 + M * small, "C", 14, ORANGE, "start", True)
    f.text(24 + 2 * 214 - 26, 104, "…", 20, SOFT)
    y = 232
    for i, (text, color) in enumerate([("every work-item brings one element of each tile to local memory", BLUE),
                                       ("barrier: both tiles are complete", ORANGE),
                                       ("every work-item: TILE products, all from local memory", GREEN),
                                       ("barrier: everyone has read them; on to the next step", ORANGE)]):
        f.box(24, y + i * 25, 18, 18, PALE[color], color, 3)
        f.text(33, y + i * 25 + 14, i + 1, 12.5, INK)
        f.text(52, y + i * 25 + 14, text, 13.5, INK, "start")
    return f


@figure("wpt")
def wpt():
    """Chapter 10: which elements of a tile belong to which work-item."""
    tile, w = 8, 4
    step = tile // w  # STEP in the kernel
    cell = 30
    f = Figure(680, 346, "More work per thread: the elements of one work-item")
    f.text(24, 28, "chapter 09: 64 work-items, 1 element each", 13, SOFT, "start")
    f.text(360, 28, f"chapter 10: 16 work-items, WPT = {w} each", 13, SOFT, "start")
    tile_col, tile_row = 2, 1
    for x0, mine in ((24, {(1, 2)}), (360, {(tile_row + i * step, tile_col) for i in range(w)})):
        for r in range(tile):
            for c in range(tile):
                color = ORANGE if (r, c) in mine else None
                if x0 == 360 and not color and r < step:
                    fill = PALE[BLUE]
                elif x0 == 24 and not color:
                    fill = PALE[BLUE]
                else:
                    fill = "#f2b78a" if color else WHITE
                f.box(x0 + c * cell, 42 + r * cell, cell, cell, fill, LINE, 0, 0.9)
    for i in range(w):
        f.text(360 + (tile_col + .5) * cell, 42 + (tile_row + i * step + .5) * cell + 5, f"{i}", 14, INK, bold=True)
    f.path(f"M {360 + tile * cell + 6} {42 + 1.5 * cell} h 8 v {step * cell} h -8", SOFT)
    f.text(360 + tile * cell + 18, 42 + 2.7 * cell, "STEP", 13, INK, "start", mono=True)
    f.text(24, 308, "blue: where the group's work-items stand; orange: the elements of C of one of them.", 13, SOFT, "start")
    f.text(24, 328, "One value of B, read once from local memory, is used for all four.", 13, SOFT, "start")
    return f
