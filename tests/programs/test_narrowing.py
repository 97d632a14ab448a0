"""Do kernels count in numbers that are wide enough, at sizes that no test can run?

An index that goes through a float is wrong from 2^24 on, one in a ushort from 2^16 on, and the product of a row and a width
in 32 bits from 2^32 on: far beyond what a test has the memory for. So each kernel file, as its program builds it, is
looked at through Clang's syntax tree. There must be no implicit conversion of a whole number into a float, back, or into
fewer bits (as -Wconversion has it for the hosts), no product or shift in 32 bits of two numbers that are no constants (in
main neither), and no variable of fewer than 32 bits; but for ids and sizes within a work-group, which are small, and for 32
bits where the host refuses more rows or columns than these count (MOST). And where the host says which of fma and mad
is an instruction of the device (-D FMA), no kernel calls the other one: without the instruction that is slow.
"""

import re
import tempfile

import pytest

from tests import chapter_facts, running
from tests.syntax import bodies, body_of_main, builds_of, is_constant, named, nodes, text_of

WIDTHS = {"char": 1, "short": 2, "int": 4, "float": 4, "long": 8, "long long": 8}  # bytes; unsigned: the same
SMALL = ["get_local_id", "get_local_size", "get_sub_group_local_id", "get_sub_group_id", "get_num_sub_groups"]
SMALL += ["get_sub_group_size", "get_work_dim"]


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


def wrong_product(node):
    whole = 0 < width(node) < 8 and type_of(node) != "float"
    product = node.get("kind") in ("BinaryOperator", "CompoundAssignOperator") and node["opcode"].rstrip("=") in (
        "*",
        "<<",
    )
    return "a product in 32 bits" if product and whole and not any(map(is_constant, node["inner"])) else ""


def wrong_with(node, least):
    """What is wrong with a node of a kernel's tree by itself, an empty string or a word for it, where whole numbers of
    fewer than `least` bytes are too narrow."""
    kind, cast, inner = node.get("kind"), node.get("castKind"), node.get("inner", [])
    if kind == "ImplicitCastExpr" and not is_constant(inner[0]):
        if cast in ("IntegralToFloating", "FloatingToIntegral"):
            return "between whole number and float"
        if cast == "IntegralCast" and 0 < width(node) < min(width(inner[0]), 4 if is_small(inner[0]) else least):
            return f"into {8 * width(node)} bits"
    if kind == "CompoundAssignOperator" and not is_constant(inner[1]):
        computed = {"type": node["computeResultType"]}
        if 0 < width(node) < min(width(computed), least):
            return f"into {8 * width(node)} bits"
    if kind == "VarDecl" and 0 < width(node) < 4:
        return f"a variable of {8 * width(node)} bits"
    return wrong_product(node)


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
    least = 4 if known.IS_MATRIX and known.MOST else 8
    for source, options in builds:
        for body in bodies(source, options):
            report.count("functions")
            found = {f"{what}: {text_of(node, source)}" for node in nodes(body) if (what := wrong_with(node, least))}
            report.failed(chapter, sorted(found))
        report.failed(chapter, other_than_chosen(source, options))
    host = running.sources(chapter) / "host.cpp"
    found = [text_of(node, host.read_text()) for node in nodes(body_of_main(host)) if wrong_product(node)]
    report.failed(chapter, [f"a product in 32 bits: {text}" for text in found])
