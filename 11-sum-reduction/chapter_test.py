import math

from checker.references import total

LARGE_LAUNCHES = True
BENCH = {
    "vectors": {"": "11 sum"},  # of its lines the last: the launch derived from the device
}
OCLGRIND_SIZES = [["1"], ["256"], ["140000"]]
REFERENCES = {"sum_reduction": total}
INPUT_SIZES = [["64"], ["1000"], ["70001"]]  # the last: several elements a work-item in both launches, and not as many


def _path(n, launch):
    """A work-item's own elements, then the steps of the tree."""
    return math.ceil(n / launch.items) + math.log2(launch.local_size)


PATHS = {"sum_reduction": _path}


def times(commands, expected, n):
    for origin in ["whole", "real"]:
        commands.take("clEnqueueWriteBuffer")
        if origin == "real":  # between two readings of the host's clock, on which the loop itself takes no time
            rate = 4 * n / commands.reading / 1e6
            line = r"plain C loop on one core \(error .*\): ([\d.]+) ms, ([\d.]+) GB/s"
            expected.line(line, (commands.reading, 3), (rate, 1))
        for shape in ["fixed", "from the device"]:
            runs = commands.runs("sum_reduction", runs=1 if origin == "whole" else 6)
            commands.take("clEnqueueReadBuffer")
            if origin == "real":
                groups = 256 if shape == "fixed" else runs.last[0].items // 256
                expected.rate(rf"{groups} work-groups of 256 \({shape}\): kernel", runs, 4 * n, "GB/s")
