import math

from checker.references import product

THOROUGH = ["bad-input", "costs", "other-inputs", "printed-values"]  # every run starts MPI anew
LARGE_LAUNCHES = True
WRONG_SIZE = ["128", "128", "512"]  # nothing is filled up, so every element counts
READ_LATER = True
WHOLE_TILES = True
MOST = [(2**31 - 1) // 256 - 128] * 3  # MPI counts a panel in int
_TILE = 128
_PANEL = 256
SMALL_SIZES = [["1"], ["128", "128", "64"], ["17", "33", "1100"]]  # the last: more panels than slots
COST_SIZES = [["128", "128", "64"], ["17", "33", "65"], ["33", "17", "600"]]
OCLGRIND_SIZES = [["128", "128", "24"], ["1"], ["17", "33", "257"]]


def _filled(n):
    """n rows or columns in whole tiles."""
    return math.ceil(n / _TILE) * _TILE


def _panel(inputs, launch, sizes):
    """The product of the one panel of A and the one of B, with what they are filled up with; a panel's K in eights."""
    m, n, k = (sizes + sizes[:1] * 2)[:3]
    yield from product(inputs, launch, [_filled(m), _filled(n), min(_PANEL, math.ceil(k / 8) * 8)])


REFERENCES = {"matmul": _panel}
TIME_SIZES = [["320", "192", "1500"], ["17", "33", "65"]]
