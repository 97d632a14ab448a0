"""Figures of chapter 17: tiles in registers."""

from draw import FOUR, GREEN, INK, LINE, ORANGE, PALE, SOFT, WHITE, figure


@figure("banks", "Bank conflicts: where four work-items store at a time", 330)
def banks(f):
    """Chapter 17: into which of 32 banks four work-items store, as A's tile is transposed."""
    x0, w = 24, 19.7
    f.title_at(x0, 30, "element (row 0, k) goes to k · A_STRIDE; its bank is that number mod 32", 14)
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
        f.note(x0, y, name, INK, 15.5)
        f.text(656, y, f"{steps} step{'s' if steps > 1 else ''}", 16, ORANGE if steps > 1 else GREEN, "end", True)
        for bank in range(32):
            items = hit.get(bank, [])
            fill = [WHITE, PALE[GREEN], PALE[ORANGE]][min(len(items), 2)]
            f.box(x0 + bank * w, y + 10, w, 44, fill, LINE, 0, 1)
            high = 44 / max(len(items), 1)
            for n, item in enumerate(items):
                f.box(x0 + bank * w + 1.5, y + 11 + n * high, w - 3, high - 2, FOUR[item], WHITE, 1, 0.5)
    f.note(x0, 320, "the 32 banks, 0 to 31; each colour one work-item, at k = 0, 4, 8 and 12", SOFT, 14.5)
