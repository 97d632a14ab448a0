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
    f.label(40, 134, 214, 36, "mapped region", ORANGE)
    f.label(478, 78, 140, 92, "buffer", BLUE, bold=True)
    f.text(355, 62, "over PCIe", 13, SOFT, italic=True)
    f.box(24, 236, 632, 140, "#f3f8f4", GREEN, 8)
    f.text(340, 256, "memory of host and device", 13.5, GREEN, bold=True)
    f.label(40, 268, 214, 36, "host's array", ORANGE)
    f.label(40, 326, 214, 36, "pointer from map", GREEN)
    f.label(478, 268, 140, 94, "buffer", BLUE, bold=True)
    for y, there, back in (
        (78, "write: copies", "read: copies"),
        (134, "unmap: copies, faster", "map (read): copies, faster"),
        (268, "write: still copies", "read: still copies"),
    ):
        f.arrow(254, y + 15, 476, y + 15, ORANGE, 2)
        f.text(355, y + 10, there, 13)
        f.arrow(476, y + 22, 254, y + 22, BLUE, 2)
        f.text(355, y + 37, back, 13)
    f.arrow(254, 344, 476, 344, GREEN, 2, dash="5 4")
    f.text(355, 362, "map: only an address", 13)
    return f
