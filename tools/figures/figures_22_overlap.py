"""The figure of chapter 22: when the commands of the first pieces ran, as a GPU's events told."""

from draw import BLUE, GREEN, INK, LINE, ORANGE, PALE, SOFT, VIOLET, figure

# NVIDIA H200, driver 580: `22-overlap 1073741824 1048576 1 --timeline ...`, and the same with 3 queues. Start and end
# in microseconds, of the copies, the kernels and the results.
ONE = [
    [(0, 154), (228, 383), (448, 602), (649, 804), (859, 1013), (1077, 1233), (1288, 1443), (1507, 1662)],
    [(159, 166), (390, 398), (605, 612), (808, 816), (1018, 1026), (1242, 1250), (1451, 1459), (1664, 1672)],
    [(176, 177), (402, 404), (615, 616), (822, 823), (1037, 1038), (1255, 1256), (1464, 1465), (1678, 1680)],
]
THREE = [
    [(0, 154), (155, 310), (311, 465), (467, 621), (622, 776), (777, 931), (933, 1087), (1088, 1242)],
    [(166, 180), (321, 335), (477, 491), (625, 639), (787, 801), (941, 955), (1093, 1107), (1250, 1265)],
    [(193, 198), (352, 357), (510, 515), (659, 664), (822, 827), (976, 981), (1123, 1128), (1282, 1287)],
]
KINDS = [("copies", BLUE), ("kernels", ORANGE), ("results", GREEN)]
LEFT, WIDTH, MOST = 104, 552, 1300  # the microseconds that fit
STRETCH = 260  # microseconds that appear at a time


@figure("overlap", "With one queue the bus is idle while a piece is computed; with three it never is", 432)
def overlap(f):

    def at(us):
        return LEFT + us / MOST * WIDTH

    def frame(y, title, apart):
        f.title_at(24, y, title)
        for row, (name, color) in enumerate(KINDS):
            top = y + 14 + apart * row
            f.text(LEFT - 12, top + 16, name, 14, color, "end", True)
            f.line(LEFT, top + 23, LEFT + WIDTH, top + 23, LINE, 0.8)

    def bars(y, kinds, apart, since, until):
        """What ends in a stretch of time."""
        for row, ((_, color), times) in enumerate(zip(KINDS, kinds)):
            for piece, (start, end) in enumerate(times):
                if since < end <= until:
                    top = y + 14 + apart * row
                    f.box(at(start), top, max(2.5, at(end) - at(start)), 22, PALE[color], color, 1, 1.2)
                    if row == 0:
                        f.text((at(start) + at(end)) / 2, top + 16, piece, 13, color)

    frame(32, "One queue: a command begins when the one before it has ended", 30)
    frame(164, "Three queues: a command begins when its wait list has ended", 44)
    axis = 312
    f.line(LEFT, axis, LEFT + WIDTH, axis, SOFT, 1.2)
    for us in range(0, MOST, 200):
        f.line(at(us), axis, at(us), axis + 5, SOFT, 1.2)
        f.text(at(us), axis + 20, f"{us / 1000:g}", 13, SOFT)
    f.text(LEFT + WIDTH, axis + 20, "ms", 13, SOFT, "end")
    f.note(24, 364, "Measured on an H200. Numbers: pieces of 2²⁰ elements, 8 MB each; arrows: events.", INK, 14)
    words = """Dashed, drawn once: copy 3 takes the slot of piece 0, so the host waits for its result
before it enqueues that copy, which then begins when the bus is free."""
    f.note(24, 386, words, VIOLET, 14, 20)
    for since in range(0, MOST, STRETCH):  # it comes into being stretch by stretch, both timelines at once
        until = since + STRETCH
        f.moment()
        bars(32, ONE, 30, since, min(until, MOST))
        bars(164, THREE, 44, since, min(until, MOST))
        for (_, copied), (began, ended), (result, came) in zip(*THREE):
            if since < ended <= until and ended <= MOST:
                f.arrow(at(copied), 201, at(began) + 2, 221, SOFT, 1.2)
            if since < came <= until and came <= MOST:
                f.arrow(at(ended), 245, at(result) + 1, 265, SOFT, 1.2)
    # The slot: from the result of piece 0, below that of piece 1, between the kernels 1 and 2, to the copy of piece 3.
    x, below = at(THREE[2][0][1]) - 1, 298
    curve = f"C{at(440):g} {below} {at(400):g} 240 {at(THREE[0][3][0]):g} 202"
    way = f"M{x:g} 289 Q{x:g} {below} {x + 9:g} {below} L{at(370):g} {below} {curve}"
    f.path(way, VIOLET, 1.6, True, dash="5 3")
