"""The figure of chapter 23: rows of C dealt out, and who is at work when."""

from draw import BLUE, GREEN, INK, LINE, ORANGE, PALE, RED, SOFT, VIOLET, WHITE, figure

DEVICES = [("device 0", BLUE, 8.0), ("device 1", GREEN, 4.0), ("device 2", VIOLET, 4.0)]  # strips in a unit of time
STRIPS = 16


def shares(devices, strips):
    """As deal_out does, strip by strip to the one that ends it first: [(first strip, behind the last one)]."""
    counts = [0] * len(devices)
    for _ in range(strips):
        counts[min(range(len(devices)), key=lambda i: (counts[i] + 1) / devices[i][2])] += 1
    ends = [sum(counts[:i]) for i in range(len(devices) + 1)]
    return list(zip(ends, ends[1:]))


@figure(
    "several-devices", "The strips of C are dealt out by speed; all devices work at the same time, until one fails", 430
)
def several_devices(f):
    f.title_at(24, 30, "C, in strips of 128 rows")
    x, y, w, h = 90, 48, 118, 19
    for (first, end), (name, color, _) in zip(shares(DEVICES, STRIPS), DEVICES):
        for strip in range(first, end):
            f.box(x, y + strip * h, w, h, PALE[color], LINE, 0, 0.8)
        f.box(x, y + first * h, w, (end - first) * h, "none", color, 0, 2.4)
        f.text(x + w / 2, y + ((first + end) // 2 + 0.5) * h + 5, name, 14, color, bold=True)
        f.text(x - 8, y + first * h + 14, f"row {128 * first}", 13, SOFT, "end")
    f.text(x + w / 2, y + STRIPS * h + 22, "device 0 was twice as fast", 13, SOFT)
    f.text(x + w / 2, y + STRIPS * h + 39, "as each of the others", 13, SOFT)

    f.title_at(262, 30, "a run: each device has a queue of its own")
    left, lane, long = 350, 46, 40.0
    lanes = [("host", INK), *((name, color) for name, color, _ in DEVICES)]
    for i, (name, color) in enumerate(lanes):
        f.text(left - 14, 70 + i * lane, name, 14, color, "end", i > 0)
        f.line(left, 78 + i * lane, 656, 78 + i * lane, LINE, 0.8)

    def run(start, devices, strips, failing=None):
        """Launches, one after the other; then the work. Returns when all have ended."""
        end_of_all = start
        for i, ((first, end), (name, color, speed)) in enumerate(zip(shares(devices, strips), devices)):
            began, lane_of = start + i * 14, 1 + [d[0] for d in DEVICES].index(name)
            f.box(began, 58, 11, 20, PALE[INK], INK, 1, 1)
            f.arrow(began + 6, 79, began + 10, 57 + lane_of * lane, color, 1.3)
            took = (end - first) / speed * long * 2
            y = 58 + lane_of * lane
            f.box(began + 12, y, took, 20, PALE[RED] if name == failing else PALE[color], color, 2, 1.4)
            if name == failing:
                f.text(began + 12 + took / 2, y + 16, "✕", 16, RED, bold=True)
            end_of_all = max(end_of_all, began + 12 + took)
        waits = start + len(devices) * 14 - 2
        f.box(waits, 58, end_of_all - waits, 20, WHITE, LINE, 1, 1, "3 2")
        if end_of_all - waits > 60:
            f.text((waits + end_of_all) / 2, 73, "waits", 13, SOFT)
        return end_of_all

    end = run(left, DEVICES, STRIPS, failing="device 2")
    f.line(end + 6, 52, end + 6, 60 + 4 * lane, SOFT, 1, dash="4 3")
    run(end + 14, DEVICES[:2], STRIPS)
    f.text(left, 282, "✕", 16, RED, "start", True)
    f.note(left + 20, 281, "device 2 fails. In the next run the", INK, 14)
    f.note(left + 20, 299, "other two share all the rows.", INK, 14)
    f.note(262, 340, "The trap: device 0 is waited for before 1 is launched", ORANGE, 14)
    at = 262
    for (first, last), (name, color, speed) in zip(shares(DEVICES, STRIPS), DEVICES):
        took = (last - first) / speed * long * 2
        f.box(at, 356, 9, 20, PALE[INK], INK, 1, 1)
        f.box(at + 10, 356, took, 20, PALE[color], color, 2, 1.4)
        f.text(at + 10 + took / 2, 371, name, 13, color)
        at += took + 14
    f.note(262, 398, "three devices, and one at a time at work")
