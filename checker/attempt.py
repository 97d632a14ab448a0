"""The check of an answer to an exercise: it is built and run in a copy; nothing is ever written into the student's folder.

In this order, and the first finding ends the check: the files are there, it compiles, its results are right on PoCL at
the exercise's sizes and at some that are drawn, Oclgrind reports nothing, its calls make sense (behaviour.py), and what
the task asks beyond PASSED (the exercise's check.py) is so. Two of these steps run at a time, since somebody waits; what
they find is told in their order.
"""

import concurrent.futures
import copy
import functools
import hashlib
import os
import pathlib
import re
import shutil
import signal
import tempfile
import threading
import traceback

from checker import behaviour, oclgrind_messages, sandbox
from checker.calls import words_of
from checker.command_order import between_queues
from checker.exercise import Problem
from checker.libraries import BUILD, fetch, keep, layer_environment, layer_library
from checker.machine import LOADER_OF_ITS_OWN, MPIRUN, NO_OCLGRIND, ROOT, find_oclgrind

POCL_SECONDS = 8  # of computing, or of doing nothing
OCLGRIND_SECONDS = 40
COMPILE_SECONDS = 60
# What Oclgrind is told: to look for everything, in the kernel as it is written. What the optimizer makes of it may hold
# instructions that Oclgrind 21.10 does not know, and hides reads that come to nothing.
AS_WRITTEN = ["--build-options", "-cl-opt-disable"]
WATCHED = ["--data-races", "--uniform-writes", "--max-errors", "100"]
WARNINGS = ["-Wall", "-Wextra"]
BOUNDS = ["-fsanitize=bounds", "-fsanitize-undefined-trap-on-error"]  # an index outside an array ends the program
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
OTHER_METHODS = ["repl", "cbs"]  # of PoCL, to run the work-items of a group: one of them is there besides its usual one
SHOWN = 6  # sizes, of a list of them

MPI = shutil.which("mpicxx") is not None and shutil.which("mpirun") is not None


def other_than_pocl(out):
    """[name (platform)] of the device that a program's output names, unless it is PoCL's. Both may have brackets: Intel(R)."""
    return re.findall(r"^device +(.+)(?<!\(Portable Computing Language\))$", out, re.MULTILINE)


class Answer:
    """What a check found: `lines` are (label, text) to show, `problems` those texts that say what is
    wrong, `no_oclgrind` says why Oclgrind, where it was needed, saw nothing, `unchecked` says what else
    could not be looked at. `show(label, text)` is called for each line as soon as it is known."""

    def __init__(self, show=None):
        self.lines = []
        self.problems = []
        self.no_oclgrind = ""
        self.unchecked = []
        self.show = show

    def ok(self, label, text):
        self.lines.append((label, text))
        if self.show:
            self.show(label, text)

    def wrong(self, label, text):
        self.problems.append(text)
        self.ok(label, text)

    def take(self, other):
        """Takes over what another one has."""
        self.problems += other.problems
        self.unchecked += other.unchecked
        for line in other.lines:
            self.ok(*line)


class Run:
    """One run of the program: exit code (None for too long), what it printed, its calls (calls.words_of)."""

    def __init__(self, args, code, out, err, log="", limit=POCL_SECONDS, processes=1):
        self.args = args
        self.processes = processes
        self.code = code
        self.out = out
        self.err = err
        self.watched = log.startswith("layer\n")  # else nobody has looked
        self.calls = words_of(log)
        self.inputs = re.findall(r"^input \d+ (\d+) (\d+)$", log, re.MULTILINE)  # (of all transfers which, which input)
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
        self.settings = {}  # for PoCL
        self.made = {}  # what several steps need and one makes, see once()
        self.lock = threading.Lock()
        self.enough = threading.Event()  # the verdict is known: what still runs is for nothing

    def once(self, key, function):
        """What the function returns, which is called once, whichever step asks first; the others wait for that."""
        with self.lock:
            mine = key not in self.made
            future = self.made.setdefault(key, concurrent.futures.Future())
        if mine:
            try:
                future.set_result(function())
            except BaseException as error:
                future.set_exception(error)
        return future.result()

    def examine(self):
        for name in self.exercise.files:
            if not (self.folder / name).is_file():
                self.answer.wrong("files", f"{name} is missing")
                return self.answer
            if (self.folder / name).stat().st_size > 1 << 20:
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
            self.answer.no_oclgrind = self.no_oclgrind
            for what in [] if self.answer.problems else self.answer.unchecked:
                self.answer.ok("not seen", what)
        return self.answer

    def run_all(self):
        if self.exercise.processes and not MPI:
            self.answer.unchecked.append(
                "the program, since MPI is not there (Debian, Ubuntu: libopenmpi-dev, openmpi-bin)"
            )
            return
        self.copy_files()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            pool.submit(self.layer)  # what will be wanted later, while the compiler is at work
            for change in self.exercise.other_launches():
                pool.submit(self.other_program, read(self.source).replace(*change))
            try:
                self.build()
                steps = [Attempt.on_pocl, Attempt.under_oclgrind, Attempt.as_watched, Attempt.of_the_task]
                while steps and not self.answer.problems:
                    steps = self.take_steps(pool, steps)
            finally:
                self.enough.set()

    def take_steps(self, pool, steps):
        """Takes these steps, two at a time, and tells what they found in their order, until something is wrong. Returns those
        that are to be taken again, because a step has changed the settings for PoCL."""
        settings, running = dict(self.settings), []
        for step in steps:
            attempt = copy.copy(self)
            attempt.answer = Answer() if running else self.answer  # the first one tells at once what it finds
            running.append((attempt, pool.submit(step, attempt)))
        for number, (attempt, future) in enumerate(running, 1):
            future.result()
            if attempt is not running[0][0]:
                self.answer.take(attempt.answer)
            if self.answer.problems:
                return []
            if self.settings != settings:
                later = [future for _, future in running[number:] if not future.cancel()]
                concurrent.futures.wait(later)
                self.made.clear()
                return steps[number:]
        return []

    # -- compiling -------------------------------------------------------------------------------

    def copy_files(self):
        exercise = self.exercise
        self.place = self.home / exercise.chapter / "exercises" / exercise.name
        self.place.mkdir(parents=True)
        shutil.copytree(ROOT / "common", self.home / "common")
        for vendor in sorted(pathlib.Path("/etc/OpenCL/vendors").glob("*pocl*.icd"))[:1]:
            (self.home / "vendors").mkdir()
            shutil.copyfile(vendor, self.home / "vendors" / "pocl.icd")
        for name in ["kernel.cl", "host.cpp"]:
            source = (self.folder if name in exercise.files else exercise.folder) / name
            if source.is_file():  # without the mark that some editors put before UTF-8: text goes before it
                (self.place / name).write_bytes(source.read_bytes().removeprefix(b"\xef\xbb\xbf"))
        self.kernel = read(self.place / "kernel.cl") if (self.place / "kernel.cl").is_file() else ""
        self.source = self.place / "host.cpp"
        if not exercise.own_host:
            self.source = self.home / exercise.chapter / "host.cpp"
            shutil.copyfile(ROOT / exercise.chapter / "host.cpp", self.source)
        usage = re.search(r"usage: [\w-]+ ([^\\\n]*)", read(self.source))
        self.names = re.findall(r"[A-Z]+", usage[1]) if usage else []  # of the program's arguments
        self.product = self.exercise.matrix and self.names in (["M", "N", "K"], [])  # else a plate, say

    def build(self):
        self.program = self.compile(self.source, self.place / "program", told=True)
        if self.program is not None:
            for complaint in behaviour.own_kernel(self):
                self.answer.wrong("task", complaint)

    def compile(self, source, program, common=None, told=False):
        """Compiles it to that program; None when that fails. What was compiled once is kept in the build folder under a name
        that is its content's. `common`: the folder that it includes; `told`: the answer says what the compiler has to say,
        which is asked for warnings."""
        mpi = bool(self.exercise.processes)
        compiler = "mpicxx" if mpi else os.environ.get("CXX", "c++")
        command = [compiler, "-std=c++17", "-Og", *BOUNDS, *["-DOMPI_SKIP_MPICXX"] * mpi]
        command += self.warnings if told else ["-w"]
        digest = hashlib.sha256(" ".join(command).encode() + source.read_bytes())
        for header in sorted((common or ROOT / "common").glob("*.h")):
            digest.update(header.read_bytes())
        kept = BUILD / "bin" / digest.hexdigest()[:32]
        if not fetch(kept, program):
            opencl = ["-framework", "OpenCL"] if os.uname().sysname == "Darwin" else ["-lOpenCL"]
            command += [source.name, *opencl, "-o", program]
            try:
                code, _, err = self.sandboxed(command, COMPILE_SECONDS, source.parent, self.environment())
            except OSError as error:
                raise Problem(f"no C++ compiler: {error}") from None
            if code != 0 and told:
                errors = [line for line in err.splitlines() if "error" in line] or err.splitlines()
                late = [f"the compiler did not end within {COMPILE_SECONDS} s"] if code is None else []
                self.answer.wrong("compiles", "no: " + " | ".join((late + errors)[:3]))
            if code != 0:
                return None
            warnings = [line for line in err.splitlines() if "warning:" in line]
            if warnings:
                self.answer.ok("compiles", "yes, but the compiler warns: " + warnings[0])
            keep(program, kept)
        return program

    def other_program(self, host=None, header="opencl.h", more=""):
        """The program with that text as its host, and `more` at the end of a header of common/; None where that does not
        compile."""

        def build():
            home = pathlib.Path(tempfile.mkdtemp(dir=self.home))
            source = home / self.source.relative_to(self.home)
            source.parent.mkdir(parents=True)
            source.write_text(host or read(self.source), encoding="utf-8")
            shutil.copytree(ROOT / "common", home / "common")
            with open(home / "common" / header, "a", encoding="utf-8") as file:
                file.write(more)
            return self.compile(source, self.place / home.name, home / "common")

        return self.once(("program", host, header, more), build)

    # -- running ---------------------------------------------------------------------------------

    def environment(self, **more):
        """The student's environment without what would choose another device or another kernel."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OCL_", "OCLGRIND", "LD_PRELOAD", "LAYER_"))}
        return {**env, **more}

    def sandboxed(self, command, seconds, place, env, processes=1):
        return sandbox.run(command, seconds, place, env, self.home, processes, self.enough)

    def execute(self, launcher, args, seconds, env, program=None, kernel=None, processes=1):
        """Runs the program, or another one, with the kernel, or another one beside it."""
        env["POCL_CACHE_DIR"] = str(self.home / "kernels")  # of this answer alone
        program, place = program or self.program, self.place
        if kernel is not None:
            place = pathlib.Path(tempfile.mkdtemp(dir=self.home))
            (place / "kernel.cl").write_text(kernel, encoding="utf-8")
            program = shutil.copy(program, place)
        return self.sandboxed([*launcher, program, *args], seconds, place, env, processes)

    def layer(self):
        return self.once("layer", lambda: layer_library(self.home))

    def pocl(self, args, layer=None, processes=None, program=None, kernel=None, **more):
        """Runs the program on PoCL; where there is none, on whatever there is. `layer`: what the layer is to do, whose log
        gives the run its calls; None: it is not there. `processes`: mpirun starts so many. `program`, `kernel`: another one,
        the path of the first and the text of the second. `more`: for the program's environment."""
        env = self.environment(XDG_CACHE_HOME=str(self.home / "cache"))
        if (self.home / "vendors").exists():
            env["OCL_ICD_VENDORS"] = f"{self.home}/vendors/"
        log = None
        library = self.layer() if layer is not None else None
        if layer and library is None:
            raise behaviour.NotSeen("what the program does where it is misled, for want of the library that does so")
        if library is not None:
            place = pathlib.Path(tempfile.mkdtemp(dir=self.home))
            log = place / "log"
            env.update(layer_environment(library, {"log": log, **layer}, place))
        env.update({name: str(value) for name, value in {**self.settings, **more}.items()})
        launcher, seconds = [], POCL_SECONDS
        if processes is not None:
            launcher, seconds = ["mpirun", "-n", str(processes)], 2 * POCL_SECONDS + 4 * processes
            env.update(MPIRUN, OMPI_MCA_btl_vader_single_copy_mechanism="none")  # which a sandbox may forbid
        code, out, err = self.execute(launcher, args, seconds, env, program, kernel, processes or 1)
        said = read(log) if log and log.exists() else ""
        return Run(args, code, out, err, said, seconds, processes or 1)

    def plain(self, args, processes=None):
        """A run of the program as it is: one for all that ask."""
        return self.once(("plain", *args, processes), lambda: self.pocl(args, processes=processes))

    def noted(self, args):
        return self.once(("noted", *args), lambda: self.pocl(args, layer={}))

    def divisible(self):
        """Can the device be divided? PoCL's can, where it has two cores."""
        return (self.home / "vendors").exists() and len(os.sched_getaffinity(0)) > 1

    @property
    def no_oclgrind(self):
        """Why Oclgrind, where it was needed, saw nothing; "" as long as it did."""
        return self.made["no oclgrind"].result() if "no oclgrind" in self.made else ""

    def simulated(self, args, options=(), watched=True, kernel=None):
        """Runs the program under Oclgrind, which has a device of its own; None where it is missing. `watched`: it looks
        for races and the like."""
        oclgrind = find_oclgrind()
        if oclgrind is None:
            self.once("no oclgrind", lambda: NO_OCLGRIND)
            return None
        env = self.environment(XDG_CACHE_HOME=str(self.home / "cache"))
        env.pop("OCL_ICD_VENDORS", None)
        options, program = [*AS_WRITTEN, *options], None
        for change in self.exercise.under_oclgrind():
            program = self.other_program(read(self.source).replace(*change))
        if self.exercise.matrix and "--max-wgsize" not in options:
            options += ["--max-wgsize", "256"]  # tiles of 16: small matrices have several
        if watched:
            # What a swap has written, Oclgrind takes for never written, and may compute with something else.
            options += WATCHED + ["--uninitialized"] * ("atomic_xchg" not in self.kernel)
        for chosen in (options, [option for option in options if option != "--uninitialized"]):
            code, out, err = self.execute([oclgrind, *chosen], args, OCLGRIND_SECONDS, env, program, kernel)
            if "OCLGRIND FATAL ERROR" not in err + out and (code is None or code >= 0):
                break  # else it may be its own doing, which is no fault of the answer
        if "CL_PLATFORM_NOT_FOUND_KHR" in err:
            self.once("no oclgrind", lambda: LOADER_OF_ITS_OWN)
            return None
        return Run(args, code, out, err, limit=OCLGRIND_SECONDS)

    @property
    def work(self):
        """What each work-item does, behaviour.Work."""
        return self.see_work()

    def see_work(self):
        return self.once("work", lambda: behaviour.work(self, self.work_size))

    @functools.cached_property
    def work_size(self):
        return behaviour.size_of_work(self)

    @property
    def first(self):
        """The first run on PoCL, which builds the kernel for all of them."""
        return self.plain(self.exercise.sizes[0])

    @property
    def honest(self):
        """A run of the program as it is, with its calls."""
        return self.usual.run

    @property
    def usual(self):
        """The same with all that it sent and got, behaviour.Trial."""
        return self.once("usual", lambda: behaviour.Trial(self, behaviour.lie_size(self.exercise)))

    # -- on PoCL ---------------------------------------------------------------------------------

    def on_pocl(self):
        sizes = self.exercise.sizes + self.exercise.drawn_sizes(self.folder)
        first = self.first
        for other in other_than_pocl(first.out):
            self.answer.ok("note", f"there is no PoCL here: where PoCL is named, it is {other}")
        cases = [(size, None) for size in sizes[1:]]
        if self.exercise.processes:  # the last size with each number of them, the others with the most
            *some, most = self.exercise.processes
            cases += [(sizes[-1], p) for p in some if p > 1] + [(size, most) for size in sizes]
        broken = [first] * bool(self.broken(first))

        def plain(case):  # until one is broken: the next loop without an end would take as long again
            if not broken:
                run = self.plain(*case)
                broken.extend([run] * bool(self.broken(run)))
                return run

        runs = [first, *filter(None, self.at_once(plain, cases))]
        if broken:
            run = next(filter(self.broken, runs))  # the first of the sizes, whichever ended first
            return self.explain(self.broken(run), run)
        wrong = [run for run in runs if not run.passed()]
        right = [run for run in runs if run.passed()]
        if wrong and self.pocls_mistake(wrong):
            wrong, right = [], runs
        if not wrong:
            return self.answer.ok("PoCL", f"right for {self.sizes_text(right)}")
        sizes = self.sizes_text(wrong)
        cubes = any(len(run.args) == 1 for run in wrong)
        sizes += f" (M×N×K{', or one number for all three' * cubes})" if "×" in sizes else ""
        fault = self.first_wrong(wrong[0])
        what = f"wrong for {sizes}: {fault}"
        if len(wrong) > 1 and len(wrong[0].args) > 1 and not self.product:  # a long list: the fault first
            what = f"{fault}. Also wrong for {self.sizes_text(wrong[1:])}"
        return self.explain(what, wrong[0], self.pattern(right, wrong))

    def pocls_mistake(self, wrong):
        """Is a kernel wrong on PoCL only because of how PoCL translates it? Then it is right when PoCL does so in another
        way, and so it is on Oclgrind, which reports nothing. (PoCL 3.1 gets `if (i % (2 * distance) == 0)` around a barrier
        wrong, the first tree that many people write.)"""
        if "kernel.cl" not in self.exercise.files or any(run.code < 0 for run in wrong):
            return False
        if any(self.reports(*case) for case in self.exercise.oclgrind):
            return False  # known in a second, where a large size would take it a minute
        for method in OTHER_METHODS:
            if all(self.pocl(run.args, POCL_WORK_GROUP_METHOD=method).passed() for run in wrong):
                small = min(wrong, key=lambda run: behaviour.size_of(run.args))
                run = self.simulated(small.args)
                if run is None or not run.passed() or oclgrind_messages.translate(run.err + run.out, self.kernel):
                    return False
                self.settings["POCL_WORK_GROUP_METHOD"] = method
                self.answer.ok(
                    "PoCL",
                    f"wrong for {self.sizes_text(wrong)}, and this is a mistake of this PoCL: with {method} in "
                    "POCL_WORK_GROUP_METHOD, and on Oclgrind, your kernel is right",
                )
                return True
        return False

    def explain(self, what, run, pattern=None):
        """Something is wrong, and the cause is better than what comes of it: what the host has not waited for comes in
        time in one run and not in the next, or makes it crash; an access outside a buffer may do anything, and so may a
        barrier that some do not reach: what the host says then is told last."""
        late = re.search("crashed|ends with: ", what) and not self.exercise.processes
        if not late:
            self.answer.wrong("PoCL", what)
        if "does not compile" in what or self.exercise.processes:
            return
        causes = behaviour.not_awaited(self.noted(run.args)) if "host.cpp" in self.exercise.files else []
        if pattern and not pattern.startswith("of the sizes tried "):
            causes = causes or [pattern]  # which says more than what comes of it under Oclgrind
        seen = []
        if not causes:
            # What a program waits for without end, Oclgrind knows by now or never.
            cases = [c for c in self.exercise.oclgrind if run.code is not None or self.has_reported(*c)]
            seen = next(filter(None, (self.reports(*case) for case in cases)), [])[:1]
        told = (seen or causes)[:1] or [*filter(None, [pattern])]
        if late:
            told.insert("ends with: " in what or "reach the barrier" in "".join(told), what)
        for text in told:
            so_far = "" if any(label == "PoCL" for label, _ in self.answer.lines) else "PoCL"
            self.answer.wrong("Oclgrind" if text in seen else so_far, text)

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
            return "the default size"
        several = any(len(run.args) > 1 for run in runs)
        if self.product:
            texts = ["×".join(run.args) for run in runs]
        elif several:
            texts = [", ".join(f"{name} = {value}" for name, value in zip(self.names, run.args)) for run in runs]
        else:
            texts = [run.args[0] for run in runs]
        texts = list(dict.fromkeys(texts))
        more = len(texts) - SHOWN
        texts = [*texts[:SHOWN], f"and {more} more"] if more > 1 else texts
        if self.product or several:
            return (", " if self.product else "; ").join(texts)
        return f"{(self.names or ['N'])[0]} = {', '.join(texts)}"

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
            errors = re.findall(
                r"[^\s:]*\.cl:(\d+):\d+(?: <[^>]*>)?: (?:error: )?([^\n]*)", log.replace("'_cl_", "'")
            ) or [("?", line) for line in log.splitlines() if line.strip()]
            if "'work_group_barrier'" in log:  # the compiler's guess, in a note, is a different function
                errors = [(line, what) for line, what in errors if not what.startswith("note: ")]
                errors[0] = errors[0][0], errors[0][1] + " (it is of OpenCL 2.0; here it is called barrier)"
            return "the kernel does not compile: " + "; ".join(f"line {line}: {what}" for line, what in errors[:3])
        error = re.search(r"(CL_\w+ \(-\d+\))", run.err)
        if run.code > 0 and not run.out.endswith(("PASSED\n", "FAILED\n")):
            if error:
                said = [line.strip() for line in run.err.splitlines() if line.strip()]
                place = next((line for line in said if error.group(1) in line), said[0])
                cause = next((line for line in said if line.startswith("usual cause")), "")
                code = " ".join(re.findall(r"^ *\d+ \| *(.*)", run.err, re.MULTILINE))  # clerr_chk shows it
                place = re.sub(r"^\S*?([\w.]+:\d+:)", r"\1", place) + (f": `{code}`" if code else "")
                wanted = re.search(r'"(\w+)"', code)
                if "CL_INVALID_KERNEL_NAME" in error[1] and wanted and wanted[1] not in self.kernel:
                    there = ", ".join(behaviour.kernels_of(self.kernel)) or "none"
                    cause = f"the kernels in kernel.cl are: {there}. Is it the answer to another exercise?"
                return place + (f"; {cause}" if cause else "")
            said = mpi_error(run.err) or next(
                (line for line in run.err.splitlines() if line.strip(" -")),  # mpirun frames its words with dashes
                f"exit code {run.code}, and no word why",
            )
            said = said.replace(f"{self.home}/", "")  # the path of a folder that is gone by then tells nobody anything
            return f"for {self.sizes_text([run])} the program ends with: {said}"
        return None

    def first_wrong(self, run):
        """`N = 65: c[64] should be 257, and is nan` from the lines result and expected."""
        size = self.sizes_text([run])
        if "host.cpp" in self.exercise.files and run.code in (-signal.SIGILL, -signal.SIGTRAP):
            return f"for {size} the program was ended: is an index outside an array of host.cpp?"
        if run.code < 0:
            return (
                f"for {size} the program crashed (signal {-run.code}): does something read or write outside a buffer?"
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
                launch = re.search(re.escape(f"{result}\nexpected  {expected}") + r"\ntime +([^\n]*?): ", run.out)
                size += f" at `{launch[1]}`" if launch else ""
                nobody = f": {self.exercise.nan}" if value in ("nan", str(2**64 - 1)) else ""
                if value == wanted:  # the element shown is right, others are not
                    return f"with {size}, {note.group(1)}"
                if getattr(self.exercise.own, "OWN_EXPECTED", False):
                    return (
                        f"with {size}, `result` is {value} and your `expected` is {wanted}: which of the two is right?"
                    )
                more = f" ({others} more differ)" * (others > 0 and (result, expected) in plain)
                more = f" ({note.group(1)})" if differ or error else more
                return f"with {size}, {name or 'the result'} should be {wanted} and is {value}{nobody}{more}"
        last = run.out.strip().splitlines()[-1] if run.out.strip() else "nothing"
        return f"with {size}, the program prints {last!r} and ends with exit code {run.code}"

    def pattern(self, right, wrong):
        """What the sizes have in common for which the answer is wrong."""
        if not right or any(len(run.args) == 0 for run in right + wrong):
            return None

        def divides(good):
            """Is it right for just those sizes, of M, N and K or of N alone, that are good?"""
            return all(good(list(map(int, run.args[:3]))) == (run in right) for run in right + wrong)

        two = self.exercise.matrix and len(self.names) == 2  # height and width
        if (self.product or two) and divides(lambda size: len(set(size)) == 1):
            return "it is right for squares only: is each of its sizes where it belongs?"
        if any(run.code < 0 for run in wrong):
            return None
        if not self.product and any(len(run.args) > 1 for run in right + wrong):
            return None  # which of the numbers is it?
        multiple = self.exercise.multiple
        whole = divides(lambda size: all(number % multiple == 0 for number in size))
        if whole and (self.product or self.pocl([str(33 * multiple)]).passed()):
            return f"it is right for multiples of {multiple} only: is each element that is left over done, and once?"
        if self.product:
            return None
        most, least = max(int(run.args[0]) for run in right), min(int(run.args[0]) for run in wrong)
        if len(right) == 1 and len(wrong) > 2 and most > 1:
            return f"it is right for {most} only: is there a number in it that should follow from n?"
        return f"of the sizes tried it is right up to {most}, and wrong from {least} on" if most < least else None

    # -- under Oclgrind --------------------------------------------------------------------------

    def under_oclgrind(self):
        cases = self.exercise.oclgrind
        for found in self.at_once(lambda case: self.reports(*case, also_results=True), cases):
            if self.no_oclgrind:
                return self.answer.ok(
                    "Oclgrind", f"races and memory errors were not looked for, because {self.no_oclgrind}"
                )
            for sentence in found[:1]:
                return self.answer.wrong("Oclgrind", sentence)
        if cases:
            self.answer.ok("Oclgrind", "no races, no memory errors")
        return None

    def has_reported(self, args, items):
        future = self.made.get(("oclgrind", *args, items))
        return future is not None and future.done()

    def reports(self, args, items=None, also_results=False):
        """What Oclgrind reports of a run, the most telling first; on a device whose groups have `items` work-items at most.
        `also_results`: or that its results are wrong there."""
        options = ["--max-wgsize", items] if items else []
        run = self.once(("oclgrind", *args, items), lambda: self.simulated(args, options))
        if run is None:
            return []
        text = run.err + run.out
        found = oclgrind_messages.translate(text, self.kernel)
        if any(kind == "invalid" for kind, _ in found):
            sizes = [int(c.split()[2]) for c in self.noted(args).calls if c.startswith("create buffer")]
            found = oclgrind_messages.translate(text, self.kernel, sizes)
        if any(kind != "uninitialized" for kind, _ in found):  # it mostly follows from the others
            found = [(kind, sentence) for kind, sentence in found if kind != "uninitialized"]
        elif found and self.wrote_by_map(args):
            found = []  # Oclgrind does not see what is written into mapped memory, or as a box
        device = f"a device with groups of {items} work-items at most" if items else "Oclgrind's device"
        by_hand = f" on {device} (oclgrind --data-races --max-wgsize {items} ./program {' '.join(args)})" * bool(items)
        if found or run.passed() or not also_results:
            return [f"with {self.sizes_text([run])}{by_hand}, {sentence}" for _, sentence in found]
        return [f"right on PoCL, but on {device}: {self.broken(run) or self.first_wrong(run)}"]

    def wrote_by_map(self, args):
        """Is the kernel not the student's, and has the host mapped all of a buffer, and some of that not only to throw
        away what was there, or written a box? Oclgrind does not see what is written there."""
        if "kernel.cl" in self.exercise.files:
            return False
        calls = [call.split() for call in self.noted(args).calls]
        sizes = [int(call[2]) for call in calls if call[:2] == ["create", "buffer"]]
        maps = [call for call in calls if call[0] == "EnqueueMapBuffer" and int(call[2]) & 6]  # to write
        boxes = any(call[0] == "EnqueueWriteBuffer" and call[-1] == "rect" for call in calls)
        return boxes or bool(maps) and sum(int(call[3]) for call in maps) in sizes

    # -- what it does, beyond its own PASSED -----------------------------------------------------

    def as_watched(self):
        """Its calls, and what becomes of other inputs."""
        if behaviour.has_work(self.exercise) and not self.exercise.matrix:
            self.see_work()  # on Oclgrind, while PoCL builds the kernel
        honest = self.layer() and self.first and self.honest
        if not (honest and honest.watched):
            return self.answer.unchecked.append("the program's calls, for want of the library that notes them")
        for complaints in behaviour.WATCHERS:
            for complaint in complaints(self, honest):
                return self.answer.wrong("program", complaint)
        return None

    def of_the_task(self):
        """What the exercise's own check.py asks; and last, since that may say more of it, whether several queues wait for
        each other."""
        try:
            own, other = self.at_once(lambda look: look(self), [self.exercise.own_check, behaviour.other_launches])
            several = between_queues(self, self.honest) if "host.cpp" in self.exercise.files else []
        except behaviour.NotSeen as what:
            return self.answer.unchecked.append(str(what))
        for complaint in own or other:
            return self.answer.wrong("task", complaint)
        for complaint in several:
            return self.answer.wrong("program", complaint)
        return None


def mpi_error(text):
    """What Open MPI says of a call that failed, without what surrounds it: "MPI_Recv: MPI_ERR_TRUNCATE: message
    truncated"; "" where it says nothing of the kind."""
    place = re.search(r"\*\*\* An error occurred in (\w+)", text)
    error = re.search(r"\*\*\* (MPI_ERR_\w+: [^\n]*)", text)
    return ": ".join(found.group(1).strip() for found in (place, error) if found)


def read(path):
    """A text, whatever it is written in."""
    return path.read_text(encoding="utf-8", errors="replace")
