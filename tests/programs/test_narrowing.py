"""Do kernels count in numbers that are wide enough, at sizes that no test can run?

An index that goes through a float is wrong from 2^24 on, one in a ushort from 2^16 on, and the product of a row
and a width in 32 bits from 2^32 on: far beyond what a check has the memory for. So each kernel file, as
its program builds it, and each host's main are looked at through Clang's syntax tree. There must be no

- conversion of a whole number into a float, or of a float into a whole number,
- conversion of a whole number into a narrower one, be it by an assignment such as `i += n` or a function's argument,
- product or shift, in 32 bits or fewer, of two numbers that are no constants,
- comparison of a variable that changes with a wider number: the variable may never get there,
- variable of fewer than 32 bits: what it is compared with may be a constant of the host's,
- in a kernel: function that does any of this by name (convert_uint, mul24), and no `&`, nor `%` of a constant, which
  cut bits off,

but for ids and sizes within a work-group, which are small, and for what NARROW in the chapter's facts allows, with
the reason. And where the host says which of fma and mad is an instruction of the device (-D FMA), no kernel calls the
other one: both are right, but without the instruction one of them is slow.
"""

import re
import tempfile

import pytest

from tests import chapter_facts, running
from tests.syntax import bodies, body_of_main, builds_of, is_constant, named, nodes, text_of

WIDTHS = {
    "char": 1,
    "short": 2,
    "int": 4,
    "float": 4,
    "long": 8,
    "long long": 8,
}  # bytes; of the unsigned ones the same
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


def is_small(node):
    """Only ids and sizes within a work-group, and constants."""
    names = named(node)
    return bool(names) and all(name["name"] in SMALL for name in names)


def is_variable(node):
    """Does the expression have a variable that may change?"""
    variables = [name for name in named(node) if name["kind"] in ("VarDecl", "ParmVarDecl")]
    return any("const " not in variable["type"]["qualType"] for variable in variables)


def wrong_with(node, in_kernel):
    """What is wrong with a node of the tree by itself: an empty string, or a word for it."""
    kind, cast, inner = node.get("kind"), node.get("castKind"), node.get("inner", [])
    into_float = cast == "IntegralToFloating" and type_of(node) == "float"  # a double is wide enough
    if (into_float or cast == "FloatingToIntegral") and not is_constant(inner[0]):
        return "between whole number and float"
    if cast == "IntegralCast" and 0 < width(node) < width(inner[0]) and not is_constant(inner[0]):
        return "" if is_small(inner[0]) and width(node) == 4 else f"into {8 * width(node)} bits"
    if kind == "CompoundAssignOperator":
        computed = {"type": node["computeResultType"]}
        if 0 < width(node) < width(computed) and not is_constant(inner[1]):
            return f"into {8 * width(node)} bits"
        if (type_of(computed) == "float") != (type_of(node) == "float") and width(node):
            return "between whole number and float"
    if kind == "CallExpr" and any(NARROWING_CALLS.match(name["name"]) for name in named(inner[0])):
        return "a function that narrows"
    if kind == "VarDecl" and 0 < width(node) < 4:
        return f"a variable of {8 * width(node)} bits"
    if kind not in ("BinaryOperator", "CompoundAssignOperator"):
        return ""
    whole = 0 < width(node) and type_of(node) != "float"
    if node["opcode"] in ("*", "<<", "*=", "<<=") and whole and width(node) < 8 and not any(map(is_constant, inner)):
        return "a product in 32 bits"
    cut = (
        in_kernel
        and node["opcode"] in ("%", "%=")
        and is_constant(inner[1])
        and width(node) == 8
        and not is_small(inner[0])
    )
    if node["opcode"] in ("&", "&=") and whole and in_kernel or cut:
        return "bits cut off"
    if node["opcode"] in ("<", ">", "<=", ">=", "==", "!="):
        for one, other in [inner, inner[::-1]]:
            narrow = one.get("castKind") == "IntegralCast" and 0 < width(one["inner"][0]) < width(one)
            if narrow and is_variable(one["inner"][0]) and not is_constant(other):
                return "compared with a wider number"
    return ""


def other_than_chosen(source, options):
    """Which of fma and mad a kernel file calls that is built with the other one as FMA: a list of sentences."""
    wrong = []
    for chosen, other in [("fma", "mad"), ("mad", "fma")] if "-D FMA=" in options else []:
        built = bodies(source, re.sub(r"-D FMA=\w+", f"-D FMA={chosen}", options))
        if any(name["name"] == other for body in built for name in named(body)):
            wrong.append(f"built with -D FMA={chosen} it calls {other}")
    return wrong


@pytest.mark.thorough
def test_narrowing(report, chapter):
    known = chapter_facts.of(chapter)
    if not running.has_kernel(chapter):
        return report.nothing_to_do("it has no kernel")
    with tempfile.TemporaryDirectory() as cache:
        builds = builds_of(known, cache)
    trees = [(source, body, True) for source, options in builds for body in bodies(source, options)]
    host = running.sources(chapter) / "host.cpp"
    trees.append((host.read_text(), body_of_main(host), False))
    seen = set()
    for source, body, in_kernel in trees:
        for node in nodes(body):
            what = wrong_with(node, in_kernel)
            if what:
                seen.add(f"{what}: {text_of(node, source)}")
        report.count("functions")
    for source, options in builds:
        report.failed(chapter, other_than_chosen(source, options))
    report.failed(chapter, [f"NARROW allows what is not there: {what}" for what in sorted(known.NARROW.keys() - seen)])
    report.failed(chapter, sorted(seen - known.NARROW.keys()))
