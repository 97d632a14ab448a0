"""What is known about a chapter: NN-topic/chapter_test.py, and what follows from the chapter itself.

    facts.of("06-dot-product-reduction").SMALL_SIZES

The file is a plain module that says only what differs from the defaults below; a name that stands here
nowhere is an error. Sizes are lists of arguments. Mutants lie in
tests/mutants/NN-topic.mutants.
"""

import ast
import functools
import importlib.util
import re
import types

from tests.running import ROOT


def file_of(chapter):
    """Where a chapter's facts are written, for messages."""
    return ROOT / chapter / "chapter_test.py"


def parameters(chapter):
    """The names of a chapter's arguments, as its usage line gives them: ["M", "N", "K"]."""
    text = (ROOT / chapter / "host.cpp").read_text()
    usage = re.search(rf"usage: {chapter}([^\\]*)", text)
    if usage is None:
        raise SystemExit(f"{chapter}/host.cpp has no line 'usage: {chapter} ...'")
    return re.findall(r"[A-Z]+", usage.group(1))


def defaults(chapter):
    """Every fact there is, with its default for this chapter."""
    names = parameters(chapter)
    matrix = names[:1] == ["M"]

    def by_kind(none, vector, product):
        return product if matrix else vector if names else none

    return {
        # From the usage line: the names of the arguments, and whether it takes [M [N [K]]] (else [N]).
        "PARAMETERS": names,
        "IS_MATRIX": matrix,
        # Sizes, lists of arguments. The shortest run that still goes through the whole program; fast ones: one element, a
        # multiple of the work-group, and none; on Oclgrind as these, but so that each loop makes three rounds.
        "TINY_SIZE": by_kind([], ["5"], ["3", "2", "5"]),
        "SMALL_SIZES": by_kind([[]], [["1"], ["256"], ["1000"]], [["1"], ["32", "32", "64"], ["17", "33", "65"]]),
        "OCLGRIND_SIZES": None,
        # Where a test takes others: costs; times (the first one so large that its rates have several digits); other inputs;
        # launches that are lost; an element that is wrong; {profile: sizes at which it has ways that others have not}.
        "COST_SIZES": None,
        "TIME_SIZES": by_kind([[]], [["1000003"], ["1000"]], [["160", "96", "224"], ["17", "33", "65"]]),
        "INPUT_SIZES": by_kind([[]], [["64"], ["1000"]], [["17", "33", "65"]]),
        "DROP_SIZES": None,
        "WRONG_SIZE": None,
        "SIZES_ON": {},
        # For a program whose second argument is a length: piece_of(n) is one that fits n elements.
        "piece_of": None,
        # Each launch's cost on the simulated device, costs(*size): [(kernel, formulas.count(...))], launches that cost the
        # same once; and costs_of_some(*size), those that there may be besides, where a choice is up to the clock.
        "costs": None,
        "costs_of_some": lambda *size: [],
        # times(commands, expected, *size) takes the commands of a run and says which "time" lines are expected. TIME_FLOOR:
        # microseconds that each command takes more, for a program that repeats its work until it takes long enough.
        "times": None,
        "TIME_FLOOR": 0,
        # {kernel whose result is read back: its reference} (checker/references.py); {kernel: by how many ε of the sum of the
        # magnitudes that make it up a result may be off, function(*size, launch)}; floats at both ends of the first and of
        # the second input; kernels for which there is nothing that these must give, with the reason.
        "REFERENCES": {},
        "PATHS": {},
        "SPECIALS": ["1 nan", "2 nan", "1 0 2 inf", "1 -inf 2 0"],
        "ONLY_FINITE": {},
        # By what an element is changed that comes back: a chapter that adds in float on the host does not see the next one.
        # Kernels whose outputs nothing looks at, and whose loss must be noticed where memory is new.
        "CHANGES": ["ulp", "sign", "nan"],
        "NOT_POISONED": [],
        # Transfers to the device, by number, whose data go into nothing but a try: a wrong element there changes no result.
        "FOR_A_TRY": [],
        # Its runs repeat the same launch, each is read back, and what an earlier one left is right.
        "READS_EACH_RUN": False,
        # The most that its kernels can count: of elements, or of rows, columns and steps of K.
        "MOST": [],
        # What it refuses besides: (arguments, what is said[, what a small run prints on a device where that is so]).
        "BAD_ARGUMENTS": [],
        # What it prints: printed(machine, wish, place), the whole output on devices of paper; (arguments, regular
        # expression[, lines of a profile]).
        "printed": None,
        "SAYS": [],
        # On Oclgrind: (lines at the beginning of the kernel file, at that of each kernel) with which it is run as well: a
        # switch that is the other way on other devices. (Change of the host in the notation of defects.py, size): what it
        # would choose elsewhere. The launch does not shrink with N, so that only its first and last work-group are run,
        # unless --release; or all of them, if some are NOT_POISONED, whose outputs a later launch reads.
        "FORCED": [],
        "ON_OTHER_DEVICES": [],
        "LARGE_LAUNCHES": False,
        # There are several queues, so that commands can run in another order than they were enqueued in.
        "SEVERAL_QUEUES": False,
        # A search for the fastest: its size; functions (cache folder, standard error) that make the next run choose
        # otherwise, and return what it must say that it remembers, or None.
        "SEARCH_SIZE": None,
        "WAYS": [],
        # Functions whose failure it survives, with a word on standard error; and with a line that begins with "refused".
        "SEARCH_CALLS": [],
        "TRIED_CALLS": [],
        # mpirun starts it: how often, and the sizes; traffic(processes, rank, *size): what that process sends and has its
        # device do, in the words of checker/mpi_probe.cpp.
        "PROCESSES": [],
        "PROCESS_SIZES": [],
        "traffic": None,
        # Devices on which it cannot run: {profile: what it says there, with exit code 1}. On other implementations: {name:
        # [(arguments, what is printed)]}.
        "NEEDS": {},
        "RUNS_ON": {},
        # Tests that take too long here for every day.
        "THOROUGH": [],
        # tools/bench/: matmul and vectors, {beginning of its "time" line: name of the series}; flop_per_byte, where it is not
        # a dot product's 1/4; chooses: the line begins with what it chose; front: the series in the top README;
        # matrix_units: they may be used.
        "BENCH": {},
    }


@functools.cache
def of(chapter):
    """The facts of a chapter, as attributes."""
    facts, path = defaults(chapter), file_of(chapter)
    if path.exists():
        spec = importlib.util.spec_from_file_location(chapter, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        lines = ast.parse(path.read_text()).body  # what is imported is no fact
        names = [target.id for line in lines if isinstance(line, ast.Assign) for target in line.targets]
        names += [line.name for line in lines if isinstance(line, ast.FunctionDef)]
        said = {name: getattr(module, name) for name in names if name[0] != "_"}
        unknown = sorted(set(said) - set(facts))
        if unknown:
            raise SystemExit(
                f"FAILED  {path}: no check asks for {', '.join(unknown)}; chapter_facts.py says what there is"
            )
        facts.update(said)
    result = types.SimpleNamespace(chapter=chapter, **facts)
    if result.COST_SIZES is None:
        whole, odd = (["64"] * 3, ["17", "33", "65"]) if result.IS_MATRIX else (["4096"], ["1000"])
        result.COST_SIZES = [odd] if result.LARGE_LAUNCHES else [whole, odd]
    if result.OCLGRIND_SIZES is None:
        result.OCLGRIND_SIZES = result.SMALL_SIZES
    if result.WRONG_SIZE is None:
        result.WRONG_SIZE = result.SMALL_SIZES[-1]
    if result.DROP_SIZES is None:
        result.DROP_SIZES = [result.TINY_SIZE, result.SMALL_SIZES[-1]]
    return result
