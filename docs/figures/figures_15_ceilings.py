"""Figures of chapter 15: the roofline."""
from draw import BLUE, Figure, GREEN, INK, LINE, ORANGE, PALE, SOFT, WHITE, figure


@figure("roofline")
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
