"""The check of an answer to an exercise: it is built and run in a copy; nothing is ever written into the student's
folder."""

import concurrent.futures
import contextlib
import functools
import hashlib
import itertools
import os
import pathlib
import re
import shutil
import signal
import tempfile
import traceback

from checker import behaviour, oclgrind_messages, sandbox
from checker.command_order import between_queues
from checker.exercise import Problem
from checker.machine import MPIRUN, NO_OCLGRIND, ROOT, find_oclgrind
from checker.probe import BUILD, fetch, keep, probe_library

POCL_SECONDS = 8  # of computing, or of doing nothing
OCLGRIND_SECONDS = 40
COMPILE_SECONDS = 60
OTHER_METHODS = ["repl", "cbs"]  # of PoCL, to run the work-items of a group: one of them is there besides its usual one
AS_WRITTEN = ["--build-options", "-cl-opt-disable"]  # what Oclgrind is told, so that nothing is optimized
SMALL_MATRICES = ["9", "11", "13"]
WARNINGS = ["-Wall", "-Wextra"]
BOUNDS = ["-fsanitize=bounds", "-fsanitize-undefined-trap-on-error"]  # an index outside an array ends the program
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]


MPI = shutil.which("mpicxx") is not None and shutil.which("mpirun") is not None


class Answer:
    """What a check found: `lines` are (label, text) to show, `problems` those texts that say what is
    wrong, `no_oclgrind` is true where Oclgrind would have been needed and is not there, `unchecked` says what else
    could not be looked at; `figures` are what the program printed of its times."""

    def __init__(self):
        self.lines = []
        self.problems = []
        self.no_oclgrind = False
        self.unchecked = []
        self.figures = {}
        self.device = ""

    def ok(self, label, text):
        self.lines.append((label, text))

    def wrong(self, label, text):
        self.lines.append((label, text))
        self.problems.append(text)

    def forget(self, beginning):
        """Takes back a guess, now that more is known."""
        self.problems = [text for text in self.problems if not text.startswith(beginning)]
        self.lines = [(label, text) for label, text in self.lines if label or not text.startswith(beginning)]


class Run:
    """One run of the program: exit code (None for too long), what it printed, the spied calls, and what it built."""

    def __init__(self, args, code, out, err, calls=(), sources=(), limit=POCL_SECONDS):
        self.args = args
        self.processes = 1
        self.code = code
        self.out = out
        self.err = err
        self.spied = list(calls[:1]) == ["spy"]  # else nobody has looked
        self.calls = list(calls[1:])
        self.sources = sources
        self.limit = limit  # seconds of computing; the exit code is None where they were not enough

    def passed(self):
        return self.code == 0 and self.out.endswith("PASSED\n")


class Attempt:
    """Checks the files in `folder` as an answer to `exercise`. `answer` is filled as things are found, for whoever wants to
    look meanwhile."""

    def __init__(self, exercise, folder, warnings=None, answer=None):
        self.exercise = exercise
        self.folder = folder
        self.warnings = WARNINGS if warnings is None else warnings
        self.answer = Answer() if answer is None else answer
        self.endless = False
        self.right = []  # the runs on PoCL that were
        self.settings = {}  # for PoCL
        self.compiled = {}  # by arguments, what as_compiled has found
        self.work = None  # what behaviour.shared has seen

    def examine(self):
        for name in self.exercise.files:
            if not (self.folder / name).is_file():
                self.answer.wrong("files", f"{name} is missing")
                return self.answer
            if len((self.folder / name).read_bytes()) > 1 << 20:
                self.answer.wrong("files", f"{name} has more than a megabyte: is that your answer?")
                return self.answer
        for complaint in behaviour.changed_files(self.exercise):
            self.answer.wrong("files", complaint)
            return self.answer
        with tempfile.TemporaryDirectory(prefix="exercise-", ignore_cleanup_errors=True) as home:
            self.home = pathlib.Path(home)
            try:
                self.run_all()
            except Problem:
                raise
            except Exception as error:  # whatever it stumbles over: that is the check's fault, and no answer's
                at = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{pathlib.Path(at.filename).name}:{at.lineno}"
                self.answer.unchecked.append(
                    f"the rest, for the check itself broke at {place} ({error!r}): please report it"
                )
        return self.answer

    def measure(self):
        """What the run of exercise.json's `measure` says: {"GFLOP/s", "FLOP per byte"}; {} where it does not pass."""
        sizes, flop_per_byte = self.exercise.measure
        with tempfile.TemporaryDirectory(prefix="exercise-", ignore_cleanup_errors=True) as home:
            self.home = pathlib.Path(home)
            run = self.prepare() and self.pocl(sizes.split())
            said = figures(run) if run and run.passed() else {}
        rate = said.get("GFLOP/s", said.get("GB/s", 0) * flop_per_byte)
        return {"GFLOP/s": rate, "FLOP per byte": flop_per_byte} if rate else {}

    def prepare(self):
        """Puts a copy of everything in its place, and builds it; returns whether it could be built."""
        exercise = self.exercise
        self.place = self.home / exercise.chapter / "exercises" / exercise.name
        self.place.mkdir(parents=True)
        shutil.copytree(ROOT / "common", self.home / "common")
        for vendor in sorted(pathlib.Path("/etc/OpenCL/vendors").glob("*pocl*.icd"))[:1]:
            (self.home / "vendors").mkdir()
            shutil.copyfile(vendor, self.home / "vendors" / "pocl.icd")
        for name in ["kernel.cl", "host.cpp"]:
            source = (self.folder if name in exercise.files else exercise.folder) / name
            if source.is_file():
                shutil.copyfile(source, self.place / name)
        self.kernel = (
            (self.place / "kernel.cl").read_text(errors="replace") if (self.place / "kernel.cl").is_file() else ""
        )
        source = self.place / "host.cpp"
        if exercise.host == "chapter":
            source = self.home / exercise.chapter / "host.cpp"
            shutil.copyfile(ROOT / exercise.chapter / "host.cpp", source)
        self.source = source
        self.program = self.compile(source)
        return self.program is not None

    def run_all(self):
        if self.exercise.processes and not MPI:
            why = "the program, since MPI is not there (Debian, Ubuntu: libopenmpi-dev, openmpi-bin)"
            self.answer.unchecked.append(why)
            return self.answer.ok("not seen", why)
        if not self.prepare():
            return None
        for complaint in behaviour.own_kernel(self):
            return self.answer.wrong("evidence", complaint)
        if not self.on_pocl():
            return None
        if not self.answer.problems:
            self.look()
        if self.exercise.oclgrind:
            self.under_oclgrind()
        for what in self.answer.unchecked:
            self.answer.ok("not seen", what)
        return None

    @contextlib.contextmanager
    def with_header(self, name, text, told=True):
        """Within it, the program is built with that text at the end of a header of common/; gives false where that does not
        compile, of which the answer says something if `told`."""
        home, usual = self.home / "other", self.program
        shutil.rmtree(home, ignore_errors=True)  # of an earlier text
        place = home / self.place.relative_to(self.home)
        place.mkdir(parents=True)
        shutil.copytree(ROOT / "common", home / "common")
        with open(home / "common" / name, "a") as header:
            header.write(text)
        shutil.copyfile(self.place / "host.cpp", place / "host.cpp")
        program = self.compile(place / "host.cpp", home / "common", "other", told)
        self.program = program or usual
        try:
            yield program is not None
        finally:
            self.program = usual

    @contextlib.contextmanager
    def with_host(self, text):
        """Within it, that text is the host, and the program is built of it; gives false where it does not compile."""
        source, usual = self.source, self.program
        kept = source.read_bytes()
        source.write_text(text)
        try:
            program = self.compile(source, name="rewritten", told=False)
            self.program = program or usual
            yield program is not None
        finally:
            source.write_bytes(kept)
            self.program = usual

    def look(self):
        """What the program does, beyond its own PASSED."""
        answer, exercise = self.answer, self.exercise
        honest = self.pocl(behaviour.lie_size(exercise), spy=True)
        if not honest.spied:
            return answer.unchecked.append("the program's calls, for want of the library that notes them")
        for complaints in (
            behaviour.calls,
            behaviour.few_items,
            behaviour.lies,
            behaviour.reals,
            behaviour.infinities,
            behaviour.other_groups,
            behaviour.other_hosts,
            behaviour.in_step,
            behaviour.spare_groups,
            behaviour.long_ways,
            behaviour.shared,
            behaviour.narrow,
            behaviour.constant_memory,
            behaviour.own_numbers,
            behaviour.long_products,
        ):
            for complaint in complaints(self, honest):
                return answer.wrong("evidence", complaint)
        if check := exercise.own_check():
            for complaint in check(self):
                return answer.wrong("look", complaint)
        # Of all exercises, and last: the look says it in the words of the task.
        for complaints in (
            behaviour.narrow_host,
            behaviour.starters_inputs,
            behaviour.other_devices,
            behaviour.from_the_last,
            behaviour.long_rows,
            behaviour.own_memory,
            between_queues,
            behaviour.alignments,
            behaviour.thresholds,
            behaviour.elsewhere,
            behaviour.beyond_floats,
            behaviour.beyond_integers,
            behaviour.short_long,
        ):
            for complaint in complaints(self, honest):
                return answer.wrong("evidence", complaint)
        if answer.no_oclgrind:
            answer.ok("look", f"not looked further, because {NO_OCLGRIND}")
        elif not answer.unchecked:
            answer.ok("look", "the program was watched as it ran: its PASSED comes from what the device did")
        return None

    # -- compiling -------------------------------------------------------------------------------

    def compile(self, source, common=None, name="program", told=True):
        """The program, beside the kernel; None when it does not compile. What was compiled once is
        kept in the build folder under a name that is its content's. `common`: the folder that it includes; `told`: the
        answer says what the compiler has to say, which is asked for warnings."""
        compiler = os.environ.get("CXX", "c++")
        if self.exercise.processes:
            compiler = "mpicxx"
        command = [
            compiler,
            "-std=c++17",
            "-O2",
            *BOUNDS,
            *["-DOMPI_SKIP_MPICXX"] * (compiler == "mpicxx"),
            *(self.warnings if told else ["-w"]),
        ]
        digest = hashlib.sha256(" ".join(command).encode() + source.read_bytes())
        for header in sorted((common or ROOT / "common").glob("*.h")):
            digest.update(header.read_bytes())
        kept = BUILD / "bin" / digest.hexdigest()[:32]
        program = self.place / name
        if not fetch(kept, program):
            opencl = ["-framework", "OpenCL"] if os.uname().sysname == "Darwin" else ["-lOpenCL"]
            try:
                code, _, err = sandbox.run(
                    [*command, source.name, *opencl, "-o", program],
                    COMPILE_SECONDS,
                    source.parent,
                    self.environment(),
                    self.home,
                )
            except OSError as error:
                raise Problem(f"no C++ compiler: {error}") from None
            if code != 0 and not told:
                return None
            if code != 0:
                errors = [line for line in err.splitlines() if "error" in line] or err.splitlines()
                late = [f"the compiler did not end within {COMPILE_SECONDS} s"] if code is None else []
                self.answer.wrong("compiles", "no: " + " | ".join((late + errors)[:3]))
                return None
            warnings = [line for line in err.splitlines() if "warning:" in line]
            if warnings:
                self.answer.ok("compiles", "yes, but the compiler warns: " + warnings[0])
            keep(program, kept)
        return program

    # -- running ---------------------------------------------------------------------------------

    def environment(self, **more):
        """The student's environment without what would choose another device or another kernel."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OCL_", "OCLGRIND", "LD_PRELOAD", "SPY_"))}
        return {**env, **more}

    def execute(self, command, seconds, env, processes=1):
        env["POCL_CACHE_DIR"] = str(self.home / "kernels")  # of this answer alone
        return sandbox.run(command, seconds, self.place, env, self.home, processes)

    def pocl(self, args, spy=False, processes=None, **more):
        """Runs the program on PoCL; where there is none, on whatever there is. `more`: for its environment, such as
        what the spy is to do. `processes`: mpirun starts so many."""
        env = self.environment(XDG_CACHE_HOME=str(self.home / "cache"))
        if (self.home / "vendors").exists():
            env["OCL_ICD_VENDORS"] = f"{self.home}/vendors/"
        log = sources = None
        library = probe_library(self.home) if spy else None
        if library is not None:
            place = pathlib.Path(tempfile.mkdtemp(dir=self.home))
            log, sources = place / "calls", place / "sources"
            sources.mkdir()
            env.update(LD_PRELOAD=str(library), SPY_LOG=str(log), SPY_SOURCES=str(sources))
        env.update({name: str(value) for name, value in {**self.settings, **more}.items()})
        launcher, seconds = [], POCL_SECONDS
        if processes is not None:
            launcher, seconds = ["mpirun", "-n", str(processes)], 2 * POCL_SECONDS + 4 * processes
            env.update(MPIRUN, OMPI_MCA_btl_vader_single_copy_mechanism="none")  # which a sandbox may forbid
        code, out, err = self.execute([*launcher, self.program, *args], seconds, env, processes or 1)
        calls = log.read_text(errors="replace").splitlines() if log and log.exists() else []
        built = [path.read_text(errors="replace") for path in sorted(sources.glob("*"))] if calls else []
        run = Run(args, code, out, err, calls, built, seconds)
        run.processes = processes or 1
        return run

    def divisible(self):
        """Can the device be divided? PoCL's can, where it has two cores."""
        return (self.home / "vendors").exists() and len(os.sched_getaffinity(0)) > 1

    def simulated(self, args, options=(), seconds=OCLGRIND_SECONDS, watched=True, **spied):
        """Runs the program under Oclgrind, which has a device of its own; None where it is missing. `watched`: it looks
        for races and the like. `spied`: what the spy is to do meanwhile."""
        oclgrind = find_oclgrind()
        if oclgrind is None:
            self.answer.no_oclgrind = True
            return None
        env = self.environment(XDG_CACHE_HOME=str(self.home / "cache"))
        env.pop("OCL_ICD_VENDORS", None)
        if self.exercise.matrix:
            options = ["--max-wgsize", "256", *options]  # tiles of 16: small matrices have several
        if watched:
            # What a swap has written, Oclgrind takes for never written, and may compute with something else.
            unwritten = ["--uninitialized"] * ("atomic_xchg" not in self.kernel)
            options = ["--data-races", "--uniform-writes", *unwritten, "--max-errors", "100", *options]
        program = [self.program]
        if spied:
            env.update({name: str(value) for name, value in spied.items()})
            before = 'LD_PRELOAD="$0:$LD_PRELOAD" exec "$@"'  # Oclgrind is loaded in this way, too
            program = ["sh", "-c", before, probe_library(self.home), self.program]
        run = None
        written = [] if AS_WRITTEN[0] in options else AS_WRITTEN  # Oclgrind takes the last of several
        ways = [([], options), (written, options)][0 if self.exercise.optimized and written else 1 :]
        ways.append((written, [option for option in options if option != "--uninitialized"]))
        for more, options in ways:
            code, out, err = self.execute([oclgrind, *options, *more, *program, *args], seconds, env)
            run = Run(args, code, out, err, limit=seconds)
            if "OCLGRIND FATAL ERROR" not in err + out and (code is None or code >= 0):
                break  # else it may be the optimizer's doing, or its own, which is no fault of the answer
        return run

    def as_compiled(self, args):
        """The kernel as LLVM's code, nothing optimized, as Oclgrind has written it down; "" where that cannot be had."""
        oclgrind = find_oclgrind()
        if oclgrind is None:
            self.answer.no_oclgrind = True
            return ""
        if tuple(args) in self.compiled:
            return self.compiled[tuple(args)]
        env = self.environment(XDG_CACHE_HOME=str(self.home / "cache"))
        env.pop("OCL_ICD_VENDORS", None)
        # It writes into /tmp, under a name that it chooses.
        mark, files = self.home / "before", 'find /tmp -maxdepth 1 -name "oclgrind_*"'
        mark.touch()
        show = f'"$@" >/dev/null 2>&1; {files} -name "*.ll" -newer "$0" -exec cat {{}} +; {files} -newer "$0" -delete'
        command = ["sh", "-c", show, mark, oclgrind, "--dump-spir", *AS_WRITTEN, self.program, *args]
        self.compiled[tuple(args)] = self.execute(command, OCLGRIND_SECONDS, env)[1]
        return self.compiled[tuple(args)]

    @functools.cached_property
    def as_gimple(self):
        """The host as GCC understands it, each conversion written out; "" where there is no GCC."""
        dump = self.home / "gimple"
        options = ["-std=c++17", "-w", "-c", "host.cpp", "-o", os.devnull, f"-fdump-tree-gimple-lineno={dump}"]
        for compiler in dict.fromkeys([os.environ.get("CXX", "c++"), "g++"]):
            sandbox.run([compiler, *options], COMPILE_SECONDS, self.place, self.environment(), self.home)
            if dump.exists():
                return dump.read_text(errors="replace")
        self.answer.ok("look", "whether the host's numbers are wide enough was not looked at: that takes GCC (g++)")
        return ""

    # -- on PoCL ---------------------------------------------------------------------------------

    def on_pocl(self):
        """True if there is a point in looking further."""
        wrong = self.at_all_sizes()
        if wrong and not self.pocls_mistake(wrong):
            sizes = self.sizes_text(wrong)
            sizes += " (M×N×K; one number: all three)" if "×" in sizes else ""
            self.answer.wrong("PoCL", f"wrong for {sizes}: " + self.first_wrong(wrong[0]))
            # What the host has not waited for comes in time in one run and not in the next, or makes it
            # crash: the calls tell, whatever came of them.
            causes = behaviour.not_awaited(self.pocl(wrong[0].args, spy=True)) or [self.pattern(self.right, wrong)]
            for cause in filter(None, causes):
                self.answer.wrong("", cause)
        return wrong is not None or self.endless

    def pocls_mistake(self, wrong):
        """Is a kernel wrong on PoCL only because of how PoCL translates it? Then it is right when PoCL does so in
        another way, and so it is on Oclgrind, which reports nothing."""
        if "kernel.cl" not in self.exercise.files or any(run.code < 0 for run in wrong):
            return False
        for method in OTHER_METHODS:
            if all(self.pocl(run.args, POCL_WORK_GROUP_METHOD=method).passed() for run in wrong):
                small = min(wrong, key=lambda run: behaviour.size_of(run.args))
                run = self.simulated(small.args)
                if run is None or not run.passed() or oclgrind_messages.translate(run.err + run.out, self.kernel):
                    return False
                self.settings = {"POCL_WORK_GROUP_METHOD": method}
                self.answer.ok(
                    "PoCL",
                    f"wrong for {self.sizes_text(wrong)}, and this is a mistake of this PoCL: with {method} in "
                    "POCL_WORK_GROUP_METHOD, and on Oclgrind, your kernel is right",
                )
                return True
        return False

    def at_all_sizes(self):
        """Runs the program at all sizes. Returns the runs that were wrong, None where one did not get to a result."""
        runs = []
        sizes = self.exercise.sizes + self.exercise.drawn_sizes(self.folder)
        first = self.pocl(sizes[0])  # compiles the kernel, for all of them
        several = [p for p in self.exercise.processes if p > 1]
        cases = [(size, None) for size in sizes[1:]] + [(size, p) for p in several for size in sizes]
        for run in [first] if self.broken(first) else itertools.chain([first], self.at_once(self.in_processes, cases)):
            device = re.match(r"device    ([^\n]+)", run.out)
            self.answer.device = device.group(1) if device else self.answer.device
            what = self.broken(run)
            if what:
                self.answer.wrong("PoCL", what)
                self.endless = run.code is None  # Oclgrind may know what the program waits for
                return None
            runs.append(run)
            self.answer.figures = figures(run) or self.answer.figures
        self.right = [run for run in runs if run.passed()]
        if self.right:
            self.answer.ok("PoCL", "right for " + self.sizes_text(self.right))
        return [run for run in runs if not run.passed()]

    def in_processes(self, case):
        size, processes = case
        return self.pocl(size, processes=processes)

    @staticmethod
    def at_once(function, each):
        """What the function makes of each, two at a time."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(function, each))

    def sizes_text(self, runs):
        """The sizes of these runs, each once, though there may have been several with other groups."""
        if len({run.processes for run in runs}) > 1:
            numbers = dict.fromkeys(run.processes for run in runs)
            return "; ".join(self.sizes_text([run for run in runs if run.processes == p]) for p in numbers)
        if runs and runs[0].processes > 1:
            return f"{', '.join(dict.fromkeys(' '.join(run.args) for run in runs))} ({runs[0].processes} processes)"
        if runs == [] or runs[0].args == []:
            return "the default"
        if any(len(run.args) > 1 for run in runs) or self.exercise.matrix:
            return ", ".join(dict.fromkeys(("×" if self.exercise.matrix else " ").join(run.args) for run in runs))
        return "N = " + ", ".join(dict.fromkeys(run.args[0] for run in runs))

    def broken(self, run):
        """What is wrong with a program that does not get as far as a result; None if it does."""
        if run.code is None:
            others = "" if run.processes == 1 else ", or processes that wait for each other"
            return (
                f"for {self.sizes_text([run])} it did not end within {run.limit} s: a loop without an end, or a "
                f"barrier that some work-items never reach{others}?"
            )
        if sandbox.TOO_MUCH in run.err:
            return f"for {self.sizes_text([run])} it was " + run.err.splitlines()[0]
        if "build log:" in run.err:
            log = re.search(r"build log:\n(.*?)(?:\n\S*host\.cpp:|\Z)", run.err, re.DOTALL).group(1)
            errors = re.findall(r"[^\s:]*\.cl:(\d+):\d+: (?:error: )?([^\n]*)", log) or [
                ("?", line) for line in log.splitlines() if line.strip()
            ]
            return "the kernel does not compile: " + "; ".join(f"line {line}: {what}" for line, what in errors[:3])
        error = re.search(r"(CL_\w+ \(-\d+\))", run.err)
        if run.code > 0 and not run.out.endswith(("PASSED\n", "FAILED\n")):
            if error:
                said = [line.strip() for line in run.err.splitlines() if line.strip()]
                place = next((line for line in said if error.group(1) in line), said[0])
                cause = next((line for line in said if line.startswith("usual cause")), "")
                return re.sub(r"^\S*?([\w.]+:\d+:)", r"\1", place) + (f"; {cause}" if cause else "")
            said = mpi_error(run.err) or next(
                (line for line in run.err.splitlines() if line.strip(" -")),  # mpirun frames its words with dashes
                f"exit code {run.code}, and no word why",
            )
            return f"for {self.sizes_text([run])} the program ends with: {said}"
        return None

    def first_wrong(self, run):
        """`N = 65: c[64] should be 257, and is nan` from the lines result and expected."""
        size = self.sizes_text([run])
        if "host.cpp" in self.exercise.files and run.code in (-signal.SIGILL, -signal.SIGTRAP):
            return f"for {size} the program was ended: is an index outside an array of host.cpp?"
        if run.code < 0:
            return (
                f"for {size} the program crashed (signal {-run.code}): does the kernel read or write outside a buffer?"
            )
        pairs = re.findall(r"result    ([^\n]+)\nexpected  ([^\n]+)", run.out)
        plain = [pair for pair in pairs if "(" not in pair[1]]  # nothing but two values to compare
        others = sum(result != expected for result, expected in plain) - 1
        for result, expected in pairs:
            name, value = re.match(r"(?:(.*\S)\s*=\s*)?(\S+)", result).groups()
            wanted = re.match(r"(?:.*\S\s*=\s*)?(\S+)", expected).group(1)
            note = re.search(r"\(([^)]*)\)", expected)
            differ = note and re.match(r"(at least )?[1-9]\d* of", note.group(1))
            error = note and re.match(r"error (\S+), allowed (\S+)", note.group(1))
            if error and float(error.group(1)) <= float(error.group(2)):
                continue
            if value != wanted or differ or error:
                nobody = f": {self.exercise.nan}" if value in ("nan", str(2**64 - 1)) else ""
                if value == wanted:  # the element shown is right, others are not
                    return f"with {size}, {note.group(1)}"
                return f"with {size}, {name or 'the result'} should be {wanted} and is {value}{nobody}" + (
                    f" ({note.group(1)})"
                    if differ or error
                    else f" ({others} more differ)"
                    if others > 0 and (result, expected) in plain
                    else ""
                )
        last = run.out.strip().splitlines()[-1] if run.out.strip() else "nothing"
        return f"with {size}, the program prints {last!r} and ends with exit code {run.code}"

    def pattern(self, right, wrong):
        """What the sizes have in common for which the answer is wrong."""
        if not right or any(len(run.args) == 0 or run.code < 0 for run in right + wrong):
            return None
        if not self.exercise.matrix and any(len(run.args) > 1 for run in right + wrong):
            return None  # which of the numbers is it?
        if self.exercise.matrix:
            sizes = {id(run): [int(a) for a in run.args[:3]] for run in right + wrong}
            square = {key: len(set(size)) == 1 for key, size in sizes.items()}
            if all(square[id(r)] for r in right) and not any(square[id(r)] for r in wrong):
                return "it is right for square matrices only: is each of M, N and K where it belongs?"
            whole = {key: all(s % self.exercise.multiple == 0 for s in size) for key, size in sizes.items()}
        else:
            sizes = {id(run): int(run.args[0]) for run in right + wrong}
            whole = {key: size % self.exercise.multiple == 0 for key, size in sizes.items()}
        more = [str(33 * self.exercise.multiple)] * len(right[0].args)
        if (
            all(whole[id(r)] for r in right)
            and not any(whole[id(r)] for r in wrong)
            and (self.exercise.matrix or self.pocl(more).passed())
        ):
            return (
                f"it is right for multiples of {self.exercise.multiple} only: who does the elements that are left over?"
            )
        if self.exercise.matrix:
            return None
        if len(right) == 1 and len(wrong) > 2 and sizes[id(right[0])] > 1:
            return f"it is right for {sizes[id(right[0])]} only: is there a number in it that should follow from n?"
        if max(sizes[id(r)] for r in right) < min(sizes[id(r)] for r in wrong):
            return (
                f"it is right up to {max(sizes[id(r)] for r in right)}, and wrong from "
                f"{min(sizes[id(r)] for r in wrong)} on"
            )
        return None

    def wrote_by_map(self, args):
        """Is the kernel not the student's, and has the host mapped all of a buffer, and some of that not only to throw
        away what was there, or written a box? Oclgrind does not see what is written there."""
        if "kernel.cl" in self.exercise.files:
            return False
        calls = [call.split() for call in self.pocl(args, spy=True).calls]
        sizes = [int(call[2]) for call in calls if call[:2] == ["create", "buffer"]]
        maps = [call for call in calls if call[0] == "EnqueueMapBuffer" and int(call[2]) & 6]  # to write
        boxes = any(call[0] == "EnqueueWriteBuffer" and call[-1] == "rect" for call in calls)
        return boxes or bool(maps) and sum(int(call[3]) for call in maps) in sizes

    # -- under Oclgrind --------------------------------------------------------------------------

    def under_oclgrind(self):
        answer = self.answer
        said = {}
        runs = []
        cases = [(args, []) for args in self.exercise.oclgrind]
        cases += [(self.smaller_size(items), ["--max-wgsize", str(items)]) for items in self.exercise.smaller]
        if self.exercise.optimized and "kernel.cl" in self.exercise.files:
            # As it is written: the optimizer may move a read behind a guard that stands after it.
            cases.append((self.exercise.oclgrind[0], AS_WRITTEN))
            for items in self.exercise.smaller:
                if items <= 16 or items == self.exercise.smaller[-1]:
                    cases.append((self.smaller_size(items), ["--max-wgsize", str(items), *AS_WRITTEN]))
        for args, options in cases:
            run = self.simulated(args, options, 6 if self.endless else OCLGRIND_SECONDS)
            if run is None:
                return answer.ok("Oclgrind", f"races and memory errors were not looked for, because {NO_OCLGRIND}")
            runs.append(run)
            reports = oclgrind_messages.translate(run.err + run.out, self.kernel)
            if any(kind == "invalid" for kind, _ in reports) and "invalid" not in said:
                sizes = [int(c.split()[2]) for c in self.pocl(args, spy=True).calls if c.startswith("create buffer")]
                reports = oclgrind_messages.translate(run.err + run.out, self.kernel, sizes)
            for kind, sentence in reports:
                if kind == "uninitialized" and self.wrote_by_map(args):
                    answer.ok(
                        "Oclgrind",
                        "says that nobody has written what the host wrote into mapped memory or into a box: this is its own mistake",
                    )
                    continue
                said.setdefault(kind, f"with {self.sizes_text([run])}, {sentence}")
            if said or self.endless:
                break  # the next size would say the same again
        if any(kind in said for kind in ("race", "invalid", "divergence")):
            self.answer.forget("it is right up to ")  # which says less
        if any(kind != "uninitialized" for kind in said):
            said.pop("uninitialized", None)  # it mostly follows from the others
        for kind in oclgrind_messages.KINDS:
            if kind in said:
                answer.wrong("Oclgrind", said[kind])
        if not said:
            bad = [
                run for run, (_, options) in zip(runs, cases) if not run.passed() and not self.by_switch(run, options)
            ]
            elsewhere = "" if bad or answer.problems else self.other_compilers()
            if elsewhere:
                answer.wrong("Oclgrind", elsewhere)
            elif not bad:
                answer.ok("Oclgrind", f"no races, no memory errors for {self.sizes_text(runs)}")
            elif not answer.problems:
                groups = next((options for run, (_, options) in zip(runs, cases) if run is bad[0]), [])
                device = (
                    f"a simulated device with groups of {groups[1]} at most"
                    if groups[:1] == ["--max-wgsize"]
                    else "the simulated device"
                )
                answer.wrong(
                    "Oclgrind",
                    f"right on PoCL, but on {device}: " + (self.broken(bad[0]) or self.first_wrong(bad[0])),
                )

    def smaller_size(self, items):
        """The size for a simulated device with groups of so many work-items at most: where tiles have four rows or fewer,
        small matrices have several."""
        return SMALL_MATRICES if self.exercise.matrix and items <= 16 else self.exercise.oclgrind[0]

    def by_switch(self, run, options):
        """Is the kernel wrong in this run only because Oclgrind goes wrong where the optimizer has met a switch whose cases
        fall through? As written it is right there, and nothing is said of it."""
        if (
            "kernel.cl" not in self.exercise.files
            or not re.search(r"\bswitch\b", self.kernel)
            or options[-2:] == AS_WRITTEN
        ):
            return False
        again = self.simulated(run.args, [*options, *AS_WRITTEN])
        if not again.passed() or oclgrind_messages.translate(again.err + again.out, self.kernel):
            return False
        self.answer.ok("Oclgrind", "computes the switch wrongly where its compiler optimizes: this is its own mistake")
        return True

    def other_compilers(self):
        """What is wrong with the kernel where a compiler defines other words than this one, if the kernel asks for them; ""
        where nothing is. The words that begin with cl_ or _ are the compilers' own, but for that of the device's byte order."""
        if "kernel.cl" not in self.exercise.files:
            return ""
        text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", self.kernel, flags=re.DOTALL).replace("\\\n", " ")
        asked = re.findall(r"^[ \t]*#[ \t]*(?:el)?if(?:n?def)?\b(.*)$", text, re.MULTILINE)
        words = dict.fromkeys(re.findall(r"\b(?!__ENDIAN_LITTLE__\b)(?:cl_|_)\w+", " ".join(asked)))
        words = [word for word in words if not re.search(rf"#[ \t]*define[ \t]+{word}\b", text)]
        for word in words[:4]:
            for option, what in ((f"-D{word}=9999", "defines"), (f"-U{word}", "does not define")):
                run = self.simulated(self.exercise.oclgrind[-1], [AS_WRITTEN[0], f"{AS_WRITTEN[1]} {option}"])
                if run.code is None or "build log:" in run.err or "OCLGRIND FATAL ERROR" in run.err + run.out:
                    continue  # what such a compiler has, this one need not have
                found = [sentence for _, sentence in oclgrind_messages.translate(run.err + run.out, self.kernel)]
                if found or not run.passed():
                    why = f"with {self.sizes_text([run])}, {found[0]}" if found else ""
                    return f"where a compiler {what} {word}: {why or self.broken(run) or self.first_wrong(run)}"
        return ""


def mpi_error(text):
    """What Open MPI says of a call that failed, without what surrounds it: "MPI_Recv: MPI_ERR_TRUNCATE: message
    truncated"; "" where it says nothing of the kind."""
    place = re.search(r"\*\*\* An error occurred in (\w+)", text)
    error = re.search(r"\*\*\* (MPI_ERR_\w+: [^\n]*)", text)
    return ": ".join(found.group(1).strip() for found in (place, error) if found)


def figures(run):
    """What a run printed of its times, {} where nothing: its size, and the last number of each unit."""
    text = " ".join(re.findall(r"^time      (.*)", run.out, re.MULTILINE))
    found = {unit: float(number) for number, unit in re.findall(r"([\d.]+) (ms|GB/s|GFLOP/s)", text)}
    return {"size": " ".join(run.args), **found} if found else {}
