"""Draws the figures of the book, as SVG. Those that no program draws are kept by hand in docs/figures/; into them goes the
palette (README.md).

    python3 tools/figures/make.py [FOLDER]      (default: docs/figures)

The figures of a chapter are in figures_NN_*.py beside this file; a new file is picked up by itself.
"""

import importlib
import pathlib
import re
import sys

from draw import FIGURES, palette

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parent.parent / "docs" / "figures"


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS
    for module in sorted(HERE.glob("figures_*.py")):
        importlib.import_module(module.stem)
    drawn = {}
    for name, (draw, figure) in FIGURES.items():
        draw(figure)
        drawn[name] = figure.svg()
    for path in sorted(DOCS.glob("*.svg")):
        if path.stem not in drawn:  # kept by hand
            text = path.read_text(encoding="utf-8")
            parts = re.split(r'(?s)<style>.*?(?=<rect class="panel")', text)
            if len(parts) == 2:
                text = f"{parts[0]}{palette(parts[1])}\n{parts[1]}"
            elif "class=" in text:  # else its colours are written out
                raise SystemExit(f"{path.name}: no program draws it, and there is no place for the palette in it")
            drawn[path.stem] = text
    for name, svg in drawn.items():
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8")
    print(f"{len(drawn)} figures in {folder}")


if __name__ == "__main__":
    main()
