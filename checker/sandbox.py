"""Runs a program of somebody else: an answer to an exercise.

    code, out, err = sandbox.run([program, "1000"], seconds=20, cwd=folder, env=env, folder=folder)

With bubblewrap (bwrap) it has no network, sees the system's own folders, `folder` and what is in SEEN, may write into
`folder` and a small /tmp only, and nothing of it is left when it has ended; root becomes nobody first. Without, it runs
with the caller's rights. The limits hold either way on Linux: of time, of what it prints and writes, of memory and
of processes. The answer's code is None where the time was not enough; what was too much is said in `err`.
"""

import contextlib
import functools
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time

from checker.machine import BUILD, ROOT

OUTPUT = 16 << 20  # bytes of standard output, and as many of standard error
WRITTEN = 256 << 20  # bytes in `folder`, and as many in /tmp
MEMORY = 8 << 30  # bytes of address space of one process
THREADS = 40 + 4 * (os.cpu_count() or 1)  # all that a program may start; PoCL has one for each core
OF_EACH = 8 + (os.cpu_count() or 1)  # of each process more that is meant to be there
NOBODY = 65534
# What a program gets to see of the file system, where it is there; of the checkout only what it needs.
SYSTEM = [f"/{name}" for name in "usr bin sbin lib lib32 lib64 etc opt sys nix".split()] + [
    os.environ.get("CONDA_PREFIX")
]
SEEN = [ROOT / "common", ROOT / "build-oclgrind", BUILD / "exercises"]
PATIENCE = 9  # times as long as allowed, at most, where the machine is busy
TOO_MUCH = "ended by the check: "
stop = threading.Event()  # while it is set, nothing is begun, what runs is ended, and run() raises Stopped


class Stopped(Exception):
    """Nobody wants to know any more what the program would have done."""


@functools.cache
def missing():
    """Why there is no sandbox here; "" where there is one."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not there (Debian, Ubuntu: apt install bubblewrap)"
    done = subprocess.run([*wall(None), "true"], capture_output=True, text=True, **as_nobody())
    return done.stderr.strip() and f"bubblewrap does not work here: {done.stderr.strip()}"


def wall(folder):
    """The words before a command that has bubblewrap start it."""
    see = [place for place in map(str, filter(None, [*SYSTEM, *SEEN])) if os.path.exists(place)]
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--dev", "/dev", "--proc", "/proc"]
    words += ["--size", str(WRITTEN), "--tmpfs", "/tmp", "--setenv", "HOME", "/tmp"]
    for place in see:
        link = os.path.islink(place)  # /lib leads to usr/lib, and has to: /lib/../share is meant to be /usr/share
        words += ["--symlink", os.readlink(place), place] if link else ["--ro-bind", place, place]
    return words + (["--bind", str(folder), str(folder)] if folder else []) + ["--"]


def limits(seconds, processes=1):
    """The words before a command that limit its memory, files, processes and the time that it computes; none where there is
    no prlimit. The time: of what bubblewrap has started and, where that is killed at its very beginning, leaves behind."""
    if shutil.which("prlimit") is None:
        return []
    time_limit = int(2 * seconds * (os.cpu_count() or 1)) + 1  # more than run() allows
    words = ["prlimit", f"--as={MEMORY}", f"--fsize={WRITTEN}", f"--cpu={time_limit}", "--core=0"]
    if not missing():  # else it would count everything that the user runs
        words.append(f"--nproc={THREADS + (processes - 1) * OF_EACH}")
    return words + (["choom", "-n", "1000", "--"] if shutil.which("choom") else [])


def as_nobody():
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}


def tasks(pid):
    """{task: (seconds that it ran, seconds that it was ready to and had no processor)} of a process and all that it has
    started; nothing where the system does not say."""
    parents, found = {}, {}
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
    for one in parents:
        above = one
        while above not in (0, pid):
            above = parents.get(above, 0)
        names = []
        with contextlib.suppress(OSError):  # it may have ended since
            names = os.listdir(f"/proc/{one}/task") if above == pid else []
        for name in names:
            task = pathlib.Path(f"/proc/{one}/task/{name}/schedstat")
            with contextlib.suppress(OSError, IndexError, ValueError):
                ran, waited, _ = map(int, task.read_text(encoding="utf-8").split())
                found[task] = ran * 1e-9, waited * 1e-9
    return found


def size_of(folder):
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
    return total


def run(command, seconds, cwd, env, folder, processes=1, enough=stop):
    """Returns (exit code, standard output, standard error): the code is negative for a signal, None for too long. What it
    had to wait for others is no time of its own. `processes`: how many of them it is meant to start. `enough`: the same
    as `stop`, for this run."""

    def stopped():
        return stop.is_set() or enough.is_set()

    if stopped():
        raise Stopped
    words, options, env = [*map(str, command)], {}, dict(env)
    if "LD_PRELOAD" in env:  # into the program, and not into what stands before it
        words = ["env", f"LD_PRELOAD={env.pop('LD_PRELOAD')}", *words]
    words = [*limits(seconds, processes), *words]
    if not missing():
        words, options = [*wall(folder), *words], as_nobody()
        if options:
            for place, _, names in os.walk(folder):
                for one in ("", *names):
                    with contextlib.suppress(FileNotFoundError):  # of another run, which goes on
                        os.chown(os.path.join(place, one), NOBODY, NOBODY, follow_symlinks=False)
    options |= {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    try:
        process = subprocess.Popen(words, cwd=cwd, env=env, start_new_session=True, **options)
    except FileNotFoundError:
        if os.path.isdir(cwd):
            raise
        return 1, "", f"{TOO_MUCH}its folder is gone: an earlier run of it has deleted that\n"
    texts, why = {}, []

    def end(reason):
        why.append(reason)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    def read(name, pipe):
        texts[name] = b""
        while piece := pipe.read1(1 << 16):
            texts[name] += piece
            if len(texts[name]) > OUTPUT:
                texts[name] = texts[name][:OUTPUT]
                return end(f"it printed more than {OUTPUT >> 20} MiB")

    pipes = {"out": process.stdout, "err": process.stderr}
    readers = [threading.Thread(target=read, args=each, daemon=True) for each in pipes.items()]
    for reader in readers:
        reader.start()
    begin = looked = time.monotonic()
    pause, known, ran, waited, unseen = 0.01, {}, 0.0, 0.0, 0.0
    while process.poll() is None and not why:
        if stopped():
            end("stopped")
            break
        if pause >= 0.5 or time.monotonic() - begin > seconds:
            new, now = tasks(process.pid), time.monotonic()
            more = [(a - b for a, b in zip(new[task], known.get(task, (0, 0)))) for task in new]
            rans, waits = zip(*more) if more else ((0,), (0,))
            # It has waited as long as that one of its tasks that waited longest, but not for its own others.
            longest = min(now - looked, max(waits))
            waited += longest
            if known.keys() - new.keys():  # how long one waited that has ended since the last look, nobody can say
                unseen += now - looked - longest
            ran += sum(rans)
            looked, known = now, new
        others = min(waited + min(unseen, seconds), PATIENCE * seconds)
        late = time.monotonic() - begin - others > seconds
        if late or ran > seconds * (os.cpu_count() or 1):
            end("late")
        elif pause >= 0.5 and size_of(folder) > WRITTEN:
            end(f"it wrote more than {WRITTEN >> 20} MiB")
        until = time.monotonic() + pause  # or it ends before, which must not cost what looking at it all the time would
        while process.poll() is None and time.monotonic() < until and not stopped():
            time.sleep(0.01)
        pause = min(0.5, 1.5 * pause)
    process.wait()
    with contextlib.suppress(ProcessLookupError):  # what it has started and left
        os.killpg(process.pid, signal.SIGKILL)
    for reader in readers:
        reader.join(5)
    if stopped():
        raise Stopped
    out, err = (texts.get(name, b"").decode(errors="replace") for name in ("out", "err"))
    if "late" in why:
        return None, out, err
    code = process.returncode
    if code > 128 and not missing():
        code = 128 - code  # so bubblewrap says that its child was ended by a signal
    return (1, out, f"{TOO_MUCH}{why[0]}\n{err}") if why else (code, out, err)
