import math

from checker.references import total, truncated_total

TIME_SIZES = [["8000003"], ["1000"]]  # with a fill each, the runs are long
BENCH = {"vectors": {"sum_cas": "13 compare-and-swap", "sum_last_group": "13 last group"}}
OCLGRIND_SIZES = [["1"], ["256"], ["33000"]]
REFERENCES = {"sum_int": truncated_total, "sum_cas": total, "sum_last_group": total}


def _path_to_share(n, launch):
    return math.ceil(n / launch.items) + math.log2(launch.local_size)


def _path_cas(n, launch):
    """Then those of all groups, one after the other."""
    return _path_to_share(n, launch) + launch.items / launch.local_size


def _path_last_group(n, launch):
    """Then those that a work-item of the last group fetches, and a tree again."""
    groups = launch.items / launch.local_size
    return _path_to_share(n, launch) + math.ceil(groups / launch.local_size) + math.log2(launch.local_size)


PATHS = {"sum_cas": _path_cas, "sum_last_group": _path_last_group}
