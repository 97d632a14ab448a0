"""Draws the figures of the book, as SVG. Where a figure shows which work-item does what, it is computed
with the same index arithmetic as the kernel.

    python3 tools/figures/make.py [FOLDER]      (default: docs/figures)

The figures of a chapter are in figures_NN_*.py beside this file; a new file is picked up by itself.
"""

import importlib
import pathlib
import sys

from draw import FIGURES

HERE = pathlib.Path(__file__).resolve().parent


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent.parent / "docs" / "figures"
    for module in sorted(HERE.glob("figures_*.py")):
        importlib.import_module(module.stem)
    for name, draw in FIGURES.items():
        (folder / f"{name}.svg").write_text(draw().svg(), encoding="utf-8")
    print(f"{len(FIGURES)} figures in {folder}")


if __name__ == "__main__":
    main()
