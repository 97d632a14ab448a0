"""What is known about a chapter: NN-topic/chapter_test.py, and what follows from the chapter itself.

    chapter_facts.of("06-dot-product-reduction").SMALL_SIZES

The file is a plain module that says only what differs from the defaults below; a name that stands here
nowhere is an error. Sizes are lists of arguments.
"""

import functools
import re
import runpy
import types

from tests.running import ROOT


def file_of(chapter):
    """Where a chapter's facts are written, for messages."""
    return ROOT / chapter / "chapter_test.py"


def defaults(chapter):
    """Every fact there is, with its default for this chapter. None: as told in its comment."""
    usage = re.search(rf"usage: {chapter}([^\\]*)", (ROOT / chapter / "host.cpp").read_text())
    if usage is None:
        raise SystemExit(f"{chapter}/host.cpp has no line 'usage: {chapter} ...'")
    names = re.findall(r"[A-Z]+", usage.group(1))
    matrix = names[:1] == ["M"]

    def by_kind(none, vector, product):
        return product if matrix else vector if names else none

    return {
        # The arguments, from the usage line, and whether they are [M [N [K]]] (else [N]).
        "PARAMETERS": names,
        "IS_MATRIX": matrix,
        # The shortest run that still goes through the whole program; fast ones: one element, a multiple of the work-group, and
        # none; on Oclgrind as these, but so that each loop makes three rounds.
        "TINY_SIZE": by_kind([], ["5"], ["3", "2", "5"]),
        "SMALL_SIZES": by_kind([[]], [["1"], ["256"], ["1000"]], [["1"], ["32", "32", "64"], ["17", "33", "65"]]),
        "OCLGRIND_SIZES": None,  # SMALL_SIZES
        # Where a test takes others: costs; times (the first one so large that its rates have several digits); other inputs; an
        # element that is wrong.
        "COST_SIZES": None,
        "TIME_SIZES": by_kind([[]], [["1000003"], ["1000"]], [["160", "96", "224"], ["17", "33", "65"]]),
        "INPUT_SIZES": by_kind([[]], [["64"], ["1000"]], [["17", "33", "65"]]),
        "WRONG_SIZE": None,  # the last of SMALL_SIZES
        # TIME_FLOOR: microseconds that each command takes more, for a program that repeats its work until it takes long enough.
        # TIME_DEVICES: for the first size one on which chapter 20 cuts tiles, for the others one on which it packs.
        # TIME_MACHINE: more settings for the layer.
        "TIME_FLOOR": 0,
        "TIME_DEVICES": ["newer-3.0", "apple-cpu"],
        "TIME_MACHINE": {},
        # {kernel whose result is read back: its reference} (checker/references.py); {kernel: by how many ε of the sum of the
        # magnitudes that make it up a result may be off, function(*size, launch)}; floats at both ends of the first and of
        # the second input.
        "REFERENCES": {},
        "PATHS": {},
        "SPECIALS": ["1 nan", "2 nan", "1 0 2 inf", "1 -inf 2 0"],
        # Transfers to the device, by number, whose data go into nothing but a try.
        "FOR_A_TRY": [],
        # The most that its kernels can count: of elements, or of rows, columns and steps of K.
        "MOST": [],
        # What it refuses besides: (arguments, what is said). Its whole output on devices of paper, "cpu,gpu". What else it
        # says: (arguments, regular expression[, a profile of tests/devices/, or lines of one]).
        "BAD_ARGUMENTS": [],
        "PRINTED": "",
        "SAYS": [],
        # (Lines at the beginning of the kernel file, at that of each kernel) with which it is run as well: a switch that is
        # the other way on other devices. The launch does not shrink with N, so that Oclgrind runs only its first and last
        # work-group, unless --release; or all of them, where a later launch reads what one writes (READ_LATER). Its matrices
        # are filled up, so that its kernel meets no remainders (WHOLE_TILES).
        "FORCED": [],
        "LARGE_LAUNCHES": False,
        "READ_LATER": False,
        "WHOLE_TILES": False,
        # A search for the fastest: its size; functions (cache folder, standard error) that make the next run choose
        # otherwise, and return what it must say that it remembers, or None.
        "SEARCH_SIZE": None,
        "WAYS": [],
        # Functions whose failure it survives, with a word on standard error; and with a line that begins with "refused".
        "SEARCH_CALLS": [],
        "TRIED_CALLS": [],
        # Devices on which it cannot run: {profile: what it says there, with exit code 1}. On other implementations: {name:
        # [(arguments, what is printed)]}.
        "NEEDS": {},
        "RUNS_ON": {},
        # Tests that take too long here for every day.
        "THOROUGH": [],
        # tools/bench/: matmul and vectors, {beginning of its "time" line: name of the series}; flop_per_byte, where it is not
        # a dot product's 1/4; chooses: the line begins with what it chose; matrix_units: they may be used.
        "BENCH": {},
    }


@functools.cache
def of(chapter):
    """The facts of a chapter, as attributes."""
    facts, path = defaults(chapter), file_of(chapter)
    module = runpy.run_path(str(path)) if path.exists() else {}
    # What is imported is no fact.
    said = re.findall(r"^(?:def )?([A-Za-z]\w*)(?: = |\()", path.read_text(), re.MULTILINE) if module else []
    unknown = sorted(set(said) - set(facts))
    if unknown:
        raise SystemExit(f"FAILED  {path}: no check asks for {', '.join(unknown)}; chapter_facts.py says what there is")
    facts.update({name: module[name] for name in said})
    result = types.SimpleNamespace(chapter=chapter, **facts)
    if result.COST_SIZES is None:
        whole, odd = (["64"] * 3, ["17", "33", "65"]) if result.IS_MATRIX else (["4096"], ["1000"])
        result.COST_SIZES = [odd] if result.LARGE_LAUNCHES else [whole, odd]
    result.OCLGRIND_SIZES = result.OCLGRIND_SIZES or result.SMALL_SIZES
    result.WRONG_SIZE = result.WRONG_SIZE or result.SMALL_SIZES[-1]
    return result
