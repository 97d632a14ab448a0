"""Do kernels count in numbers that are wide enough, at sizes that no test can run?

An index that goes through a float is wrong from 2^24 on, one in a ushort from 2^16 on, and the product of a row and a width
in 32 bits from 2^32 on: far beyond what a test has the memory for. So each kernel file, as its program builds it, is
looked at through Clang's syntax tree. There must be no implicit conversion of a whole number into a float, back, or into
fewer bits (as -Wconversion has it for the hosts), no product or shift in 32 bits of two numbers that are no constants (in
main neither), and no variable of fewer than 32 bits; but for ids and sizes within a work-group, which are small, and for 32
bits where the host refuses more rows or columns than these count (MOST).
"""

import re

import pytest

from tests import chapter_facts, running
from tests.syntax import bodies, body_of_main, builds_of, is_constant, named, nodes, text_of

CHAPTERS = running.WITH_KERNEL
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


def wrong_product(node):
    product = node.get("kind") in ("BinaryOperator", "CompoundAssignOperator")
    product = product and node["opcode"].rstrip("=") in ("*", "<<")
    whole = 0 < width(node) < 8 and type_of(node) != "float"
    return "a product in 32 bits" if product and whole and not any(map(is_constant, node["inner"])) else ""


def wrong_with(node, least):
    """What is wrong with a node of a kernel's tree by itself, an empty string or a word for it, where whole numbers of
    fewer than `least` bytes are too narrow."""
    kind, cast, inner = node.get("kind"), node.get("castKind"), node.get("inner", [])
    before = 0  # bytes of what becomes narrower
    if kind == "ImplicitCastExpr" and not is_constant(inner[0]):
        if cast in ("IntegralToFloating", "FloatingToIntegral"):
            return "between whole number and float"
        names = [name["name"] for name in named(inner[0])]
        least = 4 if names and all(name in SMALL for name in names) else least
        before = width(inner[0]) if cast == "IntegralCast" else 0
    if kind == "CompoundAssignOperator" and not is_constant(inner[1]):
        before = width({"type": node["computeResultType"]})
    if 0 < width(node) < min(before, least):
        return f"into {8 * width(node)} bits"
    if kind == "VarDecl" and 0 < width(node) < 4:
        return f"a variable of {8 * width(node)} bits"
    return wrong_product(node)


@pytest.mark.thorough
def test_narrowing(report, chapter, tmp_path):
    known, host = chapter_facts.of(chapter), running.sources(chapter) / "host.cpp"
    least = 4 if known.IS_MATRIX and known.MOST else 8
    looks = [(wrong_product, host.read_text(), body_of_main(host))]
    for source, options in builds_of(known, tmp_path):
        looks += [(lambda node: wrong_with(node, least), source, body) for body in bodies(source, options)]
    for wrong, source, body in looks:
        found = {f"{wrong(node)}: {text_of(node, source)}" for node in nodes(body) if wrong(node)}
        report.failed(chapter, sorted(found))
        report.count("functions")
