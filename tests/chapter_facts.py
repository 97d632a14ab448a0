"""What is known about a chapter: NN-topic/chapter_test.py, and what follows from the chapter itself.

    facts.of("06-dot-product-reduction").SMALL_SIZES

The file is a plain module that says only what differs from the defaults below; a name that stands here
nowhere is an error. Sizes are lists of arguments. Mutants lie beside it, in NN-topic.mutants.
"""

import ast
import functools
import importlib.util
import os
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
        # The arguments of the shortest run that still goes through the whole program; and of runs that are fast:
        # one element, a multiple of the work-group, and none.
        "TINY_SIZE": by_kind([], ["5"], ["3", "2", "5"]),
        "SMALL_SIZES": by_kind([[]], [["1"], ["256"], ["1000"]], [["1"], ["32", "32", "64"], ["17", "33", "65"]]),
        # Check `oclgrind`. OCLGRIND_SIZES: as SMALL_SIZES, but so that each loop makes three rounds at least (check
        # `rounds`), with {head of a loop that cannot: reason} in FEW_ROUNDS, and {switch that cannot be both ways: reason}
        # in ONE_WAY. FORCED, of check `sizes`, too: (lines at the beginning of the kernel file, lines at the beginning of
        # each kernel) with which it is run as well: a switch that is the other way on other devices, or what these can.
        # LARGE_LAUNCHES: the launch does not shrink with N, so that only the last two sizes are run, and of each launch
        # only the first and the last work-group, unless with `full`. WHOLE_LAUNCHES: all work-groups nevertheless.
        # OCLGRIND_OPTIONS: more options, with the reason. REMAINDERS: more sizes, so that of what is read in fours one, two
        # and three are left over, of rows and of columns.
        "OCLGRIND_SIZES": None,
        "FEW_ROUNDS": {},
        "ONE_WAY": {},
        "FORCED": [],
        "LARGE_LAUNCHES": False,
        "WHOLE_LAUNCHES": False,
        "OCLGRIND_OPTIONS": [],
        # ON_OTHER_DEVICES: (change of the host in the notation of defects.py, size): what it would choose elsewhere.
        "ON_OTHER_DEVICES": [],
        "REMAINDERS": by_kind([], [], [["5", "6", "7"], ["6", "7", "5"], ["7", "5", "6"]]),
        # Check `sizes`, for a program whose second argument is a length: piece_of(n) is one that fits n elements.
        "piece_of": None,
        # What compiles its host: mpicxx, which knows where MPI is.
        "COMPILER": os.environ.get("CXX", "c++"),
        # Check `processes`, for a program that mpirun starts several times: how many, and the sizes.
        # traffic(processes, rank, *size): what that process sends and has its device do in a run, in the words of
        # checker/mpi_probe.cpp.
        "PROCESSES": [],
        "PROCESS_SIZES": [],
        "traffic": None,
        # Check `costs`: costs(*size) gives what each launch costs on the simulated device (formulas.py), a list of
        # (kernel, count(...)); launches that cost the same are there once. None: not said. costs_of_some(*size): launches
        # that there may be besides, where a choice is up to the clock.
        "costs": None,
        "costs_of_some": lambda *size: [],
        "COST_SIZES": None,
        # Check `times`: times(commands, expected, *size) takes the commands of a run and says which "time" lines
        # are expected. The first size is large enough for its rates to be seen in a printed digit.
        "times": None,
        "TIME_SIZES": by_kind([[]], [["1000003"], ["1000"]], [["160", "96", "224"], ["17", "33", "65"]]),
        # On the known clock: microseconds that each command takes more, for a program that repeats its work until it takes
        # long enough.
        "TIME_FLOOR": 0,
        # Check `rates`: work of the host within a time that it prints, as (arguments, regular expression of the time, ms that
        # this work alone takes at the very least on any processor).
        "HOST_WORK": [],
        # Check `dropped`. UNNOTICED: series (kernel or function) that may be dropped unnoticed, with the reason.
        # NOT_POISONED: series whose outputs no check looks at, which must be noticed where memory does not begin with
        # an earlier run's.
        "DROP_SIZES": None,
        "UNNOTICED": {},
        "NOT_POISONED": [],
        # Check `corrupted`. CHANGES: by what an element is changed that comes back (corruption.cpp); a chapter that adds in
        # float on the host does not see the next float.
        # FEW_PLACES: only three places, for what takes long.
        "CORRUPTED_SIZES": by_kind([], [["1000"]], [["17", "33", "65"]]),
        "CHANGES": ["ulp", "sign", "nan"],
        # READ_AGAIN: the last of its results is read, and checked, after each run.
        "FEW_PLACES": False,
        "READ_AGAIN": False,
        # A program that remembers what it chose: functions (cache folder, standard error of a run) that make it
        # choose otherwise in the next run, and return what it must say that it remembers, or None.
        "WAYS": [],
        "DROPPED_WAY": None,
        # Check `says`: printed(machine, wish, place): the whole output on devices of paper, for a program that needs no context.
        "printed": None,
        # Check `inputs`: {kernel whose result is read back: its reference}, see references.py; {kernel: by how many ε of the
        # sum of the magnitudes that make it up a result may be off, function(*size, launch)}: how many additions are on the
        # longest path to it, and what else the lesson derives. Where a program prints what rounding allows.
        "REFERENCES": {},
        "PATHS": {},
        # LARGEST_BY_DEVICE: how large its largest buffer is follows from the number of compute units.
        "LARGEST_BY_DEVICE": False,
        # SAYS, of check `says`: [(arguments, what the output says then: a regular expression)], with lines of a profile
        # if it is said on such a device.
        # SAYS_FORCED: the same of a copy whose kernel is that of the first of FORCED: a compiler that knows more.
        "SAYS": [],
        "SAYS_FORCED": [],
        # COUNTS_ROWS: it says how many elements of C differ by check_matmul, and its kernel stores `sum` in row `row`.
        "COUNTS_ROWS": False,
        # SPECIALS: floats at both ends of the first and of the second input, for a NaN, an infinity or a 0 may get lost on its way.
        # ONLY_FINITE: kernels for which there is nothing that these must give, with the reason.
        "SPECIALS": ["1 nan", "2 nan", "1 0 2 inf", "1 -inf 2 0"],
        "ONLY_FINITE": {},
        # ALL_WRONG, of check `corrupted`, too: what a program that leaves out what computes wrong says, on standard
        # error, when nothing is left: in place of FAILED.
        # LEFT_OUT: what it says there of one that computes wrong, a pattern, before it goes on.
        "ALL_WRONG": None,
        "LEFT_OUT": None,
        "INPUT_SIZES": by_kind([[]], [["64"], ["1000"]], [["17", "33", "65"]]),
        # Check `narrowing`: what may be there, {as the check says it: the reason}.
        "NARROW": {},
        # Check `says`: the most rows or columns that a matrix may have, where the kernels count these in 32 bits.
        "MOST_ROWS": None,
        # The same: the most platforms that it looks at; None: all.
        "MOST_PLATFORMS": None,
        # The same: the most elements of a vector, where a program works in pieces, so that the device's memory is no limit.
        "MOST_ELEMENTS": None,
        # Check `queues`: there are several, so that commands can run in another order than they were enqueued in.
        "SEVERAL_QUEUES": False,
        # Check `search`: the size at which it searches for the fastest. SEARCH_CALLS: functions whose failure in the
        # search only leaves a candidate out, with a word on standard error.
        "SEARCH_SIZE": None,
        "SEARCH_CALLS": [],
        # Check `faults`: the same, in a program that then takes another way, which it says in a line that begins with
        # "refused"; whether it asks at all depends on the device.
        "TRIED_CALLS": [],
        # Check `copies`: (kernel file, the other chapter's that it shares code with, [names]): functions and #defines that
        # are the same in both, word for word; None for all below the comment that the file begins with.
        "COPIES": [],
        # Check `hosts`: the most lines that the host may have; the chapter whose host it continues, from which at most 40
        # lines change.
        "HOST_LINES": 150,
        "CONTINUES": None,
        # Checks that take too long here for every day, on one line (tests/CMakeLists.txt reads it): they are thorough.
        "THOROUGH": [],
        # Check `access`: the size at which it looks, for a vector the last of OCLGRIND_SIZES, which go round each loop; [] where
        # there is nothing to look at. APART: what may be touched otherwise, {code: reason}.
        "ACCESS_SIZE": by_kind([], None, ["32", "64", "32"]),
        "APART": {},
        # Check `sizes`: {profile: sizes} at which a device has candidates that others have not.
        "SIZES_ON": {},
        # Check `small-devices`: {profile: what the program says, with exit code 1, where it cannot run},
        # with the reason.
        "NEEDS": {},
        # Check `implementations`: more runs on one, {name: [(arguments, what is printed), ...]}. LONG_LOOPS: the chapter's
        # tests in which a work-item's loops have more than 65,535 rounds in all, which fail where there are no more.
        # SLOW_ELSEWHERE: every test does the same long work, so that only this one is run, unless with `full`.
        "RUNS_ON": {},
        "LONG_LOOPS": [],
        "SLOW_ELSEWHERE": None,
        # Check `hostile`: all conditions even without `full`.
        "HOSTILE_ALL": False,
        # Check `mutants`: checks of this chapter alone, of which the first is tried soon and the others last; and all of
        # those marked as typical are tried without `full`, and not only the first.
        "OWN_CHECKS": [],
        "ALL_TYPICAL_MUTANTS": False,
        # Check `bad-input`: more arguments that are refused, as (arguments, what is said), or, where that depends on
        # the device, (arguments, what is said, what a small run prints there); what is said of a kernel
        # file of blanks; what is said besides where OCL_DEVICE matches nothing, None if OCL_DEVICE is not looked at;
        # another chapter, whose program must choose the same device.
        "BAD_ARGUMENTS": [],
        "BLANK_KERNEL_REFUSAL": "empty",
        "LONG_KERNEL_REFUSAL": "no_such_name",
        "NO_DEVICE_REFUSAL": "  0:0  ",
        "SAME_DEVICE_AS": None,
        # Check `docs`: whether the lesson must show lines of the host as a diff against another chapter's.
        "SHOWS_DIFF": True,
        # tools/bench/run.py: the series that the "time" lines stand for, {start of the line: name of the series}, of several
        # lines the last; {name: FLOP per byte moved} where it is not that of a dot product, 1/4; whether a line begins
        # with what the program chose; which of its products the top README shows; whether they are made by matrix units
        # where there are some; how the output of the chapter that measures them gives the two ceilings.
        "BENCH_MATMUL": {},
        "BENCH_VECTORS": {},
        "BENCH_FLOP_PER_BYTE": {},
        "BENCH_CHOOSES": False,
        "BENCH_FRONT": None,
        "BENCH_MATRIX_UNITS": False,
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
    if result.ACCESS_SIZE is None:
        result.ACCESS_SIZE = result.OCLGRIND_SIZES[-1]
    if result.DROP_SIZES is None:
        result.DROP_SIZES = [result.TINY_SIZE, result.SMALL_SIZES[-1]]
    return result
