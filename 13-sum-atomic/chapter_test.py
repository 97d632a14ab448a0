import math

from checker.references import total, truncated_total
from tests.formulas import COMPUTE_UNITS, count, tree

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


def _share_in_tree(groups, adds, local_size=256):
    """The tree, called `groups` times in all; each work-item reads what it returns."""
    return {**tree(0, groups, local_size, readers=local_size, adds=adds), "global stores": 0}


def _groups(n):
    return min(COMPUTE_UNITS * 64, math.ceil(n / 256))


def _sum_cas(n, rounds):
    return ("sum_cas", {**_share_in_tree(_groups(n), adds=n + rounds), "global loads": n})


def costs(n, groups=None, local_size=256):
    """Every element is read once. What is added between groups is not loads and stores but atomics; where one group
    runs after the other, as here, each but the first guesses wrong once. In sum_last_group each work-item reads the
    flag that its work-item 0 wrote, behind one more barrier, and the last group adds what all of them left, goes
    through a second tree and writes the total."""
    groups = groups or _groups(n)
    last = _share_in_tree(groups + 1, n + groups, local_size)
    more = {
        "global loads": n,
        "global stores": 1,
        "barriers": last["barriers"] + groups * local_size,
        "local loads": last["local loads"] + groups * local_size,
        "local stores": last["local stores"] + groups,
    }
    return [("sum_int", count(n, 0, conversions=n)), _sum_cas(n, 2 * groups - 1), ("sum_last_group", {**last, **more})]


def costs_of_some(n):
    """A sum of whole numbers may be 0 on its way, as a group guesses at first."""
    return [_sum_cas(n, rounds) for rounds in range(_groups(n), 2 * _groups(n))]


def times(commands, expected, n):
    """A caller of the first two waits for the fill as well: the total has to be 0."""
    for whole in [True, False]:
        commands.take("clEnqueueWriteBuffer")
        for way in ["sum_int", "sum_cas", "sum_last_group"] if whole else ["sum_cas", "sum_last_group"]:
            runs = 6 if whole else 1
            if way == "sum_last_group":
                taken, what = commands.runs(way, before=["clEnqueueFillBuffer"], runs=runs), "kernel"
            else:
                taken, what = commands.runs("clEnqueueFillBuffer", way, runs=runs), "fill and kernel"
            commands.take("clEnqueueReadBuffer")
            if whole:
                expected.rate(f"{way}: {what}", taken, 4 * n, "GB/s")
