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
CALLS = {
    "EnqueueFillBuffer": "fill",
    "EnqueueWriteBuffer": "write",
    "EnqueueNDRangeKernel": "launch",
    "EnqueueReadBuffer": "read",
}
KINDS = {"write": "copy", "launch": "kernel", "read": "result"}
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
    """What the recording depends on."""
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


def floats(data):
    values = [value for (value,) in struct.iter_unpack("<f", bytes.fromhex(data))]
    return [None if math.isnan(v) else int(v) if v == int(v) else v for v in values]


def calls_of(chapter, program, arguments, library, folder):
    """Runs a program under the layer: what it printed, and what one_run asks for of its calls, in order."""
    log = folder / "log"
    log.unlink(missing_ok=True)
    layer = layer_environment(library, {"log": log, "commands": 1, "data": 1}, folder)
    env = {**os.environ, **layer, "POCL_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run([program, *arguments], env=env, capture_output=True, text=True, cwd=ROOT / chapter)
    if done.returncode != 0 or not log.exists():
        raise SystemExit(f"{chapter} ends with {done.returncode}; is there a layer?\n{done.stdout}{done.stderr}")
    return done.stdout, list(commands_in(log.read_text()))


def commands_in(log):
    """What a program asks of its queues, from the layer's log: {"call": write, fill, launch, read, with "id", a number,
    "queue", "buffer", "waits", "arguments", "data"}, or flush, finish, wait ("ids", "data"), and at the end times ("id",
    "ns")."""
    arguments, data, ids, of_event, queues = {}, {}, {}, {}, []
    for what, it in events_of(log.splitlines()):
        if what == "data":
            data[it[0]] = it[1]
        if what == "device":
            yield {"call": "device", "device": " ".join(it)}
        if what == "ended" and it[0] in ids:
            yield {"call": "times", "id": ids[it[0]], "ns": list(map(int, it[2:]))}
        if what != "done" or it.code != 0:
            continue
        args, name = it.arguments, it.name
        if name == "CreateCommandQueue":
            queues.append(it.made[0])
        elif name == "SetKernelArg":
            arguments.setdefault(args[0], {})[int(args[1])] = args[3]
        elif name in ("Flush", "Finish"):
            yield {"call": name.lower(), "queue": queues.index(args[0])}
        elif name == "WaitForEvents":
            waited = [of_event[event] for event in args[1].strip("[]").split()]
            yield {"call": "wait", "ids": [ids[number] for number in waited], "data": [data.get(n, "") for n in waited]}
        elif name in CALLS:
            ids[it.number] = len(ids)
            of_event.update(dict.fromkeys(it.made, it.number))
            waits = next(arg.strip("[]").split() for arg in args if arg.startswith("["))
            yield {
                "call": CALLS[name],
                "id": ids[it.number],
                "queue": queues.index(args[0]),
                "waits": [ids[of_event[event]] for event in waits],
                "buffer": args[1],
                "data": data.get(it.number, ""),
                "arguments": [value for _, value in sorted(arguments.get(args[1], {}).items())],
            }


def one_run(calls, lines):
    """The last repetition: {"calls": ..., "times": ...}, and what lay in the slots and with the host before it."""
    *_, before_it, stop = (
        i for i, one in enumerate(calls) if one["call"] == "finish"
    )  # the last one is that of the end
    start = before_it + 1
    first = next(one["id"] for one in calls[start:] if "id" in one)
    times = {one["id"]: one["ns"] for one in calls if one["call"] == "times" and one["id"] >= first}
    launches = [one["arguments"] for one in calls if one["call"] == "launch"]
    # Buffers of pieces and of partial sums, by the kernel's arguments, in their order; and the slot of each result's command.
    slots, sums = ({buffer: i for i, buffer in enumerate(dict.fromkeys(some))} for some in list(zip(*launches))[:2])
    slot_of = {one["id"]: sums[one["buffer"]] for one in calls if one["call"] == "read"}
    before = {"slots": [[] for _ in slots], "sums": [None for _ in slots]}
    made, pieces, came = [], [], []
    for one in calls[:start]:
        if one["call"] == "write":
            there, new = before["slots"][slots[one["buffer"]]], floats(one["data"])
            there[: len(new)] = new
        for id_, data in zip(one.get("ids", []), one["data"]) if one["call"] == "wait" else ():
            before["sums"][slot_of[id_]] = floats(data)[0]
    for one in calls[start:stop]:
        kind, call, more = KINDS.get(one["call"]), one["call"], []
        if kind == "copy":
            more = [slots[one["buffer"]], len(pieces)]
            pieces.append(floats(one["data"]))
        elif kind == "kernel":
            piece, partial, length = one["arguments"][:3]
            more = [slots[piece], int(length, 16)]
            if sums[partial] != more[0]:
                raise SystemExit("piece and partial sums are not of one slot")
        elif kind == "result":
            more = [slot_of[one["id"]]]
        elif call == "flush":
            name = {"copy": "copies", "kernel": "kernels", "result": "results"}[made[-1][1]]
            made.append([lines[f"flush {name}"], "flush", one["queue"]])
        elif call == "wait":
            made.append([lines["wait"], "wait", *[i - first for i in one["ids"]]])
            made.append([lines["add"], "add", slot_of[one["ids"][0]]])
            came.append(floats(one["data"][0])[0])
        elif call not in ("times", "device"):
            raise SystemExit(f"the loop makes a call that is not known here: {one}")
        if kind:
            made.append([lines[kind], kind, one["id"] - first, one["queue"], [w - first for w in one["waits"]], *more])
    zero = min(ns[0] for ns in times.values())
    ran = [[t - zero for t in times[id_]] for id_ in sorted(times)]
    return {"calls": made, "times": ran[: sum(len(c) > 4 for c in made)]}, before, pieces, came


def record(launch, digest, missing):
    """The recording of a launch, as text."""
    if shutil.which("g++") is None or not pathlib.Path("/usr/include/CL/cl.h").exists():
        raise missing("g++ or OpenCL's headers are missing (Debian 12: apt install g++ ocl-icd-opencl-dev)")
    source = files(launch)
    loop, lines = loop_of(source["host.cpp"])
    runs, common, device = [], None, ""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        library = layer_library(folder)
        program = folder / "program"
        command = ["g++", "-std=c++17", "-O2", ROOT / launch["chapter"] / "host.cpp", "-o", program, "-lOpenCL"]
        subprocess.run(command, check=True)
        shutil.copy(ROOT / launch["chapter"] / "kernel.cl", folder)
        for number in launch["queues"]:
            tries = []
            for _ in range(TRIES):
                said, calls = calls_of(launch["chapter"], program, [*launch["arguments"], str(number)], library, folder)
                run, *rest = one_run(calls, lines)
                device = next(one["device"] for one in calls if one["call"] == "device")
                total = re.search(r"(?m)^result +(\S+)$", said).group(1)
                if common is not None and common != [*rest, total]:
                    raise SystemExit(f"another run, and other numbers: {common}, {rest}, {total}")
                common = [*rest, total]
                tries.append(run)
            best = min(tries, key=lambda run: max(ns[3] for ns in run["times"]))
            runs.append({"queues": number, **best})
    before, pieces, came, total = common
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
    for run in runs:
        calls = ",\n".join(map(dump, run["calls"]))
        run["text"] = f'{{"queues":{run["queues"]},"calls":[\n{calls}\n],"times":{dump(run["times"])}}}'
    text.append('"runs": [\n' + ",\n".join(run["text"] for run in runs) + "\n]")
    text = "{\n" + ",\n".join(text) + "\n}\n"
    json.loads(text)
    return text
