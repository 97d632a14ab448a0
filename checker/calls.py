"""What the layer's log says (checker/layer/README.md): the calls of a program, and what else it noted, in order."""

import math
import re

KINDS = {"Context": "context", "CommandQueue": "queue", "Program": "program", "Kernel": "kernel", "MemObject": "buffer"}
RELEASED = {**KINDS, "Event": "event"}
OUT_OF_ORDER = 1  # CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
EXECUTION_STATUS = 0x11D3  # CL_EVENT_COMMAND_EXECUTION_STATUS
MOMENTS = {0x1280: "queued", 0x1281: "submit", 0x1282: "start", 0x1283: "end"}


class Call:
    """One call: its number in the log, its name without "cl" and its arguments as the log has them. `code`: None where it never came
    back; `made`: the names of what it made, or the number that it said; `failed`: it was made to fail."""

    def __init__(self, line):
        _, self.number, self.line = line.split(" ", 2)
        self.name, _, rest = self.line.partition(" ")
        self.arguments = [word.strip() for word in re.findall(r'\s*"[^"]*"|\s*\[[^]]*\]|[^,]+', rest)]
        self.code, self.made, self.failed = None, [], False

    def done(self, words):
        self.code, self.failed = int(words[0]), words[1:] == ["failed"]
        self.made = " ".join(words[2:]).replace(",", "").split() if words[1:2] == ["->"] else []

    def __str__(self):
        """The line of a call that succeeded, with what it made."""
        made = " ".join(self.made)
        if self.name == "CreateKernel":
            made = made.replace(" local ", ", local ")
        return f"{self.line} -> {made}" if self.made else self.line


def events_of(lines):
    """What happened, in order: ("call", Call) as it begins, ("done", Call) as it ends, and (word, [the other words]) of
    everything else that the log has."""
    calls = {}
    for line in lines:
        what, _, rest = line.partition(" ")
        if what == "call":
            call = calls[rest.split(" ", 1)[0]] = Call(line)
            yield what, call
        elif what == "done" and rest.split()[0] in calls:
            call = calls[rest.split()[0]]
            call.done(rest.split()[1:])
            yield what, call
        else:
            yield what, rest.split()


# ---- In the checker's words ----------------------------------------------------------------------------------------

# What a command is to the checks of its order, and which of its arguments is its buffer.
COMMANDS = {
    "EnqueueNDRangeKernel": ("launch", None),
    "EnqueueReadBuffer": ("read", 1),
    "EnqueueReadBufferRect": ("read", 1),
    "EnqueueWriteBuffer": ("copy", 1),
    "EnqueueWriteBufferRect": ("copy", 1),
    "EnqueueMapBuffer": ("map", 1),
    "EnqueueUnmapMemObject": ("unmap", 1),
    "EnqueueBarrierWithWaitList": ("Barrier", None),
    "EnqueueMarkerWithWaitList": ("Marker", None),
}


def product(sizes):
    return math.prod(map(int, sizes.split("x")))


def box(arguments):
    """Of a ...Rect: how many bytes, and where they begin in the buffer."""
    origin, region = (list(map(int, arguments[at].split("x"))) for at in (3, 5))
    row = int(arguments[6]) or region[0]
    slice_ = int(arguments[7]) or region[1] * row
    return region[0] * region[1] * region[2], origin[0] + origin[1] * row + origin[2] * slice_


def words_of(text):
    """The log in the words of the checks, a line each, which begins with what was called: behaviour.py and others read
    them. A line that begins with "order" is a command: what, its queue, the buffers that it uses, the events that it waits
    for, and the one that it gives."""
    arguments = {}  # of each kernel: {index: what was set}
    lines, inputs = [], set()
    for what, it in events_of(text.splitlines()):
        if what == "call":
            lines += begun(it, arguments)
        elif what == "done" and it.code == 0:
            lines += ended(it, arguments)
        elif what == "input" and it[2] not in inputs:  # the first time that it is sent
            inputs.add(it[2])
            lines.append(f"input {it[2]}")
    return lines


def begun(call, arguments):
    name, args = call.name, call.arguments
    if name.startswith("Release") and name[7:] in RELEASED:
        return [f"release {RELEASED[name[7:]]}"]
    if name in ("CreateContext", "CreateCommandQueue", "CreateProgramWithSource", "CreateKernel"):
        return [f"create {KINDS[name[6:].removesuffix('WithSource')]}"]
    if name == "CreateBuffer":
        return [f"create buffer {args[2]}"]
    if name == "SetKernelArg":
        arguments.setdefault(args[0], {})[int(args[1])] = args[3]
    if name == "EnqueueNDRangeKernel":
        given = "".join(f" {i}={value.removeprefix('0x')}" for i, value in sorted(arguments.get(args[1], {}).items()))
        group = args[5].split("x")[0].replace("null", "0")
        return [f"{name} {args[4].split('x')[0]} {group} {product(args[4])} {args[6]}", f"with {args[1]}{given}"]
    if name in ("EnqueueReadBuffer", "EnqueueWriteBuffer"):
        return [f"{name} {args[2]} {args[3]} {args[4]}"]
    if name in ("EnqueueReadBufferRect", "EnqueueWriteBufferRect"):
        size, begin = box(args)
        return [f"{name.removesuffix('Rect')} {args[2]} {begin} {size}" + " rect" * ("Write" in name)]
    if name == "EnqueueMapBuffer":
        return [f"{name} {args[2]} {args[3]} {args[5]} {args[4]}"]
    if name == "EnqueueUnmapMemObject":
        return [f"{name} {args[3]}"]
    if name in COMMANDS:
        return [f"Enqueue{COMMANDS[name][0]}"]
    if name == "GetDeviceInfo":
        return [f"{name} {int(args[1]):x} {args[2]} {args[0]}"]
    if name in ("Flush", "Finish"):
        return [f"{name} {args[0]}"]
    if name == "WaitForEvents":
        return [f"{name} {args[0]} {args[1].strip('[]')}"]
    if name == "GetEventProfilingInfo":
        return [f"ask event {args[0]}"]
    return [name] if name == "CreateSubDevices" else []


def ended(call, arguments):
    name, args = call.name, call.arguments
    if name == "CreateCommandQueue":
        return [f"on {call.made[0]} {args[1]} " + "without order" * (int(args[2]) & OUT_OF_ORDER)]
    if name == "GetEventInfo" and int(args[1]) == EXECUTION_STATUS and call.made:
        return [f"PollEvent {args[0]} {call.made[0]}"]
    if name == "GetEventProfilingInfo" and call.made:
        return [f"profile {args[0]} of {MOMENTS.get(int(args[1]), '?')} {call.made[0]}"]
    if name not in COMMANDS:
        return []
    what, buffer = COMMANDS[name]
    uses = [args[buffer]] if buffer else []
    if what == "launch":
        uses = [value for _, value in sorted(arguments.get(args[1], {}).items()) if value.startswith("buffer")]
    waits = next((arg.strip("[]").split() for arg in args if arg.startswith("[")), [])
    gives = next((made for made in call.made if made.startswith("event")), "-")
    lines = [f"create event {gives}"] * (gives != "-")
    return [
        *lines,
        f"order {what} {args[0]} uses{''.join(',' + one for one in uses)} waits{''.join(',' + one for one in waits)} gives {gives}",
    ]
