"""What a run under the layer did, from the layer's log (checker/layer/README.md)."""

import math
import re

from checker.calls import KINDS, events_of


class Command:
    """A command: the function, its kernel's name ("-": none), work-items, the kernel's -D options, its series, and the
    known times in ns: queued, submitted, started, ended. `status`: what was left of it as its queue was released."""

    def __init__(self, call, kernel, options):
        self.function, self.kernel, self.options = f"cl{call.name}", kernel, options
        launches = call.name == "EnqueueNDRangeKernel"
        self.items = math.prod(map(int, call.arguments[4].split("x"))) if launches else 0
        self.series, self.ns, self.status = 0, [0] * 4, None


class Account:
    """`log`: all calls (checker.calls.Call); `calls`: their functions; `failed`: the function that was made to fail first,
    and its code, or None; `text`: the calls that succeeded, and the builds that did not, a line each."""

    def __init__(self, text):
        self.exited = False
        self.log, self.commands, self.notes = [], [], []
        self.failed = None
        self.references, self.created, self.released, self.misuse = {}, 0, 0, []
        self.bytes, self.bytes_at_most = {}, 0
        self.mapped, self.open, self.readings, self.overtaken = {}, [], 0, 0
        self.call_ns = self.reading_ns = 0
        options, programs, commands, by_number = {}, {}, {}, {}
        for what, it in events_of(text.splitlines()):
            if what == "call":
                self.log.append(it)
                by_number[it.number] = it
            elif what == "done":
                if it.failed and self.failed is None:
                    self.failed = (f"cl{it.name}", it.code)
                if it.code == 0:
                    self.count(it)
                if it.name == "BuildProgram" and it.code == 0:
                    options[it.arguments[0]] = dict(re.findall(r"-D ?(\w+)=([^\s\"]+)", it.arguments[3]))
                if it.name == "CreateKernel" and it.made:
                    programs[it.made[0]] = (it.arguments[1].strip('"'), options.get(it.arguments[0], {}))
            elif what == "command":
                call = by_number[it[0]]
                commands[it[0]] = Command(call, *programs.get(call.arguments[1], ("-", {})))
                commands[it[0]].series, *commands[it[0]].ns = map(int, it[1:])
                self.commands.append(commands[it[0]])
            elif what == "ended":
                commands[it[0]].status = int(it[1])
            elif what == "open":
                self.open.append(" ".join(it))
            elif what == "host_ns":
                self.call_ns, self.reading_ns = map(int, it)
            elif what == "readings":
                self.readings = int(it[0])
            elif what == "overtaken":
                self.overtaken = int(it[0])
            elif what == "exit":
                self.exited = True
            self.notes.append((what, it))
        self.calls = [f"cl{call.name}" for call in self.log]
        shown = [
            str(call) if call.code == 0 else f"{call.line} failed with {call.code}"
            for call in self.log
            if call.code == 0 or call.name == "BuildProgram"
        ]
        self.text = re.sub(r"there@\w+", "there", "\n".join(shown))

    def count(self, call):
        """Keeps the books of objects and memory after a call that succeeded."""
        if call.name.startswith("Retain") and call.arguments[0] in self.references:
            self.references[call.arguments[0]][0] += 1
            self.created += 1
        elif call.name.startswith("Release") and not call.arguments[0].startswith("there"):
            self.release(call)
        elif call.name == "EnqueueUnmapMemObject":
            self.mapped.pop(call.arguments[2], None)
        made = call.made if not call.name.startswith("Get") else []
        for name in made:
            if name.startswith("region"):
                self.mapped[name] = f"cl{call.name}"
            elif re.fullmatch(r"[a-z]+\d+", name):
                self.references[name] = [1, f"cl{call.name}"]
                self.created += 1
        if call.name == "CreateBuffer":
            self.bytes[call.made[0]] = int(call.arguments[2])
            self.bytes_at_most = max(self.bytes_at_most, sum(self.bytes.values()))

    def release(self, call):
        name = call.arguments[0]
        alive = self.references.get(name)
        kind = KINDS.get(call.name[7:], call.name[7:].lower())
        if not alive or not name.startswith(kind):
            self.misuse.append(f"cl{call.name} of a {kind} that is not alive")
            return
        self.released += 1
        alive[0] -= 1
        if alive[0] == 0:
            del self.references[name]
            self.bytes.pop(name, None)

    def left_behind(self):
        """What the run leaves behind: a list of sentences."""
        kinds = {name: re.sub(r"\d+$", "", name) for name in self.references}
        wrong = [f"never released: a {kinds[name]} made by {by}" for name, (_, by) in self.references.items()]
        wrong += [f"released once too often: {words}" for words in self.misuse]
        for command in self.commands:
            if command.status is None:
                wrong.append(f"unfinished: {command.function}, whose queue was never released")
            elif command.status != 0:
                wrong.append(
                    f"unfinished: {command.function} had the status {command.status} when its queue was released"
                )
        wrong += [f"never unmapped: a region mapped by {by}" for by in self.mapped.values()]
        wrong += [f"never closed: {path}" for path in self.open]
        if not self.calls:
            wrong.append("it made no OpenCL call at all")
        return wrong
