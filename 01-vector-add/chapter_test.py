from checker.references import elements
from tests.formulas import count

OWN_CHECKS = ["device-choice"]
HOST_LINES = 180  # it spells everything out
SHOWS_DIFF = False  # the first one
HOSTILE_ALL = True  # it spells its set-up out
NO_DEVICE_REFUSAL = None  # it takes the first device there is
BLANK_KERNEL_REFUSAL = "CL_"  # its own few lines of reading: a file of blanks does not define its kernel
LONG_KERNEL_REFUSAL = "longer than 65535 bytes"  # the same few lines
NARROW = dict.fromkeys(
    ["between whole number and float: i % 4096", "between whole number and float: 3 * (i % 1021) + 1"],
    "small: the inputs",
)
REFERENCES = {"vector_add": elements(lambda a, b: a + b, operations=1)}
# Its groups of 64 are fixed: chapter 03 is the first to ask how large they may be.
NEEDS = {"minimum-1.2": "CL_INVALID_WORK_ITEM_SIZE", "mali-g52": "CL_INVALID_WORK_GROUP_SIZE"}
MOST_PLATFORMS = 16


def costs(n):
    return [("vector_add", count(2 * n, n, adds=n))]
