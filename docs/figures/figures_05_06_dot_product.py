"""Figures of chapters 05 and 06: who adds what. The numbers of the tree are those of the recording of 06."""

import json
import math
import pathlib

from draw import BLUE, FOUR, INK, LINE, ORANGE, RED, SOFT, Figure, figure


@figure("host-adds")
def host_adds():
    n, global_size = 10, 4
    f = Figure(680, 300, "Chapter 05: the host adds N products")
    w, x0 = 60, 46
    f.text(24, 30, "device", 14, BLUE, "start", True)
    for row, name in enumerate("ab"):
        f.text(30, 62 + row * 34, name, 14, mono=True)
        f.cells(x0, 42 + row * 34, w, 30, [""] * n, [FOUR[i % global_size] for i in range(n)])
    for i in range(n):
        f.arrow(x0 + (i + 0.5) * w, 106, x0 + (i + 0.5) * w, 132, FOUR[i % global_size])
        f.text(x0 + (i + 0.5) * w, 61, f"a{i}", 13)
        f.text(x0 + (i + 0.5) * w, 95, f"b{i}", 13)
    f.cells(x0, 134, w, 30, [f"a{i}·b{i}" for i in range(n)], [FOUR[i % global_size] for i in range(n)], 12.5)
    f.line(24, 184, 656, 184, LINE, 1.5, dash="6 5")
    f.text(24, 206, "host", 14, ORANGE, "start", True)
    f.text(656, 206, "N products are read back", 13, SOFT, "end")
    for i in range(n):
        f.arrow(x0 + (i + 0.5) * w, 164, 340 + (i - 4.5) * 7, 236, ORANGE, 1.1)
    f.label(240, 238, 200, 42, "adds N numbers", ORANGE, 15, True)
    f.text(462, 264, "one colour: one work-item", 13, SOFT, "start")
    return f


@figure("group-adds")
def group_adds():
    n, local, groups = 10, 2, 2
    f = Figure(680, 330, "Chapter 06: each work-group adds, the host adds one number for each group")
    w, x0 = 60, 46
    size = local * groups
    color = [FOUR[(i % size) // local * 2 + (i % size) % local] for i in range(n)]
    f.text(24, 30, "device", 14, BLUE, "start", True)
    f.cells(x0, 42, w, 34, [f"a{i}·b{i}" for i in range(n)], color, 12.5)
    centers = {}
    for item in range(size):
        cx = x0 + 75 + item * 150
        centers[item] = cx
        for i in range(item, n, size):  # the grid-stride loop
            f.arrow(x0 + (i + 0.5) * w, 76, cx + (i // size - 1) * 12, 124, FOUR[item], 1.2)
        f.label(cx - 58, 126, 116, 34, f"sum of item {item}", FOUR[item], 13)
    for g in range(groups):
        a, b = centers[g * local], centers[g * local + 1]
        f.box(a - 66, 116, b - a + 132, 124, "none", SOFT, 8, dash="5 4")
        f.text((a + b) / 2, 180, "local memory", 12.5, SOFT)
        f.arrow(a, 160, (a + b) / 2 - 24, 198)
        f.arrow(b, 160, (a + b) / 2 + 24, 198)
        f.label((a + b) / 2 - 70, 200, 140, 32, f"sum of group {g}", INK, 13.5, True)
        f.arrow((a + b) / 2, 240, 340 + (g - 0.5) * 60, 282, ORANGE, 1.8)
    f.line(24, 256, 656, 256, LINE, 1.5, dash="6 5")
    f.text(24, 276, "host", 14, ORANGE, "start", True)
    f.text(656, 276, "G numbers are read back", 13, SOFT, "end")
    f.label(240, 284, 200, 34, "adds G numbers", ORANGE, 15, True)
    return f


def tree(values, title, broken=False):
    """The tree of chapter 06 for one work-group, computed as in the kernel. `broken`: without the barrier
    in the loop, in one possible order: the upper half of the work-items lags one step behind."""
    local = len(values)
    steps = int(math.log2(local))
    w, x0, row = 62, 108, 76
    below = 38 if broken else 58
    f = Figure(680, 78 + steps * row + below, title)
    sums = list(values)
    active = local // 2
    f.text(x0 - 14, 55, "sums[lid]", 13.5, INK, "end", mono=True)
    for lid, _ in enumerate(sums):
        f.text(x0 + (lid + 0.5) * w, 26, f"lid {lid}", 12.5, SOFT)
    f.cells(x0, 34, w, 34, sums, [BLUE] * local, 15)
    right = list(values)
    y = 68
    step, stored = 0, []
    while active > 0:
        step += 1
        before, before_right = list(sums), list(right)
        for lid in range(active):  # if (lid < active) sums[lid] += sums[lid + active];
            right[lid] = before_right[lid] + before_right[lid + active]
            # The one that lags has not added yet when its neighbour reads it.
            sums[lid] = before[lid] + before[lid + active]
        if broken and step == 2:
            lagging = active * 2 - 1
            sums[lagging - active] = before[lagging - active] + values[lagging]
        f.moment()
        if not broken:
            f.line(x0 - 4, y + 10, x0 + local * w + 4, y + 10, ORANGE, 3)
            f.text(x0 - 10, y + 15, "barrier", 13, ORANGE, "end", True)
            f.moment()
        for lid in range(active):
            color = RED if broken and ((step == 2 and lid == lagging - active) or (step > 2)) else SOFT
            f.arrow(x0 + (lid + 0.5) * w, y + 14 if not broken else y, x0 + (lid + 0.5) * w, y + row - 36, color)
            f.arrow(
                x0 + (lid + active + 0.5) * w, y + 14 if not broken else y, x0 + (lid + 0.62) * w, y + row - 36, color
            )
        f.text(x0 - 14, y + row - 12, f"active = {active}", 13, SOFT, "end", mono=True)
        y += row
        colors = [BLUE] * active
        if broken:
            colors = [RED if lid < active and sums[lid] != right[lid] else c for lid, c in enumerate(colors)]
        f.cells(x0, y - 34, w, 34, [sums[lid] for lid in range(active)], colors, 15)
        stored += [(lid, right[lid]) for lid in range(active)]
        active //= 2
    if stored != recorded("sums[lid] += "):
        raise SystemExit("the tree of the figure is not that of the recording of 06")
    f.moment()
    if broken:
        f.text(x0 + local * w, y - 14, f"{sums[0]}, where {right[0]} is right", 15, RED, "end", True)
        f.text(
            x0 + local * w,
            y + 18,
            f"work-item {lagging} was late: work-item {lagging % (local // 4)} read its old {values[lagging]}, "
            f"not {values[lagging] + values[lagging + local // 2]}",
            13,
            RED,
            "end",
        )
    else:
        f.line(x0 - 4, y + 10, x0 + local * w + 4, y + 10, ORANGE, 3)
        f.text(x0 - 10, y + 15, "barrier", 13, ORANGE, "end", True)
        f.text(x0 + local * w, y - 14, f"partial_sums[group] = {sums[0]}", 14, INK, "end", mono=True)
        f.text(
            x0 + local * w,
            y + 36,
            "no work-item passes a barrier before all of its group have reached it",
            13,
            ORANGE,
            "end",
        )
    return f


def recorded(line):
    """What the work-items of group 0 stored in `sums` in that line of the kernel, in the recording: [(element, value)]."""
    path = pathlib.Path(__file__).resolve().parent.parent / "recordings" / "06-dot-product-reduction.json"
    recording = json.loads(path.read_text())
    number = next(number for number, text in recording["source"] if text.strip().startswith(line))
    runs = [run.split(": ") for run in recording["accesses"]]
    accesses = [a.split() for item, run in runs if int(item) < 8 for a in run.split("; ")]
    return [(int(a[3]), int(a[4])) for a in accesses if a[:3] == [str(number), "w", "sums"]]


VALUES = [value for _, value in sorted(recorded("sums[lid] = sum;"))]


@figure("reduction-tree")
def reduction_tree():
    return tree(VALUES, "The tree of one work-group, with all its barriers")


@figure("reduction-race")
def reduction_race():
    return tree(VALUES, "The same tree without the barrier in the loop: one possible order", True)
