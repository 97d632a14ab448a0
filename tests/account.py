"""What a run under the layer did, from the layer's log (checker/layer/README.md)."""

import math
import re

from checker.calls import KINDS, events_of


class Command:
    """A command: the function, its kernel's name ("-": none), `name`, which is the kernel's or else the function's, work-items,
    the kernel's -D options, its series, and the known times in ns: queued, submitted, started, ended. `status`: what was left of
    it as its queue was released."""

    def __init__(self, call, kernel, options, series, *ns):
        self.function, self.kernel, self.options = f"cl{call.name}", kernel, options
        self.name = self.function if kernel == "-" else kernel
        launches = call.name == "EnqueueNDRangeKernel"
        self.items = math.prod(map(int, call.arguments[4].split("x"))) if launches else 0
        self.series, self.ns, self.status = series, ns, None


class Account:
    """`log`: all calls (checker.calls.Call); `calls`: their functions; `failed`: the function that was made to fail first,
    and its code, or None; `text`: the calls that succeeded, and the builds that did not, a line each; `notes`: all that the log
    has, in order."""

    def __init__(self, text):
        self.notes = list(events_of(text.splitlines()))
        self.log = [it for what, it in self.notes if what == "call"]
        self.calls = [f"cl{call.name}" for call in self.log]
        self.failed = next(((f"cl{call.name}", call.code) for call in self.log if call.failed), None)
        self.exited = any(what == "exit" for what, _ in self.notes)
        self.commands, self.mapped, self.misuse = [], {}, []
        self.references, self.bytes, self.bytes_at_most = {}, {}, 0  # of what is alive: [how many, made by]
        self.keep()
        tried = [call for call in self.log if call.code == 0 or call.name == "BuildProgram"]
        shown = [str(call) if call.code == 0 else f"{call.line} failed with {call.code}" for call in tried]
        self.text = re.sub(r"there@\w+", "there", "\n".join(shown))

    def keep(self):
        """The books of commands, objects and memory, in order."""
        options, kernels, commands, calls = {}, {}, {}, {}
        for what, it in self.notes:
            if what == "call":
                calls[it.number] = it
            elif what == "done" and it.code == 0:
                self.count(it)
                if it.name == "BuildProgram":
                    options[it.arguments[0]] = dict(re.findall(r"-D ?(\w+)=([^\s\"]+)", it.arguments[3]))
                elif it.name == "CreateKernel":
                    kernels[it.made[0]] = (it.arguments[1].strip('"'), options.get(it.arguments[0], {}))
            elif what == "command":
                call = calls[it[0]]
                commands[it[0]] = Command(call, *kernels.get(call.arguments[1], ("-", {})), *map(int, it[1:]))
                self.commands.append(commands[it[0]])
            elif what == "ended":
                commands[it[0]].status = int(it[1])

    def count(self, call):
        """Keeps the books of objects and memory after a call that succeeded."""
        name = call.arguments[0] if call.arguments else ""
        alive, kind = self.references.get(name), KINDS.get(call.name[7:], call.name[7:].lower())
        if call.name.startswith("Retain") and alive:
            alive[0] += 1
        elif call.name.startswith("Release") and not name.startswith("there"):
            if not alive or not name.startswith(kind):
                self.misuse.append(f"cl{call.name} of a {kind} that is not alive")
            elif alive[0] > 1:
                alive[0] -= 1
            else:
                del self.references[name]
                self.bytes.pop(name, None)
        elif call.name == "EnqueueUnmapMemObject":
            self.mapped.pop(call.arguments[2], None)
        for made in call.made if not call.name.startswith("Get") else []:
            if made.startswith("region"):
                self.mapped[made] = f"cl{call.name}"
            elif re.fullmatch(r"[a-z]+\d+", made):
                self.references[made] = [1, f"cl{call.name}"]
        if call.name == "CreateBuffer":
            self.bytes[call.made[0]] = int(call.arguments[2])
            self.bytes_at_most = max(self.bytes_at_most, sum(self.bytes.values()))

    def left_behind(self):
        """What the run leaves behind: a list of sentences."""
        wrong = [f"never released: {name}, made by {by}" for name, (_, by) in self.references.items()]
        wrong += [f"released once too often: {words}" for words in self.misuse]
        for command in self.commands:
            status = f"had the status {command.status} when its queue was released"
            status = "whose queue was never released" if command.status is None else status
            wrong += [f"unfinished: {command.function}, {status}"] * (command.status != 0)
        wrong += [f"never unmapped: a region mapped by {by}" for by in self.mapped.values()]
        return wrong or ["it made no OpenCL call at all"] * (not self.calls)
