"""Figures of chapter 13: an addition that gets lost, compare-and-swap, the last work-group."""

from draw import BLUE, FOUR, GREEN, INK, LINE, ORANGE, RED, SOFT, Figure, figure


def step(f, x, y, color, text):
    f.label(x, y, 136, 30, text, color, 13, mono=True)


@figure("atomic-lost")
def atomic_lost():
    """Two groups add 3 and 5 to 10: plain additions and compare-and-swap, in the same order of steps."""
    start, mine, other = 10, 3, 5
    f = Figure(760, 412, "Two work-groups add to one number: an addition gets lost, and compare-and-swap notices")
    for x0, title, cas in ((16, "total += share", False), (394, "compare-and-swap", True)):
        f.text(x0 + 175, 32, title, 15, INK, bold=True, mono=not cas)
        f.text(x0 + 68, 58, f"group 0 adds {mine}", 13, BLUE)
        f.text(x0 + 282, 58, f"group 1 adds {other}", 13, ORANGE)
        f.text(x0 + 175, 58, "total", 13, SOFT)
        total = start
        rows = [(0, "reads", total), (1, "reads", total), (0, "writes", start + mine), (1, "writes", start + other)]
        if cas:
            rows += [(1, "again", start + mine + other)]
        for i, (who, what, value) in enumerate(rows):
            y = 72 + i * 54
            color = (BLUE, ORANGE)[who]
            x = x0 + who * 214
            bad = False
            if what == "reads":
                text = f"sees {value}"
            elif not cas:
                text, total, bad = f"writes {value}", value, who == 1
            elif what == "writes" and who == 1:
                text, bad = f"{start}? no, finds {total}", True
            else:
                text = f"{total}? yes, puts {value}"
                total = value
            step(f, x, y, RED if bad else color, text)
            f.label(
                x0 + 151,
                y,
                48,
                30,
                total,
                GREEN if total == start + mine + other else RED if bad and not cas else INK,
                14,
                True,
            )
            if what != "reads" and not (cas and bad):
                f.arrow(x + (136 if who == 0 else 0), y + 15, x0 + (151 if who == 0 else 199), y + 15, color, 1.8)
            else:
                f.arrow(x0 + (151 if who == 0 else 199), y + 15, x + (136 if who == 0 else 0), y + 15, LINE, 1.4)
        y = 72 + len(rows) * 54 + 10
        if cas:
            f.text(x0 + 175, y + 10, f"{start} + {mine} + {other} = {total}", 15, GREEN, bold=True)
        else:
            f.text(
                x0 + 175,
                y + 10,
                f"{total}, where {start + mine + other} is right: the {mine} is lost",
                15,
                RED,
                bold=True,
            )
    f.line(380, 20, 380, 392, LINE, 1.2, dash="5 5")
    f.text(24, 396, "time runs downwards", 12.5, SOFT, "start")
    return f


@figure("atomic-last-group")
def atomic_last_group():
    """Four groups that finish in some order; the last one adds the partial sums."""
    order = [2, 0, 3, 1]  # who finishes first, second, ...
    shares = [7, -2, 4, 6]
    f = Figure(760, 420, "Partial sums, a counter, and the last work-group to finish")
    f.text(24, 40, "work-group:", 13, SOFT, "start")
    f.text(24, 58, "the taller,", 12.5, SOFT, "start")
    f.text(24, 75, "the longer", 12.5, SOFT, "start")
    f.text(24, 92, "it runs", 12.5, SOFT, "start")
    f.text(24, 196, "partial_sums", 13.5, INK, "start", mono=True)
    f.text(24, 276, "done", 13.5, INK, "start", mono=True)
    for g in range(4):
        x = 140 + g * 145
        when = order.index(g)
        f.label(x, 24, 110, 30 + 22 * when, f"group {g}", FOUR[g], 14, True)
        f.arrow(x + 55, 54 + 22 * when, x + 55, 172, FOUR[g], 1.8)
        f.label(x, 174, 110, 34, shares[g], FOUR[g], 15, True)
        f.arrow(x + 55, 208, x + 55, 250, FOUR[g], 1.8)
        f.text(x + 55, 276, f"{when} → {when + 1}", 14, RED if when == 3 else INK, bold=when == 3, mono=True)
        f.text(x + 55, 296, "the last one" if when == 3 else "not the last: ends", 12.5, RED if when == 3 else SOFT)
    last = order[-1]
    x = 140 + last * 145 + 55
    f.arrow(x, 304, x, 334, FOUR[last], 2.2)
    f.label(
        150, 336, 480, 36, f"group {last} fetches all four and adds them: total = {sum(shares)}", FOUR[last], 14.5, True
    )
    f.text(390, 398, "and sets done to 0 again, for the next launch", 13, SOFT)
    return f
