"""Draws the figures of the book, as SVG. Where a figure shows which work-item does what, it is computed
with the same index arithmetic as the kernel.

    python3 docs/figures/make.py [FOLDER]      (default: the folder of this file)

Every figure has its own light panel, so that it reads the same on a light page and on a dark one, and
its text is text, in fonts that every system has one of.
"""
import html
import math
import pathlib
import sys

FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
MONO = "Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace"
INK, SOFT, LINE, PANEL, RIM = "#1f2933", "#5b6670", "#8a949d", "#fcfbf7", "#cfcabd"
WHITE, GREY = "#ffffff", "#eceae2"
BLUE, GREEN, ORANGE, RED, VIOLET, TEAL = "#2b6cb0", "#2f7d4f", "#b7561a", "#c22f2f", "#6b4fa3", "#147a7e"
PALE = {BLUE: "#dcebfa", GREEN: "#dcf2e3", ORANGE: "#fce8d6", RED: "#fbdcdc", VIOLET: "#e9e2f7", TEAL: "#d8f0f0",
        INK: GREY, GREY: GREY}
FOUR = [BLUE, GREEN, ORANGE, VIOLET]  # work-items 0 to 3, or work-groups


class Figure:
    """Collects shapes; coordinates in pixels, y downwards."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title, self.parts = width, height, title, []

    def add(self, text):
        self.parts.append(text)

    def box(self, x, y, w, h, fill=WHITE, stroke=LINE, r=4, width=1.2, dash=None):
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{r}" fill="{fill}" stroke="{stroke}" '
                 f'stroke-width="{width}"{dash}/>')

    def text(self, x, y, text, size=14, fill=INK, anchor="middle", bold=False, mono=False, italic=False):
        style = (' font-weight="bold"' if bold else "") + (' font-style="italic"' if italic else "") + \
            (f' font-family="{MONO}"' if mono else "")
        self.add(f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}" text-anchor="{anchor}"{style}>'
                 f'{html.escape(str(text), quote=False)}</text>')

    def label(self, x, y, w, h, text, color=BLUE, size=14, bold=False, mono=False, r=4, sub=None, strong=False):
        """A box with a text in the middle, and a smaller one under it."""
        self.box(x, y, w, h, color if strong else PALE[color], color, r)
        middle = y + h / 2 + size * 0.35 - (9 if sub else 0)
        self.text(x + w / 2, middle, text, size, WHITE if strong else INK, bold=bold, mono=mono)
        if sub:
            self.text(x + w / 2, middle + 18, sub, 12.5, SOFT)

    def line(self, x1, y1, x2, y2, color=SOFT, width=1.5, arrow=False, dash=None):
        end = f' marker-end="url(#a{color[1:]})"' if arrow else ""
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{color}" stroke-width="{width}"{end}{dash}/>')

    def arrow(self, x1, y1, x2, y2, color=SOFT, width=1.5, dash=None):
        self.line(x1, y1, x2, y2, color, width, True, dash)

    def path(self, d, color=SOFT, width=1.5, arrow=False, fill="none", dash=None):
        end = f' marker-end="url(#a{color[1:]})"' if arrow else ""
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(f'<path d="{d}" fill="{fill}" stroke="{color}" stroke-width="{width}"{end}{dash}/>')

    def cells(self, x, y, w, h, texts, colors=None, size=14, strong=()):
        """A row of equal cells; `colors` one for each (None: white)."""
        for i, text in enumerate(texts):
            color = colors[i] if colors else None
            self.box(x + i * w, y, w, h, (color if i in strong else PALE[color]) if color else WHITE, color or LINE, 2)
            if text is not None and text != "":
                self.text(x + (i + 0.5) * w, y + h / 2 + size * 0.35, text, size, WHITE if i in strong else INK)

    def svg(self):
        used = "".join(self.parts)
        colors = [c for c in (INK, SOFT, LINE, BLUE, GREEN, ORANGE, RED, VIOLET, TEAL) if f"url(#a{c[1:]})" in used]
        markers = "".join(
            f'<marker id="a{c[1:]}" viewBox="0 0 10 10" refX="9" refY="5" markerUnits="userSpaceOnUse" markerWidth="10" markerHeight="10" '
            f'orient="auto-start-reverse"><path d="M0 1 L10 5 L0 9 z" fill="{c}"/></marker>' for c in colors)
        lines = "\n".join(self.parts)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
                f'height="{self.height}" font-family="{FONT}" role="img">\n<title>{html.escape(self.title)}</title>\n'
                f'<defs>{markers}</defs>\n'
                f'<rect x="1" y="1" width="{self.width - 2}" height="{self.height - 2}" rx="10" fill="{PANEL}" '
                f'stroke="{RIM}" stroke-width="1.5"/>\n{lines}\n</svg>\n')


# ---- 01, 02: the things and where they come from --------------------------------------------------

def objects():
    f = Figure(660, 392, "What an OpenCL program creates, and from what")
    f.label(24, 24, 150, 46, "platform", INK, bold=True, sub="PoCL, a GPU driver …")
    f.label(24, 112, 150, 46, "device", INK, bold=True, sub="a GPU, a CPU …")
    f.arrow(99, 70, 99, 110)
    f.text(106, 96, "has", 13, SOFT, "start")
    f.box(206, 24, 430, 344, "#f4f8fc", BLUE, 10)
    f.text(221, 47, "context: what belongs together", 14, BLUE, "start", True)
    f.arrow(174, 135, 204, 135)
    f.label(226, 66, 170, 46, "queue", BLUE, bold=True, sub="commands, in order")
    f.label(226, 150, 170, 46, "program", BLUE, bold=True, sub="kernel.cl, compiled")
    f.label(226, 234, 170, 46, "kernel", BLUE, bold=True, sub="one of its functions")
    f.arrow(311, 196, 311, 232)
    for i, name in enumerate(["buffer a", "buffer b", "buffer c"]):
        f.label(478, 192 + i * 48, 134, 38, name, GREEN, bold=True)
        f.arrow(478, 211 + i * 48, 398, 250 + i * 7, GREEN)
    f.text(545, 184, "the device's memory", 13, SOFT)
    f.text(330, 304, "arguments of the kernel", 13, GREEN, "middle")
    f.path("M 226 257 C 190 230, 190 130, 224 96", BLUE, 1.8, True)
    f.text(226, 354, "the kernel, with its arguments, is put into the queue: a launch", 13, BLUE, "start")
    f.text(545, 76, "the queue carries out:", 13, SOFT)
    for i, what in enumerate(["launch the kernel", "copy c to the host"]):
        f.text(545, 96 + i * 19, f"{i + 1}. {what}", 13, INK)
    return f


def platforms():
    f = Figure(680, 330, "How the ICD loader finds platforms and their devices")
    f.label(16, 132, 116, 54, "your program", INK, bold=True)
    f.label(164, 132, 122, 54, "ICD loader", BLUE, bold=True, sub="libOpenCL.so")
    f.arrow(132, 159, 162, 159)
    f.text(225, 236, "reads the folder", 13, SOFT)
    f.text(225, 254, "/etc/OpenCL/vendors", 12.5, INK, mono=True)
    f.path("M 225 222 L 225 188", SOFT, 1.5, True)
    rows = [("pocl.icd", "PoCL", ["0:0  your CPU"], False), ("nvidia.icd", "NVIDIA CUDA", ["1:0  a GPU", "1:1  a GPU"], True),
            ("mesa.icd", "Mesa", [], False)]
    for i, (icd, name, devices, gpu) in enumerate(rows):
        y = 46 + i * 96
        f.arrow(286, 159, 328, y + 30, BLUE)
        f.box(330, y, 184, 60, WHITE, BLUE)
        f.text(422, y + 25, f"platform {i}: {name}", 13.5, INK, bold=False)
        f.text(422, y + 45, icd, 12.5, SOFT, mono=True)
        for d, device in enumerate(devices):
            top = y + (13 if len(devices) == 1 else -4 + d * 36)
            f.label(548, top, 116, 32, device, ORANGE if gpu else GREEN, 13.5)
            f.arrow(514, y + 30, 546, top + 16)
        if not devices:
            f.text(606, y + 35, "no device here", 13.5, SOFT, italic=True)
            f.line(514, y + 30, 548, y + 30, LINE, 1.5, dash="4 4")
    f.text(422, 30, "platforms", 14, SOFT, bold=True)
    f.text(606, 30, "devices", 14, SOFT, bold=True)
    return f


# ---- 03: launch geometry ---------------------------------------------------------------------------

def ndrange():
    n, local, groups = 10, 4, 3
    f = Figure(680, 276, "12 work-items in 3 groups of 4 over 10 elements")
    w, x0 = 47, 76
    marked = 9
    for g in range(groups):
        x = x0 + g * local * w + g * 8
        f.box(x - 3, 34, local * w + 6, 96, "#f4f8fc", FOUR[g], 8)
        f.text(x + local * w / 2, 26, f"work-group {g}", 14, FOUR[g], bold=True)
        for l in range(local):
            i = g * local + l  # get_group_id(0) * get_local_size(0) + get_local_id(0)
            inside = i < n  # the guard
            f.box(x + l * w + 3, 44, w - 6, 76, (FOUR[g] if i == marked else PALE[FOUR[g]]) if inside else WHITE,
                  FOUR[g] if inside else LINE, 5, dash=None if inside else "3 3")
            ink = WHITE if i == marked else INK if inside else SOFT
            f.text(x + l * w + w / 2, 73, i, 18, ink, bold=True)
            f.text(x + l * w + w / 2, 104, l, 13, ink)
            cx = x + l * w + w / 2
            if inside:
                f.arrow(cx, 130, 76 + i * 53 + 25, 188, FOUR[g])
            else:
                f.line(cx, 124, cx, 142, LINE, 1.5, dash="3 3")
                f.text(cx, 158, "×", 18, RED, bold=True)
    f.text(12, 72, "global id", 12.5, SOFT, "start")
    f.text(12, 104, "local id", 12.5, SOFT, "start")
    for i in range(n):
        g = i // local
        f.label(76 + i * 53, 190, 50, 34, f"[{i}]", FOUR[g], 14)
    f.text(12, 211, "array", 12.5, SOFT, "start")
    f.text(x0, 250, "the guard keeps work-items 10 and 11 from touching memory behind it", 13, RED, "start")
    return f


def grid_stride():
    n, global_size = 10, 4
    f = Figure(680, 262, "Grid-stride loop: 4 work-items, 10 elements")
    w, x0, y0 = 56, 60, 158
    owner = [None] * n
    rounds = [0] * n
    for item in range(global_size):
        turn = 0
        for i in range(item, n, global_size):  # for (i = get_global_id(0); i < n; i += get_global_size(0))
            owner[i], rounds[i] = item, turn
            turn += 1
    for item in range(global_size):
        f.label(x0 + item * w + 3, 46, w - 6, 36, item, FOUR[item], 16, True, strong=True)
        f.arrow(x0 + item * w + w / 2, 82, x0 + item * w + w / 2, y0 - 3, FOUR[item], 1.8)
    f.text(x0, 34, "4 work-items (global size 4)", 14, SOFT, "start", True)
    for i in range(n):
        f.label(x0 + i * w, y0, w, 40, f"[{i}]", FOUR[owner[i]], 14)
        if i + global_size < n:
            a, b = x0 + i * w + w / 2, x0 + (i + global_size) * w + w / 2
            up = 24 + 7 * (i % global_size)
            f.path(f"M {a + 7:g} {y0 - 3} C {a + 26:g} {y0 - up - 26:g}, {b - 26:g} {y0 - up - 26:g}, {b:g} {y0 - 3}", FOUR[owner[i]], 1.6, True)
    f.text(430, 60, "i += get_global_size(0)", 14, INK, mono=True)
    f.text(430, 82, "each step is as long as the launch", 13, SOFT)
    for r in range(max(rounds) + 1):
        first, last = rounds.index(r), n - 1 - rounds[::-1].index(r)
        a, b = x0 + first * w + 4, x0 + (last + 1) * w - 4
        f.path(f"M {a:g} {y0 + 48} v 8 H {b:g} v -8", SOFT)
        f.text((a + b) / 2, y0 + 76, f"round {r + 1}", 13, SOFT)
    f.text(x0 + n * w - 2, 34, "element i goes to work-item i mod 4", 13, SOFT, "end")
    return f


# ---- 04: memory ------------------------------------------------------------------------------------

def memory():
    f = Figure(680, 400, "Copying and mapping, on a card with its own memory and where memory is shared")
    for y, title in ((30, "a graphics card: two memories"), (222, "a CPU, or a GPU inside the processor: one memory")):
        f.text(24, y, title, 15, INK, "start", True)
    f.box(24, 44, 246, 140, "#fdf4ec", ORANGE, 8)
    f.text(147, 64, "host's memory", 13.5, ORANGE, bold=True)
    f.box(440, 44, 216, 140, "#f4f8fc", BLUE, 8)
    f.text(548, 64, "device's memory", 13.5, BLUE, bold=True)
    f.label(40, 78, 214, 36, "host's array", ORANGE)
    f.label(40, 134, 214, 36, "mapped region (pinned)", ORANGE)
    f.label(478, 94, 140, 60, "buffer", BLUE, bold=True)
    f.arrow(254, 96, 476, 112, ORANGE, 2)
    f.text(355, 92, "write: copies", 13.5)
    f.arrow(254, 152, 476, 136, ORANGE, 2)
    f.text(355, 168, "unmap: copies, faster", 13.5)
    f.text(355, 128, "PCIe", 13, SOFT, italic=True)
    f.box(24, 236, 632, 140, "#f3f8f4", GREEN, 8)
    f.text(340, 256, "memory of host and device", 13.5, GREEN, bold=True)
    f.label(40, 268, 214, 36, "host's array", ORANGE)
    f.label(478, 284, 140, 60, "buffer", BLUE, bold=True)
    f.arrow(254, 286, 476, 302, ORANGE, 2)
    f.text(355, 282, "write: still copies", 13.5)
    f.label(40, 326, 214, 36, "pointer from map", GREEN)
    f.arrow(254, 344, 476, 328, GREEN, 2, dash="5 4")
    f.text(355, 360, "map: only an address", 13.5)
    return f


# ---- 05, 06: dot product ---------------------------------------------------------------------------

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
    f = Figure(680, 78 + steps * row + 38, title)
    sums = list(values)
    active = local // 2
    f.text(x0 - 14, 55, "sums[l]", 13.5, INK, "end", mono=True)
    for l, value in enumerate(sums):
        f.text(x0 + (l + 0.5) * w, 26, f"l = {l}", 12.5, SOFT)
    f.cells(x0, 34, w, 34, sums, [BLUE] * local, 15)
    right = list(values)
    y = 68
    step = 0
    while active > 0:
        step += 1
        before, before_right = list(sums), list(right)
        for l in range(active):  # if (l < active) sums[l] += sums[l + active];
            right[l] = before_right[l] + before_right[l + active]
            # The one that lags has not added yet when its neighbour reads it.
            sums[l] = before[l] + before[l + active]
        if broken and step == 2:
            lagging = active * 2 - 1
            sums[lagging - active] = before[lagging - active] + values[lagging]
        if not broken:
            f.line(x0 - 4, y + 10, x0 + local * w + 4, y + 10, ORANGE, 3)
            f.text(x0 - 10, y + 15, "barrier", 13, ORANGE, "end", True)
        for l in range(active):
            color = RED if broken and ((step == 2 and l == lagging - active) or (step > 2)) else SOFT
            f.arrow(x0 + (l + 0.5) * w, y + 14 if not broken else y, x0 + (l + 0.5) * w, y + row - 36, color)
            f.arrow(x0 + (l + active + 0.5) * w, y + 14 if not broken else y, x0 + (l + 0.62) * w, y + row - 36, color)
        f.text(x0 - 14, y + row - 12, f"active = {active}", 13, SOFT, "end", mono=True)
        y += row
        colors = [BLUE] * active
        if broken:
            colors = [RED if l < active and sums[l] != right[l] else c for l, c in enumerate(colors)]
        f.cells(x0, y - 34, w, 34, [sums[l] for l in range(active)], colors, 15)
        active //= 2
    if broken:
        f.text(x0 + local * w, y - 14, f"{sums[0]}, where {right[0]} is right", 15, RED, "end", True)
        f.text(x0 + local * w, y + 18, f"work-item {lagging} was late: its neighbour read the old {values[lagging]}, not {values[lagging] + values[lagging + local // 2]}", 13, RED, "end")
    else:
        f.text(x0 + local * w, y - 14, f"partial_sums[group] = {sums[0]}", 14, INK, "end", mono=True)
        f.text(x0 + local * w, y + 18, "no work-item passes a barrier before all of its group have reached it", 13, ORANGE, "end")
    return f


VALUES = [3, 1, 4, 1, 5, 9, 2, 6]


def reduction_tree():
    return tree(VALUES, "The tree of one work-group, with its barriers")


def reduction_race():
    return tree(VALUES, "The same tree without the barrier in the loop: one possible order", True)


# ---- 07: time --------------------------------------------------------------------------------------

def event_timeline():
    f = Figure(680, 262, "The four moments of an event, and what the host's clock sees")
    f.text(24, 30, "host", 14, ORANGE, "start", True)
    f.text(24, 128, "device", 14, BLUE, "start", True)
    x = {"queued": 126, "submit": 206, "start": 316, "end": 520}
    f.box(96, 44, 66, 30, PALE[ORANGE], ORANGE)
    f.text(129, 64, "enqueue", 12.5)
    f.box(162, 44, 418, 30, WHITE, ORANGE, dash="4 3")
    f.text(363, 64, "waits: clWaitForEvents", 13, SOFT)
    f.label(x["submit"], 112, x["start"] - x["submit"], 34, "waits its turn", INK, 13)
    f.label(x["start"], 112, x["end"] - x["start"], 34, "the kernel runs", BLUE, 14, True)
    f.arrow(x["queued"], 74, x["submit"], 110)
    f.arrow(x["end"], 112, 580, 76)
    for name, px in x.items():
        top = 76 if name == "queued" else 146
        f.line(px, top, px, 168, LINE, 1.2, dash="3 3")
        f.text(px, 184, name.upper(), 12.5, INK, mono=True)
    f.path(f"M {x['start']} 194 v 7 H {x['end']} v -7", BLUE, 2)
    f.text((x["start"] + x["end"]) / 2, 220, "kernel time: END − START, by the device's clock", 13.5, BLUE, bold=True)
    f.path("M 96 36 v -8 H 580 v 8", ORANGE, 2)
    f.text(338, 22, "launch and wait, by the host's clock", 13.5, ORANGE, bold=True)
    f.text(24, 248, "all four moments are read from the device's clock, in nanoseconds", 12.5, SOFT, "start")
    return f


# ---- 08 to 10: matrix product ----------------------------------------------------------------------

def matrix(f, x, y, rows, cols, cell, color_of, name=None, below=None):
    for r in range(rows):
        for c in range(cols):
            color = color_of(r, c)
            fill = PALE.get(color, color) if color else WHITE
            f.box(x + c * cell, y + r * cell, cell, cell, fill, LINE, 0, 0.8)
    if name:
        f.text(x + cols * cell / 2, y - 9, name, 15, INK, bold=True)
    if below:
        f.text(x + cols * cell / 2, y + rows * cell + 19, below, 13, SOFT)


def matmul():
    M, N, K, row, col, cell = 6, 7, 8, 2, 4, 24
    f = Figure(680, 446, "One element of C: a row of A times a column of B")
    ax, cx, by = 90, 330, 44
    cy = by + K * cell + 34
    matrix(f, cx, by, K, N, cell, lambda r, c: GREEN if c == col else None)
    matrix(f, ax, cy, M, K, cell, lambda r, c: BLUE if r == row else None)
    matrix(f, cx, cy, M, N, cell, lambda r, c: "#f2b78a" if (r, c) == (row, col) else None)
    f.text(cx + N * cell / 2, 30, "B: K×N", 15, GREEN, bold=True)
    f.text(ax + K * cell / 2, cy - 12, "A: M×K", 15, BLUE, bold=True)
    f.text(cx + N * cell + 12, cy + M * cell - 6, "C: M×N", 15, ORANGE, "start", True)
    f.arrow(ax + K * cell + 4, cy + (row + .5) * cell, cx + col * cell - 4, cy + (row + .5) * cell, BLUE, 2)
    f.arrow(cx + (col + .5) * cell, by + K * cell + 4, cx + (col + .5) * cell, cy + row * cell - 4, GREEN, 2)
    f.text(ax - 10, cy + (row + .5) * cell + 5, "row", 13, BLUE, "end")
    f.text(cx + N * cell + 14, by + 40, "sum over k of", 13.5, SOFT, "start")
    f.text(cx + N * cell + 14, by + 62, "A[row][k]", 14, BLUE, "start", mono=True)
    f.text(cx + N * cell + 14, by + 84, "· B[k][col]", 14, GREEN, "start", mono=True)
    f.text(340, 428, "one work-item computes one element: its global ids are col and row", 13, SOFT)
    f.text(cx + (col + 1) * cell + 2, by + K * cell + 22, "col", 13, GREEN, "start")
    return f


def tiling():
    """Chapter 09: the tiles that one work-group reads, step by step."""
    tile, M, N, K = 2, 6, 6, 8
    group = (1, 2)  # get_group_id(1), get_group_id(0)
    steps = [first for first in range(0, K, tile)]  # for (first = 0; first < K; first += TILE)
    f = Figure(680, 342, "Tiling, step by step")
    f.text(24, 28, "one work-group computes one tile of C, in K / TILE steps", 14, SOFT, "start")
    shown = [0, 1, 3]
    for s, index in enumerate(shown):
        first = steps[index]
        x0 = 24 + s * 214
        a_rows = range(group[0] * tile, group[0] * tile + tile)
        b_cols = range(group[1] * tile, group[1] * tile + tile)
        small = 11
        matrix(f, x0 + K * small + 8, 48, K, N, small,
               lambda r, c, first=first: GREEN if first <= r < first + tile and c in b_cols else None)
        matrix(f, x0, 48 + K * small + 8, M, K, small,
               lambda r, c, first=first: BLUE if r in a_rows and first <= c < first + tile else None)
        matrix(f, x0 + K * small + 8, 48 + K * small + 8, M, N, small,
               lambda r, c: ORANGE if r in a_rows and c in b_cols else None)
        f.text(x0, 62, f"step {index + 1}", 14, INK, "start", True)
        f.text(x0, 82, f"first = {first}", 13, SOFT, "start")
        f.text(x0 + 4, 128, "A", 14, BLUE, "start", True)
        f.text(x0 + K * small + 8 + N * small + 6, 60, "B", 14, GREEN, "start", True)
        f.text(x0 + K * small + 8 + N * small + 6, 48 + K * small + 8 + M * small, "C", 14, ORANGE, "start", True)
    f.text(24 + 2 * 214 - 26, 104, "…", 20, SOFT)
    y = 232
    for i, (text, color) in enumerate([("every work-item brings one element of each tile to local memory", BLUE),
                                       ("barrier: both tiles are complete", ORANGE),
                                       ("every work-item: TILE products, all from local memory", GREEN),
                                       ("barrier: everyone has read them; on to the next step", ORANGE)]):
        f.box(24, y + i * 25, 18, 18, PALE[color], color, 3)
        f.text(33, y + i * 25 + 14, i + 1, 12.5, INK)
        f.text(52, y + i * 25 + 14, text, 13.5, INK, "start")
    return f


def wpt():
    """Chapter 10: which elements of a tile belong to which work-item."""
    tile, w = 8, 4
    step = tile // w  # STEP in the kernel
    cell = 30
    f = Figure(680, 346, "More work per thread: the elements of one work-item")
    f.text(24, 28, "chapter 09: 64 work-items, 1 element each", 13, SOFT, "start")
    f.text(360, 28, f"chapter 10: 16 work-items, WPT = {w} each", 13, SOFT, "start")
    tile_col, tile_row = 2, 1
    for x0, mine in ((24, {(1, 2)}), (360, {(tile_row + i * step, tile_col) for i in range(w)})):
        for r in range(tile):
            for c in range(tile):
                color = ORANGE if (r, c) in mine else None
                if x0 == 360 and not color and r < step:
                    fill = PALE[BLUE]
                elif x0 == 24 and not color:
                    fill = PALE[BLUE]
                else:
                    fill = "#f2b78a" if color else WHITE
                f.box(x0 + c * cell, 42 + r * cell, cell, cell, fill, LINE, 0, 0.9)
    for i in range(w):
        f.text(360 + (tile_col + .5) * cell, 42 + (tile_row + i * step + .5) * cell + 5, f"{i}", 14, INK, bold=True)
    f.path(f"M {360 + tile * cell + 6} {42 + 1.5 * cell} h 8 v {step * cell} h -8", SOFT)
    f.text(360 + tile * cell + 18, 42 + 2.7 * cell, "STEP", 13, INK, "start", mono=True)
    f.text(24, 308, "blue: where the group's work-items stand; orange: the elements of C of one of them.", 13, SOFT, "start")
    f.text(24, 328, "One value of B, read once from local memory, is used for all four.", 13, SOFT, "start")
    return f


# ---- 11, 12: sums ----------------------------------------------------------------------------------

def rounding_path():
    """Chapter 11: the longest way of a term to its partial sum."""
    f = Figure(680, 300, "How many roundings a term goes through")
    n, items = 24, 4
    per = n // items
    x0, w = 34, 25
    f.text(24, 28, "each arrow is an addition, and each addition rounds", 14, SOFT, "start")
    heads = []
    for item in range(items):
        base = x0 + item * 158
        for t in range(per):
            strong = item == 0
            f.box(base + t * w - 9, 50, 18, 18, "#f2b78a" if strong and t == 0 else PALE[FOUR[item]], FOUR[item], 3)
            if t:
                f.arrow(base + (t - 1) * w + 9, 59, base + t * w - 10, 59, ORANGE if strong else LINE, 2.4 if strong else 1.3)
        heads.append(base + (per - 1) * w)
    f.text(heads[0] + 10, 92, "terms: ⌈N / global size⌉", 12.5, ORANGE, "start")
    y, active = 118, items // 2
    pos = heads
    for x in heads:
        f.box(x - 10, y, 20, 20, GREY, SOFT, 3)
        f.line(x, 70, x, y - 1, ORANGE if x == heads[0] else LINE, 1.4)
    while active:
        for l in range(active):
            strong = l == 0
            f.arrow(pos[l], y + 20, pos[l], y + 54, ORANGE if strong else LINE, 2.4 if strong else 1.3)
            f.arrow(pos[l + active], y + 20, pos[l] + 8, y + 54, LINE, 1.3)
            f.box(pos[l] - 10, y + 55, 20, 20, GREY, SOFT, 3)
        y += 55
        active //= 2
    f.text(heads[0] + 180, y + 4, "then the tree: log₂(local size) steps", 13, ORANGE, "start")
    f.text(heads[0] - 18, y + 15, "partial sum", 13, SOFT, "end")
    f.text(24, 284, "error ≤ (terms on the longest path) · ε · Σ|x|", 14.5, INK, "start", True)
    f.text(400, 284, "ε = 2⁻²³: the step between floats at 1", 13, SOFT, "start")
    return f


def unrolled():
    """Chapter 12: the levels, with the kernel's index arithmetic."""
    n, uf = 11, 2
    f = Figure(680, 322, "The unrolled sum, level by level: N = 11, UF = 2")
    w, x0, y = 52, 82, 34
    left = n
    level = 0
    while True:
        f.text(24, y + 21, f"n = {left}", 13.5, INK, "start", mono=True)
        stride = left // uf  # stride = n / UF
        items = max(1, stride)
        colors = []
        for i in range(left):
            # element i is read by work-item i mod stride; the n mod UF left over by work-item 0
            owner = i % stride if i < stride * uf else 0
            colors.append(FOUR[owner % 4] if left > 1 else INK)
        f.cells(x0, y, w, 30, [f"[{i}]" for i in range(left)], colors, 13)
        if left == 1:
            f.text(x0 + w + 14, y + 20, "the sum of all", 13.5, INK, "start", True)
            break
        for i in range(items):
            for k in range(uf):
                f.arrow(x0 + (i + k * stride + .5) * w, y + 30, x0 + (i + .38 + .24 * k) * w, y + 60, FOUR[i % 4], 1.6)
        for j in range(stride * uf, left):
            f.path(f"M {x0 + (j + .5) * w:g} {y + 30} C {x0 + (j + .3) * w:g} {y + 52}, {x0 + 2.2 * w:g} {y + 42}, {x0 + .86 * w:g} {y + 61}", FOUR[0], 1.6, True, dash="4 3")
        level += 1
        y += 64 if level < 9 else 0
        left = items
    f.text(656, 298 - 4, "solid: UF elements each", 13, SOFT, "end")
    f.text(656, 312 - 1, "dashed: left over, for work-item 0", 13, SOFT, "end")
    f.text(656, 26, "one colour, one work-item; one row, one launch", 13, SOFT, "end")
    return f


# ---- 13 to 16 --------------------------------------------------------------------------------------

def roofline():
    f = Figure(680, 376, "The roofline: what a device can reach, by operations per byte")
    x0, x1, y0, y1 = 84, 640, 312, 44
    top, ridge = 84, 0.55
    rx = x0 + ridge * (x1 - x0)
    f.line(x0, y0, x1, y0, INK, 1.6)
    f.line(x0, y0, x0, y1, INK, 1.6)
    f.add(f'<polygon points="{x0},{y0} {x0},{y0 - 30} {rx},{top} {x1},{top} {x1},{y0}" fill="{PALE[BLUE]}" opacity="0.6"/>')
    f.line(x0, y0 - 30, rx, top, BLUE, 3)
    f.line(rx, top, x1, top, ORANGE, 3)
    slope = (y0 - 30 - top) / (rx - x0)
    f.text(x0 + 24, 128, "ceiling of memory:", 13.5, BLUE, "start", True)
    f.text(x0 + 24, 147, "bytes per second", 13, BLUE, "start")
    f.text((rx + x1) / 2, top - 12, "ceiling of arithmetic: multiply-adds", 13.5, ORANGE, bold=True)
    f.line(rx, top, rx, y0, LINE, 1.2, dash="4 4")
    for share, name, reach in ((0.12, "dot product", 0.97), (0.78, "matrix product, tiled", 0.55), (0.9, "register tile", 0.86)):
        px = x0 + share * (x1 - x0)
        roof = top if px > rx else y0 - 30 - slope * (px - x0)
        py = y0 - (y0 - roof) * reach
        f.line(px, py, px, roof + 3, LINE, 1.2, dash="2 3")
        f.add(f'<circle cx="{px:g}" cy="{py:g}" r="6" fill="{GREEN}" stroke="{WHITE}" stroke-width="1.5"/>')
        anchor = "start" if share < 0.5 else "end"
        f.text(px + (12 if share < 0.5 else -12), py + 18, name, 13, GREEN, anchor)
    f.text((x0 + x1) / 2, y0 + 22, "operations for each byte that has to come from memory", 13.5)
    f.text(x0 + 20, y0 + 44, "few: the memory decides", 13, BLUE, "start")
    f.text(x1, y0 + 44, "many: the arithmetic decides", 13, ORANGE, "end")
    f.add(f'<text transform="translate(40 {(y0 + y1) / 2:g}) rotate(-90)" font-size="13.5" fill="{INK}" text-anchor="middle">operations per second</text>')
    f.text(rx + 6, y0 - 8, "ridge", 12.5, SOFT, "start")
    f.text(656, 30, "both axes logarithmic", 12.5, SOFT, "end")
    return f


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


def register_tile():
    """Chapter 17: a 4×4 tile of C in registers: 8 values read, 16 multiply-adds."""
    t, cell = 4, 34
    f = Figure(680, 312, "A tile of C in registers")
    cx, cy = 250, 116
    for i in range(t):
        f.label(cx - 64, cy + i * cell + 3, 42, cell - 6, f"a{i}", BLUE, 14)
        f.label(cx + i * cell + 2, cy - 56, cell - 4, 34, f"b{i}", GREEN, 14)
        for j in range(t):
            f.box(cx + j * cell, cy + i * cell, cell, cell, PALE[ORANGE], ORANGE, 0, 1)
            f.text(cx + (j + .5) * cell, cy + (i + .5) * cell + 4, f"a{i}b{j}", 11.5)
        f.line(cx - 22, cy + (i + .5) * cell, cx - 2, cy + (i + .5) * cell, BLUE, 1.4)
        f.line(cx + (i + .5) * cell, cy - 22, cx + (i + .5) * cell, cy - 2, GREEN, 1.4)
    f.text(170, cy - 34, "4 values of A's column k", 13, BLUE, "end")
    f.text(170, cy - 16, "from local memory", 13, SOFT, "end")
    f.text(cx + t * cell + 16, cy - 38, "4 values of B's row k", 13, GREEN, "start")
    f.text(cx + t * cell + 16, cy - 20, "from local memory", 13, SOFT, "start")
    f.text(cx + t * cell + 16, cy + 52, "sums[4][4] stay in registers", 13.5, ORANGE, "start")
    f.text(cx + t * cell + 16, cy + 74, "of one work-item", 13.5, ORANGE, "start")
    f.text(24, 30, "for each k: 8 values read, 16 multiply-adds", 15, INK, "start", True)
    f.text(24, 280, "one element per work-item (09): 2 reads for 1 multiply-add", 13, SOFT, "start")
    f.text(24, 300, "a column of 4 (10): 5 reads for 4;   a tile of 4×4: 8 reads for 16;   a tile of 8×8: 16 reads for 64", 13, SOFT, "start")
    return f


def autotune():
    f = Figure(680, 250, "Autotuning: try, measure, remember")
    steps = [("candidates", "tile, group,\nregister tile", INK), ("does it fit?", "limits of the\ndevice", BLUE), ("is it right?", "check against\nthe host", GREEN),
             ("how fast?", "median of\nseveral runs", ORANGE)]
    for i, (name, sub, color) in enumerate(steps):
        x = 24 + i * 165
        f.box(x, 44, 137, 86, PALE[color], color, 6)
        f.text(x + 68, 70, name, 15, INK, bold=True)
        for j, part in enumerate(sub.split("\n")):
            f.text(x + 68, 92 + j * 18, part, 13, SOFT)
        if i:
            f.arrow(x - 27, 87, x - 3, 87, SOFT, 2)
    f.path("M 587 130 V 158 H 92 V 134", SOFT, 1.8, True)
    f.text(340, 152, "the next one", 13, SOFT)
    f.label(210, 182, 260, 46, "the fastest, for this device", VIOLET, 14.5, True, sub="written to a file, used at the next start")
    f.arrow(587, 130, 472, 198, VIOLET, 1.8)
    return f


# ---- concepts --------------------------------------------------------------------------------------

def memory_model():
    f = Figure(680, 366, "Host, device, compute units, work-groups and the four kinds of memory")
    f.label(20, 120, 130, 120, "host", ORANGE, 16, True, sub="your C++ program")
    f.box(190, 24, 466, 318, "#f4f8fc", BLUE, 10)
    f.text(206, 46, "device", 15, BLUE, "start", True)
    for u in range(2):
        x = 210 + u * 226
        f.box(x, 58, 208, 194, WHITE, BLUE, 8)
        f.text(x + 104, 78, f"compute unit {u}", 13.5, BLUE, bold=True)
        f.text(x + 104, 96, "runs one work-group, or several", 12.5, SOFT)
        for i in range(4):
            f.label(x + 10 + i * 48, 106, 44, 34, "item", GREEN, 12.5)
            f.label(x + 10 + i * 48, 144, 44, 30, "private", INK, 11.5)
        f.label(x + 10, 190, 188, 44, "local memory", VIOLET, 14, True, sub="one work-group shares it")
        for i in range(4):
            f.line(x + 32 + i * 48, 174, x + 32 + i * 48, 190, LINE, 1.2)
        f.line(x + 104, 252, x + 104, 272, SOFT, 1.5)
    f.label(210, 272, 434, 54, "global memory: buffers", TEAL, 15, True, sub="all work-items; constant memory is a part that kernels only read")
    f.path("M 150 205 C 172 220, 172 299, 208 299", ORANGE, 2, True)
    f.text(30, 290, "write, read, map", 13, ORANGE, "start")
    f.arrow(150, 150, 188, 110, ORANGE, 2)
    f.text(30, 104, "launch", 13, ORANGE, "start")
    return f


FIGURES = {
    "objects": objects, "platforms": platforms, "ndrange": ndrange, "grid-stride": grid_stride, "memory": memory,
    "host-adds": host_adds, "group-adds": group_adds, "reduction-tree": reduction_tree,
    "reduction-race": reduction_race, "event-timeline": event_timeline, "matmul": matmul, "tiling": tiling, "wpt": wpt,
    "rounding-path": rounding_path, "unrolled": unrolled, "roofline": roofline, "vector-loads": vector_loads,
    "register-tile": register_tile, "autotune": autotune, "memory-model": memory_model,
}


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent
    for name, draw in FIGURES.items():
        (folder / f"{name}.svg").write_text(draw().svg())
    print(f"{len(FIGURES)} figures in {folder}")


if __name__ == "__main__":
    main()
