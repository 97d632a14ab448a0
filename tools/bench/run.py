#!/usr/bin/env python3
"""Runs the chapter programs and the libraries people would use instead, side by side.

    tools/bench/run.py [--out FOLDER] [--quick] [--rounds 5] [--device cpu] [--only matmul,shapes,vectors]
                 [--sizes 1024,2048] [--lengths 20,26]

Builds what it needs with CMake into --build (default build/), then runs everything over sizes,
all programs of a size one after the other and that several times, so that what disturbs the
machine disturbs all of them. Writes tables and the record, after each size, and then a page with plots into --out
(tools/bench/page.py makes that also of a run that was stopped):

    matmul.csv, vectors.csv   the rates, the spread and the number of rounds, a line for each program and size
    shapes.csv                the same for matrices that are no squares
    record.json               the device and its ceilings, what the machine is, and of each table the command and the date
    README.md, *.svg          made from these by page.py

Numbers are medians of the rounds, each a median of up to five runs in the program; the spread is from the
slowest to the fastest round. A program that has taken a minute at a size is not run there again, nor at a larger
one. A library that is not there is named as absent. With --only, the other tables in --out stay, if they are of the
same device.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys
import tempfile
import time

import page
import tables
from tables import CHAPTERS, MATMUL, ROOT, TITLES, UNITS, VECTORS

from checker.grade_page import CEILINGS, CEILINGS_PATTERN  # noqa: E402

FLOP_PER_BYTE = {
    name: flop for known in CHAPTERS.values() for name, flop in known.BENCH.get("flop_per_byte", {}).items()
}
CUDA = os.environ.get("CUDA_HOME", "/usr/local/cuda")
# MKL's own folder, or that of the Python that runs this: `pip install mkl` puts it there.
MKL = [*pathlib.Path(os.environ.get("MKLROOT", sys.prefix), "lib").glob("libmkl_rt.so*"), "libmkl_rt.so"][0]
PEERS = {  # name: source, what to compile and link it with, how to get it
    "OpenBLAS": ("peer_blas.cpp", ["-lopenblas"], "on Debian and Ubuntu: apt install libopenblas-dev"),
    "MKL": ("peer_blas.cpp", ["-DMKL", str(MKL), f"-Wl,-rpath,{pathlib.Path(MKL).parent}"], "pip install mkl"),
    "cuBLAS": (
        "peer_cublas.cpp",
        [f"-I{CUDA}/include", f"-L{CUDA}/lib64", f"-Wl,-rpath,{CUDA}/lib64", "-lcublas", "-lcudart"],
        "it comes with CUDA",
    ),
}
ON_THE_CPU = {"OpenBLAS", "MKL"}
# Others than squares: rows of odd length, of no whole tile, thin, wide, and a small C with a long K.
SHAPES = ["1000", "1023", "4000,4000,4004", "4095,4001,4007", "3000,100,5000", "16384,16,4096", "64,64,100000"]
ENOUGH = 60  # seconds that a program may take at a size before another round is not begun
TOO_LARGE = "too large for this"  # what a chapter says, with exit code 2, of a size that does not fit


def numbers(smallest):
    """A type for argparse: whole numbers of at least `smallest`, with commas between them."""

    def parse(text):
        try:
            values = [int(word) for word in text.split(",")]
        except ValueError:
            values = []
        if not values or min(values) < smallest:
            raise argparse.ArgumentTypeError(f"{text!r} is not a list of whole numbers from {smallest} on")
        return values

    return parse


def tables_of(text):
    """A type for argparse: names of tables, with commas between them."""
    unknown = sorted(set(text.split(",")) - set(TITLES))
    if unknown:
        raise argparse.ArgumentTypeError(f"no such table: {', '.join(unknown)}; there are {', '.join(TITLES)}")
    return text.split(",")


def say(text):
    print(text, file=sys.stderr, flush=True)


def build(folder):
    """Builds the chapters into `folder`; returns where each program lies."""
    say(f"building the chapters in {folder}")
    for command in (
        ["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release"],
        ["cmake", "--build", folder, "-j", str(os.cpu_count())],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stdout[-3000:] + done.stderr[-3000:])
    return {c: folder / c / c for c in [CEILINGS, *MATMUL, *VECTORS]}


def build_peers(folder):
    """Compiles the peer programs; returns (those that run here, why each other one is absent)."""
    present, absent = {}, {}
    target = folder / "bench"
    target.mkdir(parents=True, exist_ok=True)
    for name, (source, libraries, how) in PEERS.items():
        command = ["g++", "-std=c++17", "-O2", str(ROOT / "tools" / "bench" / source), "-o", str(target / name)]
        done = subprocess.run(command + libraries + ["-lOpenCL"], capture_output=True, text=True)
        if done.returncode != 0:
            absent[name] = f"it cannot be compiled against here ({how})"
            continue
        present[name] = [str(target / name)]
        if not run(present[name] + ["dot", "1000"])[0]:
            del present[name]
            absent[name] = "its program does not run here"
    return present, absent


def core_types(command, size):
    """OpenBLAS has kernels for many processors, and picks badly on one that it does not know: tries those that this
    one can run. Returns the GFLOP/s of each at a size, {core type: rate}, that of its own choice under ""."""
    try:
        flags = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        flags = ""
    names = ["", *["HASWELL", "ZEN"] * ("avx2" in flags), *["SKYLAKEX", "COOPERLAKE"] * ("avx512f" in flags)]
    rates = {}
    for name in names:
        env = {"OPENBLAS_CORETYPE": name} if name else {}
        lines = [run(command + ["gemm", *[str(size)] * 3], env)[0] for _ in range(2)]
        if all(lines):
            rates[name] = max(line[0][1] for line in lines)
    return rates


def variants(found, cores):
    """The libraries as they are run: {name: (command, environment)}. OpenBLAS with its best kernels, on all cores and on
    one, cuBLAS in float precision and, another one, with numbers of 11 bits."""
    best = max(cores, key=cores.get, default="")
    env = {"OPENBLAS_CORETYPE": best} if best else {}
    peers = {}
    for name, command in found.items():
        peers[name] = (command, env if name == "OpenBLAS" else {})
        if name == "OpenBLAS":
            peers["OpenBLAS, one thread"] = (command, {**env, "OPENBLAS_NUM_THREADS": "1"})
        if name == "cuBLAS":
            peers["cuBLAS, TF32"] = (command, {"NVIDIA_TF32_OVERRIDE": "1"})
    return peers


def machine(device):
    """What the record says of the machine: {what: text}, by what each tool prints, if it is there."""

    def said(*command):
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout.strip()
        except (OSError, subprocess.TimeoutExpired):
            return ""

    every = os.cpu_count()
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else every  # fewer under taskset
    cpu = re.search(r"^model name\s*: (.*)$", said("cat", "/proc/cpuinfo"), re.M)
    record = {
        "processor": f"{own if own == every else f'{own} of {every}'} cores, {cpu[1] if cpu else platform.processor()}",
        "system": f"{platform.system()} {platform.release()}",
        "load at the beginning": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "",
    }
    if "NVIDIA" in device:
        what = "driver_version,clocks.sm,clocks.max.sm,clocks.mem,power.limit,temperature.gpu"
        record["GPU"] = said("nvidia-smi", f"--query-gpu={what}", "--format=csv,noheader")
        record["GPU's columns"] = what
    return {what: text for what, text in record.items() if text}


def run(command, env=None):
    """Runs a program once; returns its lines with a time as (what, rate), and why there are none."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env={**os.environ, **(env or {})})
    if done.returncode != 0 or not done.stdout.endswith("PASSED\n"):
        say(f"FAILED: {shlex.join(map(str, command))}\n{done.stdout[-600:]}{done.stderr[-600:]}")
        fits = done.returncode != 2 or TOO_LARGE not in done.stderr
        return [], "failed" if fits else "too large for this device"
    lines = [
        (m[1], float(m[2]))
        for m in re.finditer(r"^time +(.*?):? [\d.]+ ms, ([\d.]+) G(?:B|FLOP)/s$", done.stdout, re.M)
    ]
    return lines, "" if lines else "failed"


def ceilings(program, quick):
    """Runs chapter 15 once. Returns the device and its ceilings: the highest of its GB/s, and its GFLOP/s."""
    done = subprocess.run([program] + (["65536"] if quick else []), capture_output=True, text=True)
    found = re.search(CEILINGS_PATTERN, done.stdout)
    if done.returncode != 0 or not found:
        raise SystemExit(done.stdout + done.stderr)
    *bandwidths, arithmetic = map(float, found.groups())
    return re.search(r"^device +(.*)$", done.stdout, re.M)[1], (max(bandwidths), arithmetic)


def series_of(names, lines):
    """The rates that a program's lines stand for, by the name of the series: of several lines, the last."""
    return {name: rate for what, rate in lines for start, name in names.items() if what.startswith(start)}


def measure(out, table, sizes, names, programs, peers, words, rounds, keep):
    """All programs of `names` at all sizes, interleaved. After each size it writes the table and hands `keep` the sizes
    so far, what was left out, and what chapter 20 chose: {size: shape}."""
    results, left_out, chosen = {}, {}, {}
    for at, size in enumerate(sizes):
        seconds = {}  # that each program took at this size
        for r in range(rounds):
            say(f"{TITLES[table]}: size {size} ({at + 1} of {len(sizes)}), round {r + 1} of {rounds}")
            for name, (command, env) in {**{p: ([programs[p]], None) for p in names}, **peers}.items():
                if name in left_out or seconds.get(name, 0) > ENOUGH:
                    continue
                start = time.monotonic()
                lines, why = run(command + words(size), env)
                seconds[name] = seconds.get(name, 0) + time.monotonic() - start
                if not lines:
                    left_out[name] = f"{why} at {size}"
                    continue
                if name in CHAPTERS and "chooses" in CHAPTERS[name].BENCH:
                    chosen[size] = lines[0][0]
                for series, rate in series_of(names.get(name, {"": name}), lines).items():
                    results.setdefault(series, {}).setdefault(size, []).append(rate)
        if table != "shapes":  # whose sizes do not ascend
            slow = {name: f"too slow for more than {size}" for name, took in seconds.items() if took > ENOUGH}
            left_out = {**slow, **left_out}  # one that failed has failed, however long it took
        tables.write(out / f"{table}.csv", results, UNITS[table])
        keep(sizes[: at + 1], left_out, chosen)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--out", type=pathlib.Path, default=ROOT / "build/results")
    options.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options.add_argument("--quick", action="store_true", help="few sizes, one round")
    options.add_argument("--rounds", type=int, help="default 5, 1 with --quick")
    options.add_argument("--only", type=tables_of, default=list(TITLES), help="these tables: matmul,shapes,vectors")
    options.add_argument("--device", help="OCL_DEVICE for all programs: gpu, cpu, part of a name")
    options.add_argument("--sizes", type=numbers(1), help="for (a) instead of the default, such as 1024,2048")
    options.add_argument("--lengths", type=numbers(0), help="for (b), as powers of two, such as 20,26")
    args = options.parse_args()
    if args.rounds is not None and args.rounds < 1:
        options.error("argument --rounds: at least 1")
    # PoCL's threads sleep between kernels and may wake on the same core; OpenBLAS's wait awake.
    os.environ.setdefault("POCL_AFFINITY", "1")
    if args.device:
        os.environ["OCL_DEVICE"] = args.device
    args.build = args.build.resolve()
    programs = build(args.build)
    found, absent = build_peers(args.build)

    # Chapter 20 searches anew: what it remembers of another day is another day's.
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        return benchmark(args, programs, found, absent)


def benchmark(args, programs, found, absent):
    """Measures and writes everything; returns the exit code."""
    device, first = ceilings(programs[CEILINGS], args.quick)
    seen = [first]  # before, between and after the rest: other users of the machine come and go
    gpu = first[1] > 5000  # fast enough for large sizes
    cuda_device = "NVIDIA" in device
    if "cuBLAS" in found and not cuda_device:
        absent["cuBLAS"] = "not run: the chapters run on another device here"
        del found["cuBLAS"]
    for name in ON_THE_CPU & found.keys() if cuda_device else []:
        absent[name] = "not run: it computes on the CPU, the chapters on a GPU here"
        del found[name]
    out = args.out
    record = {"runs": {}, "GB/s": 0, "GFLOP/s": 0}
    if args.only != list(TITLES) and (out / "record.json").exists():
        record = json.loads((out / "record.json").read_text())
        if record["device"] != device or "runs" not in record:
            of = "an older record" if "runs" not in record else f"of another device, {record['device']}"
            raise SystemExit(f"{out} is {of}: choose another --out, or leave out --only")
    known = machine(device)
    cores = core_types(found["OpenBLAS"], 64 if args.quick else 1024) if "OpenBLAS" in found else {}
    if cores:
        known["OpenBLAS by core type, GFLOP/s"] = {name or "its own choice": rate for name, rate in cores.items()}
    peers = variants(found, cores)
    products = {name: ([*command, "gemm"], env) for name, (command, env) in peers.items()}
    dots = {name: ([*command, "dot"], env) for name, (command, env) in peers.items() if name != "cuBLAS, TF32"}
    if not cuda_device:  # a library's dot product runs on one core
        *_, (last, of) = VECTORS.items()
        dots[f"{of['both']}, one core"] = ([programs[last]], {"POCL_MAX_PTHREAD_COUNT": "1", "POCL_AFFINITY": "0"})
    rounds = args.rounds or (1 if args.quick else 5)
    if args.sizes:
        sizes = sorted(args.sizes)  # what does not fit at a size is not tried at larger ones
    else:
        sizes = [256, 1024] if args.quick else [64, 128, 256, 512, 1024, 2048, 4096] + [8192] * gpu
    if args.lengths:
        lengths = [2**p for p in sorted(args.lengths)]
    else:
        lengths = [2**p for p in ((16, 24) if args.quick else range(10, 29, 2))]

    def three(size):  # "1024", or "4000,4000,4004"
        return (str(size).split(",") * 3)[:3]

    def one(size):
        return [str(size)]

    work = {  # what is run: (sizes, chapters, libraries, their sizes as words)
        "matmul": (sizes, MATMUL, products, three),
        # The last ones of the walk alone: those before are no match for a library at any shape.
        "shapes": (["1000"] if args.quick else SHAPES, dict(list(MATMUL.items())[-2:]), products, three),
        "vectors": (lengths, VECTORS, dots, one),
    }
    out.mkdir(parents=True, exist_ok=True)
    for table in args.only:
        at, chapters, libraries, arguments = work[table]
        if table == "shapes" and "matmul" in record["runs"]:
            slow = record["runs"]["matmul"]["left out"]
            chapters = {name: series for name, series in chapters.items() if name not in slow}
            libraries = {name: peer for name, peer in libraries.items() if name not in slow}

        def keep(done, left_out, chosen, table=table, planned=at):
            if done == planned:
                seen.append(ceilings(programs[CEILINGS], args.quick)[1])
            record["runs"][table] = {
                "command": f"tools/bench/run.py {shlex.join(sys.argv[1:])}".strip(),
                "date": time.strftime("%Y-%m-%d", time.gmtime()),
                "rounds": rounds,
                "not run": [str(size) for size in planned[len(done) :]],
                "left out": left_out,
                "chosen": chosen,
            }
            record.update({
                "device": device,
                "GB/s": max(record["GB/s"], *[one[0] for one in seen]),
                "GFLOP/s": max(record["GFLOP/s"], *[one[1] for one in seen]),
                "FLOP per byte": FLOP_PER_BYTE,
                "POCL_AFFINITY": os.environ["POCL_AFFINITY"],
                "absent": absent,
                "libraries": {name: env for name, (_, env) in peers.items()},
                "machine": known,
            })  # fmt: skip
            (out / "record.json").write_text(json.dumps(record, indent=1) + "\n")

        measure(out, table, at, chapters, programs, libraries, arguments, rounds, keep)
    page.write(out)
    failed = [
        why for table in args.only for why in record["runs"][table]["left out"].values() if why.startswith("failed")
    ]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
