"""Are the recordings (site/recordings/) those of the kernels as they stand, and do they say what is so?

    python3 tests/run.py recordings

For each: the kernel file is the one that was recorded, to the letter; the launch is the one of launches.py; what
the recorded stores leave in the buffers is what launches.py expects; and loads, stores and barriers are as many as
the chapter's costs() say of that launch. The same of recordings with a mistake each must fail, at every run.
Of the queues (QUEUES in launches.py): the host, its pieces.h and the kernel are the recorded ones; the lines are those of the
calls; the partial sums and the total are those of the pieces; and no command began before the one in front of it in its
queue had ended, nor before those that it waits for. `recordings-again` records anew and compares. This needs no tool.
"""

import json
import math
import sys

from tests import chapter_facts, running

FOLDER = running.ROOT / "site" / "recordings"
SPACES = {"r": "loads", "w": "stores"}


def maker():
    """The module site/recordings/make.py."""
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    import make

    return make


def recorded(launch, kernel=None):
    """A launch recorded now, as text; without what that needs, the check is skipped."""
    make = maker()
    try:
        return make.record(launch, kernel)
    except make.Missing as what:
        raise running.Skip(str(what)) from what


def counted(recording):
    """What the accesses of a recording cost, under the names of formulas.count()."""
    variables = {v["name"]: v for v in recording["variables"]}
    counts = dict.fromkeys(["global loads", "global stores", "local loads", "local stores", "barriers"], 0)
    for run in recording["accesses"]:
        for access in run.split(": ")[1].split("; "):
            _, kind, *what = access.split()
            if kind == "b":
                counts["barriers"] += 1
            elif kind in SPACES:
                variable = variables[what[0]]
                floats = len(what[2].split(",")) * (2 if variable["type"] == "ulong" else 1)
                counts[f"{variable['space']} {SPACES[kind]}"] += floats
    return counts


def left(recording):
    """What the recorded stores leave in the buffers: {name: [number, ...]}. What atomics store is not recorded: a
    buffer that they touch is left out."""
    buffers = {}
    for variable, value in zip(recording["variables"], recording["launch"]["arguments"]):
        if isinstance(value, list):
            buffers[variable["name"]] = [math.nan if v is None else v for v in value]
    for run in recording["accesses"]:
        for access in run.split(": ")[1].split("; "):
            _, kind, *what = access.split()
            if kind == "w" and what[0] in buffers:
                for i, value in enumerate(what[2].split(",")):
                    buffers[what[0]][int(what[1]) + i] = float(value)
            if kind == "x":
                buffers.pop(what[0], None)
    return buffers


def problems(launch, recording, kernel):
    """What is wrong with a recording of a launch, the text of whose kernel file is `kernel`: a list of sentences."""
    make = maker()
    again = f"record again: python3 site/recordings/make.py {launch['chapter'][:2]}"
    wrong = []
    if recording["digest"] != make.digest(kernel):
        wrong.append(f"the kernel has changed since it was recorded; {again}")
    if recording["launch"] != json.loads(json.dumps(make.plain(launch))):
        wrong.append(f"the launch is not that of launches.py; {again}")
    memory = left(recording)
    for name, expected in launch.get("expected", {}).items():
        if name in memory and memory[name] != expected:
            wrong.append(f"{name} ends as {memory[name]}, where {expected} is right")
    for name, expected in launch.get("total", {}).items():
        if sum(memory[name]) != expected:
            wrong.append(f"{name} adds up to {sum(memory[name])}, where {expected} is right")
    costs = next(
        c for kernel, c in chapter_facts.of(launch["chapter"]).costs(**launch["costs"]) if kernel == launch["kernel"]
    )
    for what, number in counted(recording).items():
        if number != costs[what]:
            wrong.append(f"{number} {what}, where the chapter's costs() say {costs[what]}")
    return wrong


def products(piece, length):
    return sum(a * b for a, b in zip(piece[:length], piece[length:]))


def sum_of(recording):
    """The dot product of a recording of queues, from the pieces that were copied."""
    return sum(products(piece, len(piece) // 2) for piece in recording["pieces"])


def problems_of_queues(launch, recording, files):
    """As problems(), of a launch of QUEUES; `files`: {name: text}."""
    make = maker()
    again = f"record again: python3 site/recordings/make.py {launch['chapter'][:2]}"
    wrong = []
    for name, text in files.items():
        if recording["digests"].get(name) != make.digest(text):
            wrong.append(f"{name} has changed since it was recorded; {again}")
    if recording["launch"] != json.loads(json.dumps(launch)):
        wrong.append(f"the launch is not that of launches.py; {again}")
    if [run["queues"] for run in recording["runs"]] != launch["queues"]:
        wrong.append(f"runs with other numbers of queues than {launch['queues']}")
    sums = [products(piece, len(piece) // 2) for piece in recording["pieces"]]
    if recording["partial_sums"] != sums:
        wrong.append(f"the partial sums are {recording['partial_sums']}, where {sums} is right")
    if recording["total"] != sum(sums):
        wrong.append(f"the total is {recording['total']}, where {sum(sums)} is right")
    if sum(map(len, recording["pieces"])) != 2 * int(launch["arguments"][0]):
        wrong.append("the pieces are not the whole of both vectors")
    for run in recording["runs"]:
        last, times = {}, run["times"]
        commands = [call for call in run["calls"] if call[1] in ("copy", "kernel", "result")]
        if len(commands) != len(times) or len(commands) != 3 * len(sums):
            wrong.append(f"{len(commands)} commands and {len(times)} times, of {len(sums)} pieces")
            continue
        for _, what, number, queue, waits, *_ in commands:
            queued, submitted, started, ended = times[number]
            if not queued <= submitted <= started <= ended:
                wrong.append(f"{run['queues']} queues: the times of command {number} are in no order: {times[number]}")
            for other in [*waits, *([last[queue]] if queue in last else [])]:
                if times[other][3] > started:
                    wrong.append(f"{run['queues']} queues: {what} {number} began before {other} had ended")
            last[queue] = number
    return wrong


def check_queues(report, launch):
    make = maker()
    path = FOLDER / f"{launch['chapter']}.json"
    if not path.exists():
        return report.failed(path.name, ["it is not there: python3 site/recordings/make.py"])
    recording, files = json.loads(path.read_text()), make.commands.files(launch)
    if not report.failed(path.name, problems_of_queues(launch, recording, files)):
        print(f"ok      {path.name}, {path.stat().st_size} bytes, {len(recording['runs'])} runs of the host")
    report.count("recordings")
    report.count("commands", sum(len(run["times"]) for run in recording["runs"]))

    def spoilt(what, words, files=files, **change):
        found = problems_of_queues(launch, {**recording, **change}, files)
        report.must(f"{launch['chapter']}, {what}: noticed", any(words in text for text in found), str(found))

    for name in files:
        spoilt(f"{name}, changed", f"{name} has changed", files={**files, name: files[name] + "\n"})
    spoilt("another launch", "launches.py", launch={**launch, "arguments": ["19", "4"]})
    spoilt("another number", "is right", pieces=[[9, *recording["pieces"][0][1:]], *recording["pieces"][1:]])
    spoilt("another total", "the total is", total=recording["total"] + 1)
    first = recording["runs"][-1]
    early = [[queued, submitted, queued, ended] for queued, submitted, _, ended in first["times"]]
    spoilt(
        "commands that began when they were enqueued",
        "had ended",
        runs=[*recording["runs"][:-1], {**first, "times": early}],
    )
    spoilt("a time left out", "times, of", runs=[*recording["runs"][:-1], {**first, "times": first["times"][1:]}])


def check(report):
    make = maker()
    names = {f"{launch['chapter']}.json" for launch in make.LAUNCHES + make.QUEUES}
    there = {path.name for path in FOLDER.glob("*.json")}
    report.failed("site/recordings", [f"{name} is no recording of launches.py" for name in sorted(there - names)])
    for launch in make.QUEUES:
        check_queues(report, launch)
    for launch in make.LAUNCHES:
        path = FOLDER / f"{launch['chapter']}.json"
        if not path.exists():
            report.failed(path.name, ["it is not there: python3 site/recordings/make.py"])
            continue
        recording = json.loads(path.read_text())
        kernel = (running.ROOT / launch["chapter"] / "kernel.cl").read_text()
        if not report.failed(path.name, problems(launch, recording, kernel)):
            print(f"ok      {path.name}, {path.stat().st_size} bytes, {len(recording['accesses'])} runs of work-items")
        report.count("recordings")
        report.count("accesses", sum(run.count(";") + 1 for run in recording["accesses"]))

        def spoilt(what, words, launch=launch, recording=recording, kernel=kernel, **change):
            found = problems(launch, {**recording, **change}, kernel)
            report.must(f"{launch['chapter']}, {what}: noticed", any(words in text for text in found), str(found))

        accesses = recording["accesses"]
        at = next(i for i, run in enumerate(accesses) if " w " in run)
        fewer = (
            accesses[:at]
            + [accesses[at].rpartition("; ")[0] or accesses[at].replace(" w ", " r ")]
            + accesses[at + 1 :]
        )
        spoilt("a kernel that has changed", "has changed", kernel=kernel.replace("size_t", "ulong", 1) + " ")
        spoilt("an access left out", "costs() say", accesses=fewer)
        spoilt("another launch", "launches.py", launch={**launch, "local": [1]})
        if launch.get("expected"):
            name, values = next(iter(launch["expected"].items()))
            spoilt("another result", "is right", launch={**launch, "expected": {name: [v + 1 for v in values]}})
