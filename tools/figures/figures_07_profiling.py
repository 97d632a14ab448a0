"""Figures of chapter 07: the four times of an event."""

from draw import BLUE, INK, LINE, ORANGE, PALE, SOFT, WHITE, Figure, figure


@figure("event-timeline")
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
