"""Oclgrind's reports, in the words of someone who learns OpenCL.

Oclgrind simulates a device and watches every access to memory. It can end with exit code 0 while it
reports, so what counts is what it wrote. Only the first report of each kind is translated: the others
are mostly the same mistake, seen by the next work-item.
"""

import itertools
import re

# The most telling first: what goes wrong after an access outside a buffer is no news.
KINDS = ["forbidden", "invalid", "index", "divergence", "race", "uninitialized", "other"]
# What a kernel may not do with a buffer, wherever in it: what Oclgrind calls it, and what it means.
FORBIDDEN = {
    "read from write-only buffer": (
        "reads {}{}: the host made that buffer CL_MEM_WRITE_ONLY, so kernels must not read it. Keep the value in a variable, "
        "and write it once at the end"
    ),
    "write to read-only buffer": (
        "writes to {}{}: the host made that buffer CL_MEM_READ_ONLY, so kernels must not write to it. Where does the result "
        "belong?"
    ),
    "read from buffer mapped for writing": (
        "reads {}{} while the host has that buffer mapped for writing: the unmap has to come before the launch"
    ),
    "write to mapped buffer": (
        "writes to {}{} while the host has that buffer mapped: the unmap has to come before the launch"
    ),
}
OUTSIDE = "Is the index wrong, or should something keep it out?"  # of an access outside a buffer or an array
# Of each other kind: how Oclgrind's report begins.
SAYS = {
    "index": "^Index",
    "invalid": "^Invalid (read|write)",
    "race": "data race",
    "divergence": "divergence",
    "uninitialized": "^Uninitialized",
}
BYTES = {"float": 4, "i32": 4, "double": 8, "i64": 8, "i16": 2, "i8": 1}


def translate(text, kernel="", buffer_sizes=()):
    """The reports in Oclgrind's output: a list of (kind, sentence), at most one for each kind.

    `kernel`: the text of the kernel file. `buffer_sizes`: bytes of the program's buffers, in the
    order of their creation, as far as known.
    """
    found = {}
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if not re.match(r"(Invalid|Index|Unaligned|Uninitialized|Read-write|Write-write|Work-group divergence)", line):
            continue
        more = itertools.takewhile(lambda text: text.startswith("\t"), lines[i + 1 :])
        finding = Finding([line, *map(str.strip, more)], kernel.splitlines(), buffer_sizes)
        found.setdefault(finding.kind, finding)
    if "invalid" in found:  # the same access, seen twice
        found.pop("index", None)
    return [(kind, found[kind].sentence()) for kind in KINDS if kind in found]


def short(ids):
    """The ids of a work-item: "3,0,0" becomes "3", and "3,1,0" becomes "(3,1)"."""
    ids = re.sub("(,0)+$", "", ids)
    return f"({ids})" if "," in ids else ids


class Finding:
    def __init__(self, block, source, buffer_sizes):
        self.head = block[0]
        self.source = source
        self.body = "\n".join(block[1:])
        self.buffer_sizes = buffer_sizes
        self.rule = next((rule for rule in FORBIDDEN if self.head.startswith(f"Invalid {rule}")), None)
        said = (kind for kind, words in SAYS.items() if re.search(words, self.head))
        self.kind = "forbidden" if self.rule else next(said, "other")
        # (line, column, source line) of each place, in Oclgrind's order
        self.places = []
        for at in re.finditer(r"At line (\d+) \(column (\d+)\)[^\n]*\n?([^\n]*)", self.body):
            line = int(at.group(1))
            self.places.append((line, int(at.group(2)), source[line - 1] if line <= len(source) else at.group(3)))
        # (local id, global id, group) of each work-item
        items = re.findall(r"Local\(([\d,]+)\) Group\(([\d,]+)\)", self.body)
        self.items = [tuple(map(short, item)) for item in items]
        self.global_ids = [short(ids) for ids in re.findall(r"Global\(([\d,]+)\)", self.body)]
        self.item = self.global_ids[0] if self.global_ids else "?"
        self.both_write = self.head.startswith("Write-write")
        self.memory, self.buffer, self.element, self.bytes_each = self.address()

    def address(self):
        """(memory, buffer number, element, bytes of an element): the upper 16 bits are the number."""
        at = re.search(r"(global|local|private|constant) memory address 0x([0-9a-f]+)", self.head)
        if not at:
            return "", 0, 0, 4
        where = int(at.group(2), 16)
        size = re.search(r"of size (\d+)", self.head)
        stored = re.search(r"(?:load|store) (\w+)", self.body)
        each = int(size.group(1)) if size else BYTES.get(stored.group(1) if stored else "", 4)
        return at.group(1), where >> 48, (where & (2**48 - 1)) // each, each

    def array(self):
        """The array that a statement reads or writes: the column points at it, or at the `=`, `+=` or `++` that comes after
        its last index. "" where it may be one of several."""
        _, column, source = self.places[0] if self.places else (0, 1, "")
        inner = r"(?:[^][]|\[(?:[^][]|\[[^][]*\])*\])*"
        before = re.search(rf"(\w+)\s*(?:\[{inner}\]\s*)+[.\w\s)]*$", source[: column - 1])
        here = re.match(r"(?:\w+\s*\([^][]*?|\+\+|--)?\b(\w+)\s*\[", source[column - 1 :])
        names = {(here or before)[1]} if here or before else set(re.findall(r"(\w+)\s*\[", source))
        return names.pop() if len(names) == 1 else ""

    def pointer(self):
        """The kernel's argument that is read or written without an index, as in `*count` and `atomic_inc(count)`."""
        for _, column, source in self.places:
            before, here = source[: column - 1], source[column - 1 :]
            at = re.match(r"\*\s*(\w+)\b(?!\s*\[)|atom(?:ic)?_\w+\(\s*(\w+)\s*[,)]", here)
            at = at or re.search(r"\*\s*(\w+)()[\s)]*$", before)
            if at:
                return at[1] or at[2]
        return ""

    def what(self):
        """`sums[1]`; `element 1 of tile` for an array with two indices; `*count`."""
        if name := self.pointer():
            return f"*{name}"
        name = self.array()
        if not name:
            return f"element {self.element} of {self.memory} memory"
        if re.search(re.escape(name) + r"\s*\[[^\]]*\]\s*\[", self.places[0][2]):
            return f"element {self.element} of {name}"
        return f"{name}[{self.element}]"

    def lines(self):
        numbers = sorted({line for line, _, _ in self.places if line > 0})
        if not numbers:
            return ""
        return f", line{'s' if len(numbers) > 1 else ''} " + " and ".join(map(str, numbers))

    def sentence(self):
        return getattr(self, self.kind)()

    def race(self):
        what = self.what() + self.lines()
        if len(self.items) < 2:  # what a whole group does, such as async_work_group_copy
            return self.other()
        if self.memory == "local":
            items = " and ".join(sorted((item[0] for item in self.items), key=numbers_in))
            where = f"work-items {items} of group {self.items[0][1]} race on {what}"
            return f"{where}: {self.barrier()}"
        items = " and ".join(sorted(self.global_ids, key=numbers_in))
        how = "both write it" if self.both_write else "one writes it while the other reads it"
        # What is volatile is meant to be shared, such as a counter.
        name = self.pointer() or self.array()
        shared = any(re.search(rf"\bvolatile\b[^,)]*\b{name}\b", line) for line in self.source) if name else False
        question = "Is each of these accesses atomic?" if shared else "Which work-item should this element belong to?"
        return f"work-items {items} race on {what}: {how}. {question}"

    def barrier(self):
        """The question about the barrier: one that is there, and not for local memory, or one that is not there."""
        fences = [re.search(r"barrier\s*\(([^()]*)\)", line.split("//")[0]) for line in self.source]
        wrong = [str(number) for number, fence in enumerate(fences, 1) if fence and "LOCAL" not in fence[1]]
        if wrong:
            return f"does the barrier in line {' or '.join(wrong)} fence the wrong memory?"
        owner = "both write it, and no barrier is between. Which work-item should this element belong to?"
        return owner if self.both_write else "which barrier is missing?"

    def invalid(self):
        written = self.head.startswith("Invalid write")
        does = "writes" if written else "reads"
        name = self.array()
        size = ""
        if self.memory == "global" and 0 < self.buffer <= len(self.buffer_sizes):
            count = self.buffer_sizes[self.buffer - 1] // self.bytes_each
            size = f": that buffer has {count} element{'s' if count != 1 else ''}"
        if self.element >= 2**40:  # an index below 0 wraps around
            return f"work-item {self.item} {does} in front of {name or 'its memory'}{self.lines()}: can the index be negative?"
        what = self.what() if name else f"element {self.element}"
        question = OUTSIDE
        if 2**32 - 2**16 <= self.element < 2**32:
            question = f"{self.element} is {self.element - 2**32} in 32 bits: what was the value before something was subtracted?"
        return (
            f"work-item {self.item} {does} {what}, outside its {f'{self.memory} memory' if self.memory else 'memory'}{self.lines()}{size}. "
            f"{question}"
        )

    def forbidden(self):
        source = self.places[0][2] if self.places else ""
        both = re.search(r"(\w+)\s*\[[^=]*?\]\s*(?:[-+*/%&|^]|<<|>>)=", source)  # x[i] += ...: read and written
        name = both[1] if both else self.array()
        return f"work-item {self.item} {FORBIDDEN[self.rule].format(name or 'a buffer', self.lines())}"

    def index(self):
        found = re.search(r"Index \((-?\d+)\) exceeds static array size \((\d+)\)", self.head)
        index, size = found.groups() if found else ("?", "?")
        return f"work-item {self.item} uses index {index} of an array of {size} elements{self.lines()}. {OUTSIDE}"

    def divergence(self):
        count = re.search(r"Only (\d+) out of (\d+) work-items", self.body)
        who = "{} of {}".format(*count.groups()) if count else "some of the"
        return (
            f"only {who} work-items of a group reach the barrier{self.lines()}: all of them have to. "
            "Is it inside an `if`, behind a `return`, or in a loop that not all go through equally often?"
        )

    def uninitialized(self):
        return (
            f"work-item {self.item} computes with a value that nobody has written{self.lines()}, and puts it into "
            f"{self.what()}. Who should have written that value?"
        )

    def other(self):
        return f"{self.head}{self.lines()}"


def numbers_in(text):
    return [int(n) for n in re.findall(r"\d+", text)]
