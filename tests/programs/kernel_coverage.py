"""Is all of every kernel run? Each function, each piece between #if and #endif, and both sides of each condition.

By Clang's syntax tree the kernel file gets a mark at each of these places, which prints its number the first time that a
work-item comes by. The chapter then runs at sizes of its tests: on PoCL, on PoCL made to look like each device of tests/devices/,
where its facts name runs on other implementations, and on Oclgrind, until all have been seen. What nobody has come by must
stand in coverage/not-run.txt, with the reason.
"""

import pathlib
import re
import tempfile

from tests import chapter_facts, running, syntax
from tests.coverage import covered
from tests.mutants import known_mutants
from tests.programs.small_devices import PROFILES
from tests.systems import implementations

# Prints a mark's number once for each work-item and call of the function; it is always 1.
MARK = '((seen_[{0} / 32] >> {0} % 32 & 1) != 0 || (seen_[{0} / 32] |= 1u << {0} % 32, printf("~{0}~\\n") >= 0) || 1)'
DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b.*", re.MULTILINE)


def leaves(condition):
    """The conditions that && and || join, and those within them."""
    kind, inner = condition.get("kind"), condition.get("inner", [])
    if kind in ("ParenExpr", "ImplicitCastExpr") or kind == "UnaryOperator" and condition["opcode"] == "!":
        return leaves(inner[0])
    if kind == "BinaryOperator" and condition["opcode"] in ("&&", "||"):
        return leaves(inner[0]) + leaves(inner[1])
    return [condition]


def conditions(tree):
    """Every condition in a function that is not known to the compiler."""
    for node in syntax.nodes(tree):
        kind, inner = node.get("kind"), node.get("inner", [])
        found = []
        if kind in ("IfStmt", "WhileStmt", "ConditionalOperator"):
            found = leaves(inner[0])
        elif kind == "DoStmt":
            found = leaves(inner[1])
        elif kind == "ForStmt" and inner[2]:
            found = leaves(inner[2])
        elif kind == "BinaryOperator" and node["opcode"] in ("&&", "||"):
            found = leaves(node)
        yield from (each for each in found if not syntax.is_constant(each) and "vector" not in str(each.get("type")))


def pieces_of(raw):
    """Where a piece between preprocessor lines begins and ends, and the lines that it stands under."""
    found, under, begin = [], [], 0
    for match in DIRECTIVE.finditer(raw):
        found.append((begin, match.start(), " / ".join(under)))
        word, text = match[1].decode(), match[0].decode().partition("//")[0].strip()
        if word.startswith("if"):
            under.append(text)
        elif word == "endif":
            under.pop()
        else:
            under[-1] += f" {text}"
        begin = match.end()
    return [piece for piece in [*found, (begin, len(raw), "")] if piece[2]]


def built(raw, pieces, options):
    """The numbers of those pieces that a program with these options builds."""
    for number, (begin, _, _) in reversed([*enumerate(pieces)]):
        raw = raw[:begin] + f"\n~{number}~".encode() + raw[begin:]
    return set(map(int, re.findall(r"^~(\d+)~$", syntax.left_of(raw.decode(), options), re.MULTILINE)))


def has_code(piece):
    return re.search(rb"^(?!\s*(//|#|$)).", piece, re.MULTILINE) is not None


def marks_of(path, builds):
    """The marks of a kernel file: {(begin, end of the condition, or nothing): what it stands for}; and the pieces that no
    program builds."""
    raw, name = path.read_bytes(), f"{path.parent.name}/{path.name}"
    marks, statements = {}, {}  # statements: where one begins, and in which function
    for function in (tree for options in builds for tree in syntax.kernel_trees(path.read_text(), options)):
        body = syntax.body_of(function)
        if body is None:
            continue
        where = f"{name} {function['name']}"
        marks[syntax.place_of(body)[0] + 1, None] = f"{where}: is called"
        for node in syntax.nodes(body):
            if node.get("kind") == "CompoundStmt":
                statements.update({syntax.place_of(child)[0]: where for child in node.get("inner", [])})
        for each in conditions(body):
            begin, end = syntax.place_of(each)
            marks[begin, end] = f"{where}: {' '.join(raw[begin:end].decode().split())}"
    never, pieces = [], pieces_of(raw)
    somewhere = set().union(*(built(raw, pieces, options) for options in builds))
    for number, (begin, end, under) in enumerate(pieces):
        inside = [place for place in statements if begin <= place < end]
        if inside and (min(inside), None) not in marks:
            marks[min(inside), None] = f"{statements[min(inside)]}: under {under}"
        elif has_code(raw[begin:end]) and number not in somewhere:
            never.append(f"{name}: under {under}, which no program builds")
    return marks, never


def marked(raw, marks):
    """The kernel file with its marks; a condition has two, the odd one for false."""
    raw = raw.replace(b"#pragma unroll", b"//ragma unroll")  # as long as before; a statement will stand between
    texts = []
    declared = f" uint seen_[{2 * len(marks) // 32 + 1}] = {{0}};"
    for number, (begin, end) in enumerate(sorted(marks, key=str)):
        hit, missed = MARK.format(2 * number), MARK.format(2 * number + 1)
        if end is not None:
            texts += [(begin, 1, "(("), (end, -begin, f") ? {hit} : !{missed})")]
        else:
            texts.append((begin, 0, f"{declared if raw[begin - 1 : begin] == b'{' else ''} {hit}; "))
    for place, _, text in sorted(texts, reverse=True):
        raw = raw[:place] + text.encode() + raw[place:]
    return raw


def meanings(marks):
    """{number that is printed: what was run}."""
    found = {}
    for number, (begin, end) in enumerate(sorted(marks, key=str)):
        text = marks[begin, end]
        if end is None:
            found[2 * number] = text
        else:
            found[2 * number], found[2 * number + 1] = f"{text} -> true", f"{text} -> false"
    return found


def runs_elsewhere(known, folder, missing):
    """The runs that the chapter's facts name on other implementations: (arguments, environment). The names of those that
    are not here go into `missing`."""
    for name, runs in known.RUNS_ON.items():
        (folder / name).mkdir()
        try:
            env = implementations.environment(name, folder / name)
        except running.Skip as skip:
            missing.append(str(skip))
            continue
        for arguments, _ in runs:
            yield [min(word, "1000", key=len) for word in arguments], env


def on_profiles(known):
    """The runs that the chapter's facts name on simulated devices: (arguments, profile)."""
    for name, sizes in known.SIZES_ON.items():
        yield from ((size, next(profile for profile in PROFILES if profile.stem == name)) for size in sizes)


def runs_here(known):
    """What the tests run, the quick first, on PoCL in an order that prints line after line, and on PoCL made to look like
    other devices."""
    for size in [known.TINY_SIZE, *known.SMALL_SIZES, *known.OCLGRIND_SIZES, *known.INPUT_SIZES]:
        yield size, {"POCL_DEVICES": "basic"}
    for size, profile in [*on_profiles(known), *((known.SMALL_SIZES[-1], profile) for profile in PROFILES)]:
        env = {"POCL_DEVICES": "basic", **running.as_device(profile)}
        yield size, {name: value for name, value in env.items() if value is not None}
    for env, size in known_mutants.own_tests(known.chapter):
        if size:
            yield size, {"POCL_DEVICES": "basic", **env}


def seen_of(report, folder, known, runs, wanted):
    """The numbers that the marks print, until all that are wanted have been seen. What PoCL does not show, Oclgrind may:
    of work-items that it knows to agree, PoCL asks only one."""
    seen = set()
    for arguments, env in [*runs, (known.OCLGRIND_SIZES[-1], None)]:
        if wanted <= seen:
            break
        command = [folder / known.chapter, *arguments]
        if env is None:
            code, out, err, _ = running.on_oclgrind(command, *known.OCLGRIND_OPTIONS)
        else:  # a program that searches does so once for each device
            code, out, err = running.run(command, env={**running.remembering(folder), **env})
        if code not in (0, 1) or "does not build" in err:
            report.failed(
                f"{known.chapter} with marks",
                [f"exit code {code} with {arguments}{running.indented(out[-300:] + err)}"],
            )
        seen.update(int(number) for number in re.findall(r"~(\d+)~", out))
        report.count("runs")
    return seen


def check(report, chapter):
    if not running.has_kernel(chapter):
        return report.nothing_to_do("it has no kernel")
    known, files, missing, not_run = chapter_facts.of(chapter), {}, [], []
    with tempfile.TemporaryDirectory() as name:
        there = pathlib.Path(name)
        elsewhere = list(runs_elsewhere(known, there, missing))
        with tempfile.TemporaryDirectory() as cache:
            simulated = [(size, {}, profile) for size, profile in on_profiles(known)]
            runs = [(size, {}) for size in known.INPUT_SIZES] + simulated + elsewhere
            for source, options in syntax.builds_of(known, cache, runs, lines=True):
                path = next(p for p in syntax.kernel_files(chapter) if p.read_text() == source)
                files.setdefault(path, []).append(options)
        for path, builds in files.items():
            marks, never = marks_of(path, builds)
            folder = there / path.stem
            folder.mkdir()
            syntax.changed_copy(chapter, folder, {path: marked(path.read_bytes(), marks).decode()})
            numbers = meanings(marks)
            seen = seen_of(report, folder, known, [*runs_here(known), *elsewhere], set(numbers))
            report.count("places and sides", len(numbers))
            not_run += never + [text for number, text in numbers.items() if number not in seen]
    if missing and set(not_run) - set(covered.listed(rf"{chapter}/\w+\.cl ")):
        raise running.Skip("; ".join(missing))
    covered.compare(report, rf"{chapter}/\w+\.cl ", not_run)
