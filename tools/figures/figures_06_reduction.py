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


@figure(
    "pocl-loops", "How PoCL runs a work-group on one core: from barrier to barrier, one work-item after the other", 350
)
def pocl_loops(f):
    """Chapter 06 on one core: PoCL's loops over the work-items of a group, and what they give without the barrier."""
    local, w, h, gap = len(VALUES), 18, 32, 15
    x0, y1, y2 = 24, 86, 232
    steps = [local >> k for k in range(1, local.bit_length())]  # active = 4, 2, 1

    def loop(x, y, code, active, after):
        """One loop over the work-items, and what `sums` then holds; below: the code between two barriers."""
        f.note(x, y - 26, f"for lid = 0 … {local - 1}:", SOFT, 12.5)
        f.text(x, y - 8, code, 13, INK, "start", mono=True)
        f.cells(x, y, w, h, list(range(local)), [BLUE if lid < active else None for lid in range(local)], 13)
        f.text(x, y + h + 20, "→ " + " ".join(map(str, after)), 14, BLUE, "start", True)
        f.line(x + local * w + gap / 2, y - 14, x + local * w + gap / 2, y + h + 10, ORANGE, 3)

    f.title_at(x0, 32, "With both barriers: four loops over the work-items")
    sums = list(VALUES)
    loop(x0, y1, "sums[lid] = sum", local, sums)
    for k, active in enumerate(steps, 1):
        for lid in range(local):
            if lid < active:
                sums[lid] += sums[lid + active]
        loop(x0 + k * (local * w + gap), y1, f"active = {active}", active, sums[:active])
    right = sums[0]

    f.title_at(x0, 178, "Without the barrier in the loop: two loops")
    sums = list(VALUES)
    loop(x0, y2, "sums[lid] = sum", local, sums)
    x, taken = x0 + local * w + gap, [sums[0]]
    f.note(x, y2 - 26, f"for lid = 0 … {local - 1}: active = {', '.join(map(str, steps))}", SOFT, 12.5)
    for lid in range(local):
        at = x + lid * (len(steps) * w + 3)
        f.text(at + len(steps) * w / 2, y2 - 8, f"lid {lid}", 13, RED if lid == 0 else INK)
        adds = [active for active in steps if lid < active]
        taken += [sums[active] for active in adds] if lid == 0 else []
        for active in adds:
            sums[lid] += sums[lid + active]
        f.cells(at, y2, w, h, steps, [(RED if lid == 0 else BLUE) if active in adds else None for active in steps], 13)
    sentence = f"→ {' + '.join(map(str, taken))} = {sums[0]}, where {right} is right"
    f.text(x, y2 + h + 20, sentence, 14, RED, "start", True)
    f.note(x0, 312, "in colour: has something to do")
    f.line(x0 + 298, 308, x0 + 318, 308, ORANGE, 3)
    f.text(x0 + 326, 312, "barrier", 13, ORANGE, "start", True)
    f.text(588, 312, "one core, over time", 13, SOFT, "end")
    f.arrow(596, 308, 656, 308, SOFT)
    f.note(x0, 332, "work-item 0 is through before any other one has added: it takes their old sums", RED)
    if right != sum(VALUES):
        raise SystemExit("the loops of the figure do not add what the recording of 06 has")
