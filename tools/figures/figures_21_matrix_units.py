"""Figures of chapter 21: a float as two halves, and their products."""

from draw import BLUE, GREEN, GREY, INK, LINE, ORANGE, PALE, SOFT, Figure, figure


@figure("split-float")
def split_float():
    """A float's bits in two halves; four products, of which three are added; who adds what."""
    f = Figure(680, 420, "A float as two halves, and the products of halves")
    x0, w = 24, 26
    f.text(x0, 30, "the 24 bits of a float", 15, INK, "start", True)
    for bit in range(24):
        color = BLUE if bit < 11 else ORANGE if bit < 23 else None
        f.box(x0 + bit * w, 42, w, 26, PALE[color] if color else GREY, color or LINE, 0, 1)
    f.line(x0, 76, x0 + 11 * w - 2, 76, BLUE, 3)
    f.line(x0 + 11 * w + 2, 76, x0 + 23 * w, 76, ORANGE, 3)
    f.text(x0 + 5.5 * w, 96, "big: the nearest half", 14, BLUE)
    f.text(x0 + 17 * w, 96, "small: the rest, 11 bits and its sign", 14, ORANGE)

    f.text(x0, 140, "four products", 15, INK, "start", True)
    left, top, long, short = 78, 172, 118, 50
    for i, (height, row, row_color) in enumerate([(long, "big a", BLUE), (short, "small a", ORANGE)]):
        y = top + i * (long + 4)
        f.text(left - 6, y + height / 2 + 5, row, 14, row_color, "end")
        for j, (width, size) in enumerate([(long, "1"), (short, "2⁻¹¹")]):
            x = left + j * (long + 4)
            if i and j:
                f.box(x, y, width, height, GREY, LINE, 3, 1.2, "4 3")
            else:
                f.box(x, y, width, height, PALE[GREEN], GREEN, 3)
            f.text(x + width / 2, y + height / 2 + 5, "2⁻²²" if i and j else "2⁻¹¹" if i else size, 14, INK)
    f.text(left + long / 2, top - 8, "big b", 14, BLUE)
    f.text(left + long + 4 + short / 2, top - 8, "small b", 14, ORANGE)
    f.text(left - 54, top + long + short + 30, "grey: left out, about a float's rounding", 13, SOFT, "start")

    f.text(310, 140, "who adds them up", 15, INK, "start", True)
    for i in range(3):
        y = 164 + i * 48
        f.label(310, y, 190, 34, "16 values of k, 3 products", GREEN, 13)
        f.arrow(500, y + 17, 548, 240 - 12 + i * 12 - 17, SOFT)
    f.text(405, 322, "⋮", 18, SOFT)
    f.text(310, 352, "in the unit: rounded toward zero,", 13, SOFT, "start")
    f.text(310, 370, "beginning at 0 each time", 13, SOFT, "start")
    f.label(552, 206, 104, 46, "float sum", BLUE, 15)
    f.text(604, 276, "rounded to", 13, SOFT)
    f.text(604, 293, "the nearest", 13, SOFT)
    f.text(x0, 402, "sizes compared with a·b; the smallest products are added first", 13, SOFT, "start")
    return f
