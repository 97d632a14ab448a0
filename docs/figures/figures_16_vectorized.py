"""Figures of chapter 16: vector loads."""
from draw import BLUE, Figure, INK, LINE, SOFT, WHITE, figure


@figure("vector-loads")
def vector_loads():
    f = Figure(680, 300, "One float at a time, against four at a time and several on their way")
    rows = [("float, one load at a time", 1, 1), ("float4, one load at a time", 4, 1), ("float4, four loads on their way", 4, 4)]
    for r, (name, width, flight) in enumerate(rows):
        y = 42 + r * 84
        f.text(24, y, name, 14, INK, "start", True)
        x = 24
        total = 626
        latency, done = 118, 0
        t = 0
        while t + latency <= total:
            for k in range(flight):
                yy = y + 10 + k * 11
                f.line(x + t + k * 7, yy + 5, x + t + k * 7 + latency - 28 - width * 4, yy + 5, LINE, 1.4, dash="3 2")
                for i in range(width):
                    f.box(x + t + latency - 28 - (width - 1) * 4 + k * 7 + i * 6 - 12, yy, 6, 9, BLUE, WHITE, 0, 0.6)
                done += width
            t += latency + 4
        f.text(656, y, f"{done} floats in the same time", 13.5, BLUE, "end", True)
    f.text(24, 284, "a sketch; dashed: waiting for memory; blue: floats that have arrived. Time runs to the right.", 13, SOFT, "start")
    return f
