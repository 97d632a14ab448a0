"""Records what a host asks of its queues, and when each command ran: the launches of QUEUES in launches.py.

make.py calls it; README.md describes what is in a file. The chapter's own program runs, with the checker's layer
(checker/layer/) before OpenCL, with each number of queues. Of a run the last of its repetitions is kept, and of TRIES runs the one that
other programs disturbed least: whose commands were all done first.
"""

import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT))
from checker.calls import events_of  # noqa: E402
from checker.libraries import layer_environment, layer_library  # noqa: E402

TRIES = 9
KINDS = {"EnqueueWriteBuffer": "copy", "EnqueueNDRangeKernel": "kernel", "EnqueueReadBuffer": "result"}
PLACES = {  # where in the host's loop a call stands, each in one line: a text that no other line of it has
    "copy": "clEnqueueWriteBuffer(",
    "kernel": "clEnqueueNDRangeKernel(",
    "result": "clEnqueueReadBuffer(",
    "flush copies": "clFlush(copies)",
    "flush kernels": "clFlush(kernels)",
    "flush results": "clFlush(results)",
    "wait": "clWaitForEvents(",
    "add": "std::accumulate(",
}


def files(launch):
    folder = ROOT / launch["chapter"]
    return {path.name: path.read_text() for path in (folder / "host.cpp", folder / "pieces.h", folder / "kernel.cl")}


def loop_of(host):
    """The lines of the host's loop over the pieces, [[number, text], ...], and where in it each call stands."""
    lines = host.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("    for (size_t p = 0;"))
    last = next(i for i in range(first, len(lines)) if lines[i] == "    }")
    loop = [[i + 1, lines[i]] for i in range(first, last + 1)]
    found = {what: [number for number, line in loop if text in line] for what, text in PLACES.items()}
    if wrong := {what: numbers for what, numbers in found.items() if len(numbers) != 1}:
        raise SystemExit(f"the host's loop has other calls than commands.py knows: {wrong}")
    return loop, {what: numbers[0] for what, numbers in found.items()}


def floats(path):
    values = [value for (value,) in struct.iter_unpack("<f", path.read_bytes())]
    return [None if math.isnan(v) else int(v) if v == int(v) else v for v in values]


def log_of(chapter, program, arguments, library, folder, **settings):
    """Runs a program under the layer: what it printed, and the layer's log."""
    log = folder / "log"
    log.unlink(missing_ok=True)
    layer = layer_environment(library, {"log": log, "commands": 1, **settings}, folder)
    env = {**os.environ, **layer, "POCL_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run([program, *arguments], env=env, capture_output=True, text=True, cwd=ROOT / chapter)
    if done.returncode != 0 or not log.exists():
        raise SystemExit(f"{chapter} ends with {done.returncode}; is there a layer?\n{done.stdout}{done.stderr}")
    return done.stdout, log.read_text().splitlines()


def data_of(chapter, program, arguments, library, folder):
    """What each call of a run sends or brings, {its number: floats}. Reads wait there, so that the times are none."""
    kept = pathlib.Path(tempfile.mkdtemp(dir=folder))
    _, log = log_of(chapter, program, arguments, library, folder, keep=kept)
    files = {"input": "in", "result": "out"}
    return {it[0]: floats(kept / f"{files[what]}{it[1]}") for what, it in events_of(log) if what in files}


def one_run(log, lines, data):
    """The last repetition, {"calls": ..., "times": ...}; and what it shares with others: what lay in the slots and with the host
    before it, the pieces, and the sums that came."""
    arguments, times, calls = {}, {}, []
    for what, it in events_of(log):
        if what == "ended":
            times[it[0]] = list(map(int, it[2:]))
        elif what == "done" and it.code == 0:
            if it.name == "SetKernelArg":
                arguments.setdefault(it.arguments[0], {})[int(it.arguments[1])] = it.arguments[3]
            elif it.name == "EnqueueNDRangeKernel":
                it.given = [value for _, value in sorted(arguments[it.arguments[1]].items())]
            calls.append(it)
    start, stop = [i for i, it in enumerate(calls) if it.name == "Finish"][-2:]  # the last one is that of the end
    queues = [it.made[0] for it in calls if it.name == "CreateCommandQueue"]
    of_event = {event: it for it in calls if it.name in KINDS for event in it.made}
    number = {it.number: i for i, it in enumerate(it for it in calls[start:stop] if it.name in KINDS)}
    # Buffers of pieces and of partial sums, by the kernel's arguments, in their order.
    launches = [it.given for it in calls if it.name == "EnqueueNDRangeKernel"]
    slots, sums = ({buffer: i for i, buffer in enumerate(dict.fromkeys(some))} for some in list(zip(*launches))[:2])
    before = {"slots": [[] for _ in slots], "sums": [None for _ in slots]}
    made, pieces, came = [], [], []
    for i, it in enumerate(calls[:stop]):
        args, kind = it.arguments, KINDS.get(it.name)
        listed = [of_event[e] for arg in args if arg.startswith("[") for e in arg.strip("[]").split() if e in of_event]
        if i < start:
            if kind == "copy":
                there, new = before["slots"][slots[args[1]]], data[it.number]
                there[: len(new)] = new
            for read in listed if it.name == "WaitForEvents" else []:
                before["sums"][sums[read.arguments[1]]] = data[read.number][0]
        elif kind:
            if kind == "copy":
                more = [slots[args[1]], len(pieces)]
                pieces.append(data[it.number])
            elif kind == "kernel":
                piece, partial, length = it.given[:3]
                more = [slots[piece], int(length, 16)]
                if sums[partial] != more[0]:
                    raise SystemExit("piece and partial sums are not of one slot")
            else:
                more = [sums[args[1]]]
            waits = [number[other.number] for other in listed]
            made.append([lines[kind], kind, number[it.number], queues.index(args[0]), waits, *more])
        elif it.name == "Flush":
            name = {"copy": "copies", "kernel": "kernels", "result": "results"}[made[-1][1]]
            made.append([lines[f"flush {name}"], "flush", queues.index(args[0])])
        elif it.name == "WaitForEvents":
            made.append([lines["wait"], "wait", *[number[read.number] for read in listed]])
            made.append([lines["add"], "add", sums[listed[0].arguments[1]]])
            came.append(data[listed[0].number][0])
    zero = min(times[it][0] for it in number)
    return {"calls": made, "times": [[t - zero for t in times[it]] for it in number]}, [before, pieces, came]


def record(launch, digest):
    source = files(launch)
    loop, lines = loop_of(source["host.cpp"])
    runs, common = [], None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        library = layer_library(folder)
        program = folder / "program"
        command = ["g++", "-std=c++17", "-O2", ROOT / launch["chapter"] / "host.cpp", "-o", program, "-lOpenCL"]
        subprocess.run(command, check=True)
        shutil.copy(ROOT / launch["chapter"] / "kernel.cl", folder)
        for number in launch["queues"]:
            tries = []
            given = launch["chapter"], program, [*launch["arguments"], str(number)], library, folder
            data = data_of(*given)
            for _ in range(TRIES):
                said, log = log_of(*given)
                run, found = one_run(log, lines, data)
                found += re.search(r"(?m)^device .*\((.*)\)\n(?:.*\n)*?result +(\S+)$", said).groups()
                if common not in (None, found):
                    raise SystemExit(f"another run, and other numbers: {common}, {found}")
                common = found
                tries.append(run)
            runs.append({"queues": number, **min(tries, key=lambda run: max(ns[3] for ns in run["times"]))})
    before, pieces, came, device, total = common
    head = {
        "recorded": device,
        "digests": {name: digest(text) for name, text in source.items()},
        "launch": launch,
        "source": loop,
        "before": before,
        "pieces": pieces,
        "partial_sums": came,
        "total": float(total),
    }
    dump = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))  # noqa: E731
    text = [f"{json.dumps(k)}: {dump(v)}" for k, v in head.items()]
    calls = [",\n".join(map(dump, run["calls"])) for run in runs]
    some = [f'{{"queues":{r["queues"]},"calls":[\n{c}\n],"times":{dump(r["times"])}}}' for r, c in zip(runs, calls)]
    return "{\n" + ",\n".join([*text, '"runs": [\n' + ",\n".join(some) + "\n]"]) + "\n}\n"
