"""Figures of chapter 16: vector loads."""

from draw import BLUE, LINE, SOFT, figure

WAIT = 60  # the latency, which is the same for each load


@figure("vector-loads", "One float at a time, against four at a time and several in flight", 344)
def vector_loads(f):
    rows = [
        ("float, one load at a time", 1, 1),
        ("float4, one load at a time", 4, 1),
        ("float4, four loads in flight", 4, 4),
    ]
    x, slot, cell = 24, 126, 11
    for r, (name, width, flight) in enumerate(rows):
        y = 40 + (0, 78, 156)[r]
        f.title_at(x, y, name, 17)
        f.text(656, y, f"{5 * width * flight} floats in the same time", 17, BLUE, "end", True)
        for load in range(5):
            for k in range(flight):
                left, top = x + load * slot + k * 4, y + 14 + k * 19
                arrived = left + WAIT  # a latency later, whatever the width
                f.line(left, top + 6, arrived - 3, top + 6, LINE, 2.2, dash="5 4")
                for i in range(width):
                    f.box(arrived + i * cell, top, cell - 1.5, 13, BLUE, BLUE, 0, 0)
    f.note(x, 306, "dashed: a load on its way, always for as long; blue: floats that have arrived.", SOFT, 15.5)
    f.note(x, 327, "A sketch; time runs to the right.", SOFT, 15.5)
