"""The figure of chapter 24: SUMMA on a grid of 2 × 2 processes, and what happens when."""

from draw import BLUE, GREEN, INK, LINE, ORANGE, SOFT, VIOLET, figure

COLORS = [[BLUE, GREEN], [VIOLET, ORANGE]]  # of the processes 0, 1 / 2, 3
TITLE = "SUMMA: a panel of A goes along the rows of the grid, one of B along its columns; the next is on its way"
WORDS = """Along each row of the grid the panel
of A is sent: from 0 to 1, from 2 to 3.
Along each column that of B: from 0
to 2, from 1 to 3.

Then each has what it needs for one
step of its block: C += panel · panel"""


def ends(message, copy, kernel, panels):
    """When each message, copy and kernel ends, as host.cpp has it: message p + 2 leaves when message p - 1 has come and the
    device has panel p - 1; a copy goes beside the kernel before it. Two messages share the way at a time."""
    come, copied, done = [], [], []
    for p in range(panels):
        begin = max(come[p - 2], copied[p - 3] if p >= 3 else 0.0) if p >= 2 else p * message / 2
        come.append(begin + message)
        copied.append(max([come[p], *copied[-1:]]) + copy)
        done.append(max([copied[p], *done[-1:]]) + kernel)
    return come, copied, done


@figure("several-machines", TITLE, 520)
def several_machines(f):
    f.title_at(24, 28, "4 processes in a grid of 2 × 2: each has a block of A, of B and of C")
    side, ax, bx, cx, ay, by = 64, 60, 236, 236, 220, 56
    for x, y, name in ((ax, ay, "A"), (bx, by, "B"), (cx, ay, "C")):
        for i in range(2):
            for j in range(2):
                f.pale(x + j * side, y + i * side, side, side, COLORS[i][j], 0)
                f.text(x + (j + 0.5) * side, y + (i + 0.5) * side + 5, f"{2 * i + j}", 14, COLORS[i][j], bold=True)
        f.text(x - 10, y + 14, name, 15, INK, "end", True)
    # The panel: a strip of columns of A, and the strip of rows of B with the same k.
    f.box(ax + 4, ay, 14, 2 * side, "none", INK, 0, 2.6)
    f.box(bx, by + 4, 2 * side, 14, "none", INK, 0, 2.6)
    f.text(ax + 40, ay - 24, "panel of A", 13, INK)
    f.text(ax + 40, ay - 8, "(columns k)", 13, SOFT)
    f.text(bx - 12, by + 34, "panel of B (rows k)", 13, INK, "end")
    for i in range(2):  # from the process that has the panel to the other one of its row, or of its column
        f.arrow(ax + 20, ay + (i + 0.5) * side + 18, ax + 1.5 * side, ay + (i + 0.5) * side + 18, COLORS[i][0], 2)
    for j in range(2):
        f.arrow(bx + (j + 0.5) * side + 18, by + 20, bx + (j + 0.5) * side + 18, by + 1.5 * side, COLORS[0][j], 2)
    f.note(392, 92, WORDS, INK, 14, 22)
    f.note(392, 268, "The panels of a process are drawn\nside by side.", SOFT, 14, 22)
    f.title_at(24, 374, "In time: messages, copies and kernels, each for a panel of its own")
    top, left, unit, row_of = 389, 110, 24.0, 30
    lengths = 3.0, 1.6, 4.0
    rows = zip(("messages", "to device", "kernels"), (BLUE, VIOLET, GREEN), lengths, ends(*lengths, 5))
    for row, (name, color, length, times) in enumerate(rows):
        y = top + row * row_of + (14 if row else 0)
        f.text(left - 12, y + (17 if row else 23), name, 14, color, "end")
        foot = y + (24 if row else 38)
        f.line(left, foot, 656, foot, LINE, 0.8)
        for p, end in enumerate(times):
            if left + end * unit <= 656:
                # Two messages are on their way at a time.
                high, lower = (22, 0) if row else (17, 18.5 * (p % 2))
                x = left + (end - length) * unit
                f.pale(x, y + lower, length * unit - 2, high, color)
                f.text(left + (end - length / 2) * unit, y + (16 if row else 13.5 + lower), p, 13, color)
    where = "Message 3 takes the place of panel 0 in the host's memory: it waits for copy 0."
    f.note(left, top + 3 * row_of + 28, where)
