"""Do kernels count in numbers that are wide enough, at sizes that no test can run?

An index that goes through a float is wrong from 2^24 on, one in a ushort from 2^16 on, and the product of a row
and a width in 32 bits from 2^32 on: far beyond what a check has the memory for. So each kernel file, as
its program builds it, is looked at through Clang's syntax tree. In functions of kernels there must be no

- conversion of a whole number into a float, or of a float into a whole number,
- conversion of a whole number into a narrower one, be it by an assignment such as `i += n` or a function's argument,
- product or shift, in 32 bits or fewer, of two numbers that are no constants,
- comparison of a variable that changes with a wider number: the variable may never get there,
- function that does any of this by name (convert_uint, mul24), and no `&` of whole numbers, which cuts bits off,

but for ids and sizes within a work-group, which are small, and for what NARROW in the chapter's facts allows, with
the reason.
"""

import json
import pathlib
import re
import tempfile

import facts
import harness
from checks import inputs

WIDTHS = {"char": 1, "short": 2, "int": 4, "float": 4, "long": 8}  # bytes; of the unsigned ones the same
SMALL = ["get_local_id", "get_local_size", "get_sub_group_local_id", "get_sub_group_id", "get_num_sub_groups"]
SMALL += ["get_sub_group_size", "get_work_dim"]
NARROWING_CALLS = re.compile(r"convert_|[su]?(mul|mad)24")


def type_of(node):
    """The plain type of an expression: "int", "long", "float", or something else that does not matter here."""
    kind = node.get("type", {})
    name = kind.get("desugaredQualType", kind.get("qualType", ""))
    return re.sub(r"\b(const|volatile|unsigned|signed|__private|__global|__local)\b", "", name).strip()


def width(node):
    return WIDTHS.get(type_of(node), 0)


def nodes(node):
    yield node
    for child in node.get("inner", []):
        yield from nodes(child)


def is_constant(node):
    """Nothing but literals and what is computed from them."""
    return not any(each.get("kind") in ("DeclRefExpr", "CallExpr", "MemberExpr") for each in nodes(node))


def calls(node):
    """The names of the functions that an expression calls."""
    return {
        each["referencedDecl"]["name"]
        for each in nodes(node)
        if each.get("kind") == "DeclRefExpr" and each["referencedDecl"]["kind"] == "FunctionDecl"
    }


def is_small(node):
    """Only ids and sizes within a work-group, and constants."""
    names = [each["referencedDecl"] for each in nodes(node) if each.get("kind") == "DeclRefExpr"]
    return bool(names) and all(name["name"] in SMALL for name in names)


def is_variable(node):
    """Does the expression have a variable that may change?"""
    return any(
        each.get("kind") == "DeclRefExpr"
        and each["referencedDecl"]["kind"] in ("VarDecl", "ParmVarDecl")
        and "const " not in each["referencedDecl"]["type"]["qualType"]
        for each in nodes(node)
    )


def wrong_with(node):
    """What is wrong with a node of the tree by itself: an empty string, or a word for it."""
    kind, cast, inner = node.get("kind"), node.get("castKind"), node.get("inner", [])
    if cast in ("IntegralToFloating", "FloatingToIntegral") and not is_constant(inner[0]):
        return "between whole number and float"
    if cast == "IntegralCast" and width(node) < width(inner[0]) and not is_constant(inner[0]):
        return "" if is_small(inner[0]) and width(node) == 4 else f"into {8 * width(node)} bits"
    if kind == "CompoundAssignOperator":
        computed = {"type": node["computeResultType"]}
        if 0 < width(node) < width(computed) and not is_constant(inner[1]):
            return f"into {8 * width(node)} bits"
        if (type_of(computed) == "float") != (type_of(node) == "float") and width(node):
            return "between whole number and float"
    if kind == "CallExpr" and any(NARROWING_CALLS.match(name) for name in calls(inner[0])):
        return "a function that narrows"
    if kind not in ("BinaryOperator", "CompoundAssignOperator"):
        return ""
    whole = 0 < width(node) and type_of(node) != "float"
    if node["opcode"] in ("*", "<<", "*=", "<<=") and whole and width(node) < 8 and not any(map(is_constant, inner)):
        return "a product in 32 bits"
    if node["opcode"] in ("&", "&=") and whole:
        return "bits cut off"
    if node["opcode"] in ("<", ">", "<=", ">=", "==", "!="):
        for one, other in [inner, inner[::-1]]:
            narrow = one.get("castKind") == "IntegralCast" and 0 < width(one["inner"][0]) < width(one)
            if narrow and is_variable(one["inner"][0]) and not is_constant(other):
                return "compared with a wider number"
    return ""


def text_of(node, source):
    """The code of a node, without needless blanks. Where a macro was put in: the place where it stands."""

    def place(where):
        return where.get("expansionLoc", where)

    begin, end = place(node["range"]["begin"]), place(node["range"]["end"])
    return " ".join(source[begin["offset"] : end["offset"] + end["tokLen"]].decode().split())


def findings(source, options):
    """What is wrong with a kernel file, built with these options: a set of sentences, with the code."""
    tool = harness.need_tool("clang", "clang")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernel.cl"
        path.write_text(source)
        standard = [] if "-cl-std" in options else ["-cl-std=CL1.2"]
        code, out, err = harness.run(
            [tool, "-x", "cl", *standard, *options.split(), "-target", "spir64", "-fsyntax-only"]
            + ["-Xclang", "-ast-dump=json", path]
        )
    if code:
        raise SystemExit(f"FAILED  clang does not compile the kernel with {options}:\n{err}")
    functions = [node for node in json.loads(out)["inner"] if node["kind"] == "FunctionDecl"]
    bodies = [part for node in functions for part in node.get("inner", []) if part["kind"] == "CompoundStmt"]
    return {
        f"{what}: {text_of(node, source.encode())}"
        for body in bodies
        for node in nodes(body)
        if (what := wrong_with(node))
    }


def builds_of(known, cache):
    """What the program builds: (source, options), each with every switch, a -D of 0 or 1, both ways; shapes, which
    are other numbers, once."""
    with tempfile.TemporaryDirectory() as folder:
        inputs.run_in(folder, known, known.INPUT_SIZES[0], cache)
        builds = {}
        for line in (pathlib.Path(folder) / "account").read_text().splitlines():
            what, _, rest = line.partition(" ")
            if what == "build":
                number, _, options = rest.partition(" ")
                source = (pathlib.Path(folder) / f"source{number}").read_text()
                for one in {options, re.sub(r"=0\b", "=1", options), re.sub(r"=1\b", "=0", options)}:
                    builds.setdefault((source, re.sub(r"=(?![01]\b)\w+", "", one)), one)
    return [(source, options) for (source, _), options in builds.items()]


def check(report, chapter):
    known = facts.of(chapter)
    if not harness.has_kernel(chapter):
        return report.nothing_to_do("it has no kernel")
    with tempfile.TemporaryDirectory() as cache:
        builds = builds_of(known, cache)
    seen = set()
    for source, options in builds:
        seen |= findings(source, options)
        report.count("builds of kernel files")
    report.failed(chapter, sorted(seen - known.NARROW.keys()))
    report.failed(chapter, [f"NARROW allows what is not there: {what}" for what in sorted(known.NARROW.keys() - seen)])
