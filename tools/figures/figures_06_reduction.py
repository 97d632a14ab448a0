"""Figures of chapter 06: the tree. Its numbers are those of the recording of 06."""

import json
import math
import pathlib

from draw import BLUE, INK, ORANGE, RED, SOFT, figure


def tree(f, broken=False):
    """The tree of chapter 06 for one work-group, computed as in the kernel. `broken`: without the barrier
    in the loop, in one possible order: the upper half of the work-items lags one step behind."""
    local, w, x0, row, y = len(VALUES), 62, 108, 76, 68
    end = x0 + local * w
    f.height = 78 + int(math.log2(local)) * row + (38 if broken else 58)

    def barrier(y):
        f.line(x0 - 4, y + 10, end + 4, y + 10, ORANGE, 3)
        f.text(x0 - 10, y + 15, "barrier", 13, ORANGE, "end", True)

    f.text(x0 - 14, 55, "sums[lid]", 13.5, INK, "end", mono=True)
    for lid in range(local):
        f.text(x0 + (lid + 0.5) * w, 26, f"lid {lid}", 12.5, SOFT)
    f.cells(x0, 34, w, 34, VALUES, [BLUE] * local, 15)
    sums, right, stored, active, late = list(VALUES), list(VALUES), [], local // 2, None
    while active > 0:
        before = list(sums)
        for lid in range(active):  # if (lid < active) sums[lid] += sums[lid + active];
            right[lid] += right[lid + active]
            sums[lid] += sums[lid + active]
        if broken and active == local // 4:  # the one that lags has not added yet when its neighbour reads it
            late = 2 * active - 1
            sums[late - active] = before[late - active] + VALUES[late]
        f.moment()
        if not broken:
            barrier(y)
            f.moment()
        top, bottom = y if broken else y + 14, y + row - 36
        for lid in range(active):
            wrong = broken and (active == local // 4 and lid == late - active or active < local // 4)
            color, to = RED if wrong else SOFT, x0 + (lid + 0.62) * w
            f.arrow(x0 + (lid + 0.5) * w, top, x0 + (lid + 0.5) * w, bottom, color)
            if wrong and active == local // 4:  # what it reads is the old value, around the one that comes too late
                edge = x0 + 2 * active * w
                curve = f"C {edge + 24} {y - row + 40}, {edge + 40} {y + 16}, {to} {bottom}"
                f.path(f"M {edge - 10} {y - row} {curve}", color, arrow=True)
            else:
                f.arrow(x0 + (lid + active + 0.5) * w, top, to, bottom, color)
        f.text(x0 - 14, y + row - 12, f"active = {active}", 13, SOFT, "end", mono=True)
        y += row
        colors = [RED if broken and sums[lid] != right[lid] else BLUE for lid in range(active)]
        f.cells(x0, y - 34, w, 34, sums[:active], colors, 15)
        stored += list(enumerate(right[:active]))
        active //= 2
    if stored != recorded("sums[lid] += "):
        raise SystemExit("the tree of the figure is not that of the recording of 06")
    f.moment()
    if broken:
        f.text(end, y - 14, f"{sums[0]}, where {right[0]} is right", 15, RED, "end", True)
        old, new = VALUES[late], VALUES[late] + VALUES[late + local // 2]
        sentence = f"work-item {late} was late: work-item {late % (local // 4)} read its old {old}, not {new}"
        f.text(end, y + 18, sentence, 13, RED, "end")
    else:
        barrier(y)
        f.text(end, y - 14, f"partial_sums[group] = {sums[0]}", 14, INK, "end", mono=True)
        sentence = "no work-item passes a barrier before all of its group have reached it"
        f.text(end, y + 36, sentence, 13, ORANGE, "end")


def recorded(line):
    """What the work-items of group 0 stored in `sums` in that line of the kernel, in the recording: [(element, value)]."""
    path = pathlib.Path(__file__).resolve().parents[2] / "site" / "recordings" / "06-dot-product-reduction.json"
    recording = json.loads(path.read_text(encoding="utf-8"))
    number = next(number for number, text in recording["source"] if text.strip().startswith(line))
    runs = [run.split(": ") for run in recording["accesses"]]
    accesses = [a.split() for item, run in runs if int(item) < 8 for a in run.split("; ")]
    return [(int(a[3]), int(a[4])) for a in accesses if a[:3] == [str(number), "w", "sums"]]


VALUES = [value for _, value in sorted(recorded("sums[lid] = sum;"))]


@figure("reduction-tree", "The tree of one work-group, with all its barriers")
def reduction_tree(f):
    tree(f)


@figure("reduction-race", "The same tree without the barrier in the loop: one possible order")
def reduction_race(f):
    tree(f, broken=True)
