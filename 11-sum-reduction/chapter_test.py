import math

from checker.references import total

THOROUGH = ["costs"]  # 327,680 work-items, printed by the simulator
LARGE_LAUNCHES = True
COST_SIZES = [["70001"]]  # several elements a work-item
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
