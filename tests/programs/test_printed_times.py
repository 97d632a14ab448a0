"""Are the times and the rates that a chapter prints those of its commands? And is everything released, finished, unmapped and
closed at the end?

The layer answers for the device's clock (`clock`), from a table, and for the host's, on which the same commands take the same
time, and the host's own work none; the devices are those of tests/devices/. So what a chapter prints is the same anywhere, and
tests/times/NN-topic.txt has it: another command that is timed, a wait that is missing or is for something else as well, a
warm-up that counts, a mean where the median is meant, a number of bytes or operations that is wrong, each changes a number there.

After a change that was meant, `./test.sh --record -k "printed_times and 06"` writes the file; compare it with what the lesson
says is timed, from which moment to which.
"""

import re

from tests import chapter_facts, running

# With the first, the times are short and the rates have two digits and more. With the second, each warm-up lasts so long
# that only one run follows. With the third, the first run of a series is the fastest.
CLOCKS = [{"clock": 1}, {"clock": 58, "warm_up": 20000}, {"clock": 2, "warm_up": 1}]


def test_printed_times(report, chapter, tmp_path, record):
    known, listed, text = chapter_facts.of(chapter), running.ROOT / "tests" / "times" / f"{chapter}.txt", []
    devices = running.ROOT / "tests" / "devices"

    def run(arguments, device, clock):
        command, cache = [running.program(chapter), *arguments], tmp_path / "-".join(["cache", *arguments])
        settings = {"profile": devices / f"{device}.txt", "floor": known.TIME_FLOOR, **known.TIME_MACHINE, **clock}
        *ended, account = running.under_layer(command, cache=cache, **settings)
        words = [chapter, *arguments, "on", device, *(f"{name}={value}" for name, value in clock.items())]
        what = " ".join(words)
        report.failed(what, running.not_passed(*ended) or account.left_behind())
        report.count("runs on a clock with known times")
        # How far off a sum is that the host computes is up to its compiler.
        lines = re.findall("^time .*", re.sub(r"\(error .*?\)", "(error)", ended[1]), re.MULTILINE)
        text.extend([f"==== {what}", *lines] if lines else [])
        return cache, ended[2]

    for arguments in known.TIME_SIZES:
        first = arguments == known.TIME_SIZES[0]
        for clock in CLOCKS if first else CLOCKS[:1]:
            device = known.TIME_DEVICES[not first]
            cache, err = run(arguments, device, clock)
            for way in known.WAYS if clock == CLOCKS[0] else []:  # each of them, whichever it chose
                winner = way(cache, err)
                if winner and f"remembered: {winner}" not in run(arguments, device, clock)[1]:
                    report.failed(chapter, [f"it does not take {winner} from its memory"])
    report.recorded(listed, text, record)
