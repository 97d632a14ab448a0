"""Figures of chapter 15: the roofline."""

from draw import BLUE, GREEN, INK, LINE, ORANGE, PALE, SOFT, WHITE, Figure, figure


@figure("roofline")
def roofline():
    f = Figure(680, 376, "The roofline: what a device can reach, by operations per byte")
    x0, x1, y0, y1 = 84, 640, 312, 44
    top, ridge = 84, 0.55
    rx = x0 + ridge * (x1 - x0)
    f.line(x0, y0, x1, y0, INK, 1.6)
    f.line(x0, y0, x0, y1, INK, 1.6)
    f.add(
        f'<polygon points="{x0},{y0} {x0},{y0 - 30} {rx},{top} {x1},{top} {x1},{y0}" fill="{PALE[BLUE]}" opacity="0.6"/>'
    )
    f.line(x0, y0 - 30, rx, top, BLUE, 3)
    f.line(rx, top, x1, top, ORANGE, 3)
    slope = (y0 - 30 - top) / (rx - x0)
    f.text(x0 + 24, 128, "ceiling of memory:", 15, BLUE, "start", True)
    f.text(x0 + 24, 147, "bytes per second", 14.5, BLUE, "start")
    f.text((rx + x1) / 2, top - 12, "ceiling of arithmetic: multiply-adds", 15, ORANGE, bold=True)
    f.line(rx, top, rx, y0, LINE, 1.2, dash="4 4")
    for share, name, reach in (
        (0.12, "dot product", 0.97),
        (0.8, "matrix product, tiled", 0.5),
        (0.8, "matrix product, register tile", 0.8),  # the same bytes that it has to move, so the same place
    ):
        px = x0 + share * (x1 - x0)
        roof = top if px > rx else y0 - 30 - slope * (px - x0)
        py = y0 - (y0 - roof) * reach
        f.add(f'<circle cx="{px:g}" cy="{py:g}" r="6" fill="{GREEN}" stroke="{WHITE}" stroke-width="1.5"/>')
        memory = share < ridge
        f.text(px + 12 * memory, py + (20 if memory else 24), name, 15, GREEN, "start" if memory else "middle")
    f.text((x0 + x1) / 2, y0 + 22, "operations for each byte that has to come from memory", 15)
    f.text(x0 + 20, y0 + 44, "few: memory decides", 14.5, BLUE, "start")
    f.text(x1, y0 + 44, "many: arithmetic decides", 14.5, ORANGE, "end")
    f.add(
        f'<text transform="translate(40 {(y0 + y1) / 2:g}) rotate(-90)" font-size="15" fill="{INK}" text-anchor="middle">operations per second</text>'
    )
    f.text(rx + 6, y0 - 8, "ridge point: the machine balance", 14, SOFT, "start")
    f.text(656, 30, "both axes logarithmic", 14, SOFT, "end")
    return f
