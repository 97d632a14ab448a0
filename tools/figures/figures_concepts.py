"""Figures of docs/concepts.md: the memory model."""

from draw import BLUE, GREEN, INK, LINE, ORANGE, SOFT, TEAL, VIOLET, WHITE, Figure, figure


@figure("memory-model")
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
    f.label(
        210,
        272,
        434,
        54,
        "global memory: buffers",
        TEAL,
        15,
        True,
        sub="all work-items; constant memory is a part that kernels only read",
    )
    f.path("M 150 205 C 172 220, 172 299, 208 299", ORANGE, 2, True)
    f.text(30, 290, "write, read, map", 13, ORANGE, "start")
    f.arrow(150, 150, 188, 110, ORANGE, 2)
    f.text(30, 104, "launch", 13, ORANGE, "start")
    return f
