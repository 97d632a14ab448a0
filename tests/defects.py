"""Deliberate defects: mutants, known wrong answers and the lessons' traps, in one notation.

    ## tree: neighbour one off                 its name
    kind: racy                                 attributes: kind: KIND, expect: REGEX
    Any other line says in words what is wrong.
    kernel.cl                                  the file that the lines after it change; kernel.cl if none is named;
                                               common/args.h is the one beside the folder
      sums[l] = sum;                           a small diff: two blanks, a line that stays,
    - barrier(CLK_LOCAL_MEM_FENCE);            a line that goes,
    + mem_fence(CLK_LOCAL_MEM_FENCE);          a line that comes

Lines that stay and lines that go are looked for in the file's code, one token after the other: comments and
white space count for nothing, neither here nor there, so a line may be a part of one (`- i < n`), or span
several. They must stand there exactly once; lines that stay are there to make sure of that. A blank line or a file's name ends a diff; several are made one after the other.

Before a defect, `# host.cpp` names the file for all that follow; any other line is a remark.
"""

import re
import textwrap

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*
    |\.?\d(?:[eEpP][+-]|[\w.])*|<<=|>>=|->|::|\#\#|[-+*/%&|^<>=!]=|\+\+|--|<<|>>|&&|\|\||\S""",
    re.VERBOSE | re.DOTALL,
)
ATTRIBUTE = re.compile(r"(kind|expect)(?:: (.+))?")
FILE = re.compile(r"(?:common/)?[\w-]+\.(?:cl|cpp|h)")


class Unfit(Exception):
    """A defect that cannot be made, in words: which one, and why."""


class Defect:
    def __init__(self, name, where):
        self.name, self.where = name, f"{where}: {name}"
        self.attributes = {}
        self.words = []
        self.diffs = []  # (file, lines)


def tokens(code):
    """[(token, where it begins, where it ends)], without comments."""
    return [(m[0], m.start(), m.end()) for m in TOKEN.finditer(code) if m["comment"] is None]


def parse(text, where):
    """The defects in a text, in order. `where` is for messages."""
    found, defect, within, usual = [], None, None, "kernel.cl"
    for line in textwrap.dedent(text).splitlines():
        sign = line[:2] if line[:2] in ("- ", "+ ", "  ") and line.strip() else ""
        if match := re.fullmatch(r"## (.+)", line):
            defect, within, file = Defect(match[1].strip(), where), None, usual
            found.append(defect)
        elif match := re.fullmatch(r"# (\S+)", line):
            defect, usual = None, match[1]
        elif defect is None:
            continue
        elif sign:
            if within is None:
                within = []
                defect.diffs.append((file, within))
            within.append((sign[0], line[2:]))
        else:
            within = None
            if FILE.fullmatch(line.strip()):
                file = line.strip()
            elif match := ATTRIBUTE.fullmatch(line.strip()):
                defect.attributes[match[1]] = match[2] or ""
            elif line.strip():
                defect.words.append(line.strip())
    for defect in found:
        if not any(sign in "-+" for _, lines in defect.diffs for sign, _ in lines):
            raise Unfit(f"{defect.where}: changes nothing: it has no line that begins with - or +")
    return found


def read(path):
    return parse(path.read_text(), path.name)


def change(text, lines, what):
    """`text` with the diff `lines` made."""
    code = tokens(text)
    pattern, groups = [], []  # groups: [first, last) of the tokens that go, and the lines that come
    for i, (sign, line) in enumerate(lines):
        if sign != " " and (i == 0 or lines[i - 1][0] == " "):
            groups.append([len(pattern), len(pattern), []])
        if sign == "+":
            groups[-1][2].append(line)
        else:
            pattern += [token for token, _, _ in tokens(line)]
            if sign == "-":
                groups[-1][1] = len(pattern)
    if not pattern:
        raise Unfit(f"{what}: no line says where")
    words = [token for token, _, _ in code]
    found = [at for at in range(len(words)) if words[at : at + len(pattern)] == pattern]
    if len(found) != 1:
        shown = "\n".join(f"  {sign} {line}" for sign, line in lines if sign != "+")
        raise Unfit(f"{what}: stands {len(found)} times in the code, where once was expected:\n{shown}")
    places = code[found[0] :]
    for first, last, new in reversed(groups):
        if first < last:
            begin, end = places[first][1], places[last - 1][2]
        else:  # nothing goes: after the token before it, or before the first
            begin = end = places[first - 1][2] if first else places[0][1]
        line = text[text.rfind("\n", 0, begin) + 1 :]
        margin = "\n" + line[: len(line) - len(line.lstrip(" "))]
        put = margin.join(textwrap.dedent("\n".join(new)).splitlines())
        if first == last:
            put = margin + put if first else put + margin
        text = text[:begin] + put + text[end:]
    if [t for t, _, _ in tokens(text)] == words:
        raise Unfit(f"{what}: leaves the code as it was")
    return text


def place_of(file, folder):
    """Where a file of a defect lies: in the folder, or in common/ beside it."""
    return (folder.parent if file.startswith("common/") else folder) / file


def changed(defect, folder):
    """What a defect makes of the files in a folder: {name: text}, those that it changes."""
    texts = {}
    for file, lines in defect.diffs:
        path = place_of(file, folder)
        if file not in texts and not path.is_file():
            raise Unfit(f"{defect.where}: there is no {file}")
        texts[file] = change(texts.get(file) or path.read_text(), lines, f"{defect.where}: {file}")
    return texts
