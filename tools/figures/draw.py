"""What the figures are drawn with: a palette, and a Figure that collects shapes and writes SVG.

Every figure has its own light panel, so that it reads the same on a light page and on a dark one, and
its text is text, in fonts that every system has one of.

A figure can come into being moment by moment, by CSS alone: it then plays where an SVG is shown as a picture, in a
README on GitHub for one. Where nothing moves (prefers-reduced-motion, paper, programs without CSS) all of it stands
there from the beginning; and once it is complete it stays so for a while, before it begins again.
"""

import hashlib
import html
import re

FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
MONO = "Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace"
INK, SOFT, LINE, PANEL, RIM = "#1f2933", "#5b6670", "#8a949d", "#fcfbf7", "#cfcabd"
WHITE, GREY = "#ffffff", "#eceae2"
BLUE, GREEN, ORANGE, RED, VIOLET, TEAL = "#2866a8", "#2a7448", "#a94e14", "#b82a2a", "#6b4fa3", "#12696d"
PALE = {BLUE: "#dcebfa", GREEN: "#dcf2e3", ORANGE: "#fce8d6", RED: "#fbdcdc", VIOLET: "#e9e2f7", TEAL: "#d8f0f0"}
PALE.update(dict.fromkeys((INK, GREY, LINE), GREY))
# The classes of figures that are kept by hand: README.md says how they are used.
CLASSES = {"ink": INK, "soft": SOFT, "line": LINE, "blue": BLUE, "green": GREEN, "orange": ORANGE, "red": RED}
CLASSES.update({"violet": VIOLET, "teal": TEAL})
FAINT = {"blue": "#f4f8fc", "orange": "#fdf4ec", "green": "#f3f8f4"}
MOMENT, FADE, REST = 1.6, 0.4, 5.0  # seconds: from one moment to the next, for one to appear, and of the whole
FOUR = [BLUE, GREEN, ORANGE, VIOLET]  # work-items 0 to 3


def marker(name, color):
    return (
        f'<marker id="{name}" viewBox="0 0 10 10" refX="9" refY="5" markerUnits="userSpaceOnUse" markerWidth="10" '
        f'markerHeight="10" orient="auto-start-reverse"><path d="M0 1 L10 5 L0 9 z" fill="{color}"/></marker>'
    )


def palette(drawing):
    """What make.py puts into a figure that is kept by hand, from <style> to </defs>: what its classes stand for."""
    words = {word for classes in re.findall(r'class="(.*?)"', drawing) for word in classes.split()} | {"soft"}
    used = {name: color for name, color in CLASSES.items() if name in words}
    rules = [
        f"svg{{font:14px {FONT};text-anchor:middle;stroke-width:1.4}} .mono{{font-family:{MONO}}}",
        ".start{text-anchor:start} .end{text-anchor:end} .bold{font-weight:bold} .italic{font-style:italic}",
        f".panel{{fill:{PANEL};stroke:{RIM};stroke-width:1.5}} text{{fill:{INK}}} text.white{{fill:{WHITE}}}",
        f"rect{{fill:{WHITE};stroke:{LINE}}}",
        f"line,path{{fill:none;stroke:{SOFT}}} .arrow{{marker-end:url(#soft)}}",
    ]
    for name, color in used.items():
        rule = f"text.{name}{{fill:{color}}} line.{name},path.{name}{{stroke:{color}}} .arrow.{name}{{marker-end:url(#{name})}}"
        rule += f" #{name} path{{fill:{color};stroke:none}}"
        if color in PALE:
            rule += f" rect.{name}{{fill:{PALE[color]};stroke:{color}}} rect.full.{name}{{fill:{color}}}"
        rules.append(rule)
    rules.append(" ".join(f"rect.faint.{name}{{fill:{color}}}" for name, color in FAINT.items() if name in used))
    rules.append(f"rect.hollow.hollow{{fill:{WHITE}}} rect.open.open{{fill:none}}")
    markers = [marker(name, color) for name, color in used.items()]
    return "\n".join(["<style>", *rules, "</style>", "<defs>", *markers, "</defs>"])


class Figure:
    """Collects shapes; coordinates in pixels, y downwards."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title, self.moments = width, height, title, [[]]

    def add(self, tag, words=None, **attributes):
        """An element; an attribute that is None is left out, and fill_opacity is fill-opacity."""
        values = {name.replace("_", "-"): value for name, value in attributes.items() if value is not None}
        given = " ".join(
            f'{name}="{value if isinstance(value, str) else f"{value:g}"}"' for name, value in values.items()
        )
        end = "/>" if words is None else f">{html.escape(str(words), quote=False)}</{tag}>"
        self.moments[-1].append(f"<{tag} {given}{end}")

    def moment(self):
        """What is added from here on appears one moment later."""
        self.moments.append([])

    def moving(self):
        """The figure's parts, those of a later moment in a group of their own; and the style that makes them appear."""
        parts, *later = self.moments
        if not later:
            return parts, ""
        name = "m" + hashlib.sha256(self.title.encode()).hexdigest()[:4]  # of its own, where figures share a page
        seconds = len(later) * MOMENT + REST
        rules = []
        for i, group in enumerate(later, 1):
            begin, end = (100 * at / seconds for at in (i * MOMENT, i * MOMENT + FADE))
            # Whole at first sight: it begins to move later.
            rules.append(f".{name}-{i}{{animation:{name}-{i} {seconds:g}s linear {REST:g}s infinite}}")
            rules.append(f"@keyframes {name}-{i}{{0%,{begin:.1f}%{{opacity:0}}{end:.1f}%,100%{{opacity:1}}}}")
            parts = [*parts, f'<g class="{name}-{i}">', *group, "</g>"]
        rules = "\n".join(rules)
        return parts, f"<style>@media screen and (prefers-reduced-motion: no-preference) {{\n{rules}\n}}</style>\n"

    def box(self, x, y, w, h, fill=WHITE, stroke=LINE, r=4, width=1.2, dash=None):
        style = {"fill": fill, "stroke": stroke, "stroke_width": width, "stroke_dasharray": dash}
        self.add("rect", x=x, y=y, width=w, height=h, rx=r, **style)

    def text(self, x, y, text, size=14, fill=INK, anchor="middle", bold=False, mono=False):
        style = {"font_weight": "bold" if bold else None, "font_family": MONO if mono else None}
        self.add("text", text, x=x, y=y, font_size=size, fill=fill, text_anchor=anchor, **style)

    def title_at(self, x, y, text, size=15):
        self.text(x, y, text, size, INK, "start", True)

    def note(self, x, y, text, color=SOFT, size=13, step=18):
        """Words beside a drawing, from x to the right, a line for each line of the text."""
        for row, line in enumerate(text.split("\n")):
            self.text(x, y + row * step, line, size, color, "start")

    def line(self, x1, y1, x2, y2, color=SOFT, width=1.5, arrow=False, dash=None):
        end = f"url(#a{color[1:]})" if arrow else None
        style = {"stroke": color, "stroke_width": width, "marker_end": end, "stroke_dasharray": dash}
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, **style)

    def arrow(self, x1, y1, x2, y2, color=SOFT, width=1.5, dash=None):
        self.line(x1, y1, x2, y2, color, width, True, dash)

    def path(self, d, color=SOFT, width=1.5, arrow=False, dash=None):
        end = f"url(#a{color[1:]})" if arrow else None
        style = {"stroke": color, "stroke_width": width, "marker_end": end, "stroke_dasharray": dash}
        self.add("path", d=d, fill="none", **style)

    def cells(self, x, y, w, h, texts, colors, size):
        """A row of equal cells; `colors` one for each."""
        for i, (text, color) in enumerate(zip(texts, colors)):
            self.box(x + i * w, y, w, h, PALE[color], color, 2)
            self.text(x + (i + 0.5) * w, y + h / 2 + size * 0.35, text, size)

    def grid(self, x, y, rows, cols, cell, fill):
        """A matrix of square cells, `fill(row, column)` being the colour of each, or None."""
        for r in range(rows):
            for c in range(cols):
                self.box(x + c * cell, y + r * cell, cell, cell, fill(r, c) or WHITE, LINE, 0, 0.8)

    def svg(self):
        parts, style = self.moving()
        used = "".join(parts)
        markers = "".join(marker(f"a{c[1:]}", c) for c in CLASSES.values() if f"url(#a{c[1:]})" in used)
        lines = "\n".join(parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" font-family="{FONT}" role="img">\n<title>{html.escape(self.title)}</title>\n'
            f"<defs>{markers}</defs>\n{style}"
            f'<rect x="1" y="1" width="{self.width - 2}" height="{self.height - 2}" rx="10" fill="{PANEL}" '
            f'stroke="{RIM}" stroke-width="1.5"/>\n{lines}\n</svg>\n'
        )


FIGURES = {}  # name of the file without .svg: the function that draws it, and its Figure


def figure(name, title, height=0):
    """Marks a function that draws a Figure: into NAME.svg. Without a height, it sets that itself."""

    def register(draw):
        FIGURES[name] = draw, Figure(680, height, title)
        return draw

    return register
