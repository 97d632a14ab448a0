"""Figures of chapter 17: tiles in registers."""

from draw import BLUE, FOUR, GREEN, INK, LINE, ORANGE, PALE, SOFT, WHITE, Figure, figure


@figure("register-tile")
def register_tile():
    """Chapter 17: a 4×4 tile of C in registers: 8 values read, 16 multiply-adds."""
    t, cell, wide = 4, 34, 46
    f = Figure(680, 312, "A block of C in registers")
    cx, cy = 250, 116
    for i in range(t):
        f.label(cx - 64, cy + i * cell + 3, 42, cell - 6, f"a{i}", BLUE, 14)
        f.label(cx + i * wide + 2, cy - 56, wide - 4, 34, f"b{i}", GREEN, 14)
        for j in range(t):
            f.box(cx + j * wide, cy + i * cell, wide, cell, PALE[ORANGE], ORANGE, 0, 1)
            f.text(cx + (j + 0.5) * wide, cy + (i + 0.5) * cell + 4, f"a{i}·b{j}", 12)
        f.line(cx - 22, cy + (i + 0.5) * cell, cx - 2, cy + (i + 0.5) * cell, BLUE, 1.4)
        f.line(cx + (i + 0.5) * wide, cy - 22, cx + (i + 0.5) * wide, cy - 2, GREEN, 1.4)
    f.text(24, cy - 34, "4 values of A's column k", 14, BLUE, "start")
    f.text(24, cy - 16, "from local memory", 14, SOFT, "start")
    f.text(cx + t * wide + 16, cy - 38, "4 values of B's row k", 14, GREEN, "start")
    f.text(cx + t * wide + 16, cy - 20, "from local memory", 14, SOFT, "start")
    f.text(cx + t * wide + 16, cy + 52, "16 sums stay in the registers", 14.5, ORANGE, "start")
    f.text(cx + t * wide + 16, cy + 74, "of one work-item", 14.5, ORANGE, "start")
    f.text(24, 30, "for each k: 8 values read, 16 multiply-adds", 15, INK, "start", True)
    f.text(24, 280, "numbers read, for multiply-adds: one element (09): 2 for 1;", 14, SOFT, "start")
    f.text(
        24, 300, "a column of 8 (10): 9 for 8;   a block of 4×4: 8 for 16;   one of 16×8: 24 for 128", 14, SOFT, "start"
    )
    return f


@figure("banks")
def banks():
    """Chapter 17: into which of 32 banks four work-items store, as A's tile is turned."""
    f = Figure(680, 330, "Bank conflicts: where four work-items store at a time")
    x0, w = 24, 19.7
    f.text(x0, 30, "element (row 0, k) goes to k · A_STRIDE; its bank is that number mod 32", 14, INK, "start", True)
    for s, (stride, name) in enumerate(
        (
            (128, "A_STRIDE = BM = 128"),
            (132, "A_STRIDE = BM + 4 = 132"),
            (130, "BM + 2 = 130 (rows not aligned to 16 bytes)"),
        )
    ):
        y = 72 + s * 88
        hit = {}
        for item in range(4):
            hit.setdefault(4 * item * stride % 32, []).append(item)
        steps = max(len(items) for items in hit.values())
        f.text(x0, y, name, 15.5, INK, "start")
        f.text(656, y, f"{steps} step{'s' if steps > 1 else ''}", 16, ORANGE if steps > 1 else GREEN, "end", True)
        for bank in range(32):
            items = hit.get(bank, [])
            f.box(
                x0 + bank * w,
                y + 10,
                w,
                44,
                PALE[ORANGE] if len(items) > 1 else PALE[GREEN] if items else WHITE,
                LINE,
                0,
                1,
            )
            high = 44 / max(len(items), 1)
            for n, item in enumerate(items):
                f.box(x0 + bank * w + 1.5, y + 11 + n * high, w - 3, high - 2, FOUR[item], WHITE, 1, 0.5)
    f.text(x0, 320, "the 32 banks, 0 to 31; each colour one work-item, at k = 0, 4, 8 and 12", 14.5, SOFT, "start")
    return f
