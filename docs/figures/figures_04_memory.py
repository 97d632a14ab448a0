"""Figures of chapter 04: the two memories."""

from draw import BLUE, GREEN, INK, ORANGE, SOFT, Figure, figure


@figure("memory")
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
