"""Figures of chapters 05 and 06: who adds what. The numbers of the tree are those of the recording of 06."""

import json
import math
import pathlib

from draw import BLUE, FOUR, GREEN, INK, LINE, ORANGE, PALE, RED, SOFT, WHITE, figure


@figure("host-adds", "Chapter 05: the host adds N products", 300)
def host_adds(f):
    n, global_size = 10, 4
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
    f.note(462, 264, "one colour: one work-item")


@figure("group-adds", "Chapter 06: each work-group adds, the host adds one number for each group", 330)
def group_adds(f):
    n, local, groups = 10, 2, 2
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


@figure("divergence", "Divergence: the work-items of two bundles that add, step by step, in two trees", 430)
def divergence(f):
    """Which of 64 work-items add in each step, in two bundles of 32: the chapter's tree, and one with lid % ..."""
    local, bundle, w, h, row = 64, 32, 8, 15, 21
    lefts = [76 + b * (bundle * w + 16) for b in range(2)]
    trees = (
        ("if (lid < active)", lambda lid, s: lid < local >> s, GREEN),
        ("if (lid % (2 * distance) == 0)", lambda lid, s: lid % (1 << s) == 0, ORANGE),
    )
    for t, (condition, adds, color) in enumerate(trees):
        y = 34 + t * 190
        f.text(24, y, condition, 15, INK, "start", True, mono=True)
        total = 0
        for s in range(1, 7):
            top, busy = y + 14 + (s - 1) * row, 0
            f.note(24, top + 12, f"step {s}")
            for b, left in enumerate(lefts):
                lanes = [i for i in range(bundle) if adds(b * bundle + i, s)]
                busy += bool(lanes)
                if lanes:
                    f.box(left, top, bundle * w, h, PALE[ORANGE], ORANGE, 1, 1)
                    d = " ".join(f"M{left + i * w + 1:g} {top:g}h{w - 2}v{h}h-{w - 2}z" for i in lanes)
                    f.path(d, BLUE, 0.5, fill=BLUE)
                else:
                    f.box(left, top, bundle * w, h, WHITE, LINE, 1, 1, "3 3")
            f.text(640, top + 12, busy, 13.5, INK)
            total += busy
        f.text(656, y, f"a bundle adds {total} times", 14, color, "end", True)
        for b, left in enumerate(lefts):
            f.note(left, y + 14 + 6 * row + 12, f"bundle {b}: lid {b * bundle} … {(b + 1) * bundle - 1}")
    y = 408
    f.box(24, y - 11, 8, h - 2, BLUE, BLUE, 0, 0.5)
    f.note(38, y, "adds")
    f.box(90, y - 11, 26, h - 2, PALE[ORANGE], ORANGE, 1, 1)
    f.note(122, y, "idle, but has to go along")
    f.box(300, y - 11, 26, h - 2, WHITE, LINE, 1, 1, "3 3")
    f.note(332, y, "no one adds: on to the barrier")
