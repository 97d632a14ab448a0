"""Does Oclgrind see every loop go round, at the sizes that it runs?

A race between two rounds of a loop, or an overrun in the last one, shows only where there are several. So each
loop of a chapter's kernels whose rounds depend on sizes is made to count them and to print the count, and the
program runs as in check `oclgrind`: in some launch each loop must make three rounds, and one whose work-items take turns
(`i += get_global_size(0)`) must end in a round that not all of them take part in. FEW_ROUNDS in the chapter's facts names
those that cannot, with the reason. And what is built with a switch (`-D EDGES=0`) must have run there with each of its
ways (FORCED), but for those that ONE_WAY names.
"""

import itertools
import pathlib
import re
import tempfile

from tests import chapter_facts, running
from tests.syntax import (
    bodies,
    builds_of,
    changed_copy,
    forced,
    is_constant,
    kernel_files,
    named,
    nodes,
    place_of,
    text_of,
)

ENOUGH = 3


def is_loop(node):
    """A loop whose rounds are not known to the compiler. (Of `for` Clang has five parts: the second one is for C++.)"""
    if node.get("kind") != "ForStmt":
        return False
    start, _, condition, _, _ = node["inner"]
    own = {each["id"] for each in nodes(start) if each.get("kind") == "VarDecl"}
    others = [name for name in named(condition) if name["id"] not in own] if condition else [1]
    starts_anywhere = not start or any(not is_constant(each) for each in start.get("inner", []))
    return bool(others) or starts_anywhere


def end_of(statement, source):
    """Where a statement ends, its semicolon included."""
    end = place_of(statement)[1]
    while statement.get("kind") in ("ForStmt", "IfStmt"):
        statement = statement["inner"][-1]
    return end if statement.get("kind") == "CompoundStmt" else source.index(b";", end - 1) + 1


def loops_of(source, options):
    """Loops by where they begin: {place: (end, place of the body, code of the head, do the work-items take turns?)}."""
    raw = source.encode()
    found = {}
    for node in (node for body in bodies(source, options) for node in nodes(body)):
        if is_loop(node):
            begin, body = place_of(node)[0], place_of(node["inner"][4])[0]
            head = " ".join(re.sub(r"//.*", "", raw[begin:body].decode()).split())
            turns = "_size(0)" in text_of(node["inner"][3], source)
            found[begin] = (end_of(node, raw), body, head, turns)
    return found


def counting(source, loops, switches):
    """The kernel file, with every loop counting its rounds, and saying how the switches are."""
    shown = "".join(f" {name}=%d" for name in switches)
    values = "".join(f", {name}" for name in switches)
    pieces = []
    for number, begin in enumerate(sorted(loops)):
        end, body, _, _ = loops[begin]
        pieces += [(begin, 1, f"{{ uint rounds_{number} = 0; "), (body, 0, f"{{ rounds_{number}++; ")]
        said = f'printf("rounds of {number}: %u{shown}\\n", rounds_{number}{values});'
        pieces += [(end, -begin - 2, f"}} {said} }} ")]
    raw = source.replace("#pragma unroll", "//ragma unroll").encode()  # as long as before
    for place, _, text in sorted(pieces, key=lambda piece: piece[:2], reverse=True):
        raw = raw[:place] + text.encode() + raw[place:]
    return raw.decode()


def check(report, chapter):
    known = chapter_facts.of(chapter)
    if not running.has_kernel(chapter):
        return report.nothing_to_do("it has no kernel")
    files, switches = {}, {}  # kernel file: its loops; the -D that are 0 or 1
    with tempfile.TemporaryDirectory() as cache:
        for source, options in builds_of(known, cache):
            path = next(p for p in kernel_files(chapter) if p.read_text() == source)
            files.setdefault(path, {}).update(loops_of(source, options))
            for name, value in re.findall(r"-D ?(\w+)=(\w+)", options):
                switches.setdefault(path, {}).setdefault(name, set()).add(value)
    if not any(files.values()):
        return report.nothing_to_do("it has no loop whose rounds depend on sizes")
    for path, loops in files.items():
        with tempfile.TemporaryDirectory() as folder:
            names = sorted(name for name, values in switches.get(path, {}).items() if values <= {"0", "1"})
            text = counting(path.read_text(), loops, names)
            most, uneven, seen = {}, set(), set()
            for change, arguments in itertools.product([None, *known.FORCED], known.OCLGRIND_SIZES):
                program = changed_copy(chapter, pathlib.Path(folder), {path: forced(text, change)})
                quick = known.LARGE_LAUNCHES and not known.WHOLE_LAUNCHES
                code, out, err, log = running.on_oclgrind(
                    [program, *arguments], *known.OCLGRIND_OPTIONS, *["--quick"] * quick
                )
                if code not in (0, 1) or "FAILED" in out.splitlines() and not quick:
                    report.failed(
                        chapter, [f"counting its rounds it does not run, exit code {code}\n{out[-400:]}{err}{log}"]
                    )
                seen.update(re.findall(r" (\w+)=([01])\b", "\n".join(re.findall("^rounds of .*", out, re.MULTILINE))))
                for number, rounds in re.findall(r"^rounds of (\d+): (\d+)", out, re.MULTILINE):
                    if int(rounds) not in (0, most.get(int(number), int(rounds))):
                        uneven.add(int(number))
                    most[int(number)] = max(most.get(int(number), 0), int(rounds))
        for name in names:
            ways = sorted(way for switch, way in seen if switch == name)
            report.count("switches")
            if (ways != ["0", "1"]) != (name in known.ONE_WAY):
                report.failed(f"{chapter}/{path.name}", [f"{name} is never anything but {' '.join(ways)}"])
        for number, begin in enumerate(sorted(loops)):
            _, _, head, turns = loops[begin]
            report.count("loops")
            few = most.get(number, 0) < ENOUGH or turns and number not in uneven
            if few != (head in known.FEW_ROUNDS):
                report.failed(
                    f"{chapter}/{path.name}",
                    [
                        f"{head} makes {most.get(number, 0)} rounds at most"
                        + (", all work-items as many" if turns and number not in uneven else "")
                        + (", by OCLGRIND_SIZES in its facts" if few else ", and FEW_ROUNDS says that it cannot")
                    ],
                )
