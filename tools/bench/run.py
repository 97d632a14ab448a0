#!/usr/bin/env python3
"""Runs the chapter programs and the libraries people would use instead, side by side.

    tools/bench/run.py [--out FOLDER] [--quick] [--rounds 5] [--only matmul,shapes,vectors]
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
one. A library that is not there is named as absent. OCL_DEVICE says which device. With --only, the other tables in --out stay, if
they are of the same device.
"""

import argparse
import ctypes
import ctypes.util
import glob
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
from tables import BENCH, MATMUL, ROOT, TITLES, UNITS, VECTORS

# The chapter that measures what this machine can do, and how it says so.
CEILINGS = "15-device-ceilings"
CEILINGS_PATTERN = r"ceilings: ([\d.]+|-?nan) GB/s read, ([\d.]+|-?nan) GB/s copied, ([\d.]+|-?nan) GFLOP/s"

CUDA = os.environ.get("CUDA_HOME", "/usr/local/cuda")
PEERS = {  # name: source, what to compile and link it with, how to get it
    "OpenBLAS": (
        "peer_blas.cpp",
        ["-lopenblas"],
        "on Debian and Ubuntu: apt install libopenblas-dev libopenblas0-openmp",
    ),
    "cuBLAS": (
        "peer_cublas.cpp",
        [f"-I{CUDA}/include", f"-L{CUDA}/lib64", f"-Wl,-rpath,{CUDA}/lib64", "-lcublas", "-lcudart"],
        "it comes with CUDA",
    ),
}
# Others than squares: rows of odd length, of no whole tile, thin, wide, and a small C with a long K.
SHAPES = ["1023", "4000,4000,4004", "4095,4001,4007", "3000,100,5000", "16384,16,4096", "64,64,100000"]
ENOUGH = 60  # seconds that a program may take at a size before another round is not begun


def numbers(text):
    return sorted(int(word) for word in text.split(","))  # what does not fit at a size is not tried at larger ones


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(command, env=None):
    """Runs a program once; returns its lines with a time as (what, rate), and why there are none."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env={**os.environ, **(env or {})})
    if done.returncode != 0 or not done.stdout.endswith("PASSED\n"):
        say(f"FAILED: {shlex.join(map(str, command))}\n{done.stdout[-600:]}{done.stderr[-600:]}")
        too_large = done.returncode == 2 and "too large for this" in done.stderr  # as a chapter says it
        return [], "too large for this device" if too_large else "failed"
    lines = re.findall(r"(?m)^time +(.*?):? [\d.]+ ms, ([\d.]+) G(?:B|FLOP)/s$", done.stdout)
    return [(what, float(rate)) for what, rate in lines], "" if lines else "failed"


def build(folder):
    """Builds the chapters into `folder`; returns where each program lies."""
    say(f"building the chapters in {folder}")
    for command in (["-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release"], ["--build", folder, "--parallel"]):
        subprocess.run(["cmake", *command], check=True, stdout=subprocess.DEVNULL)
    return {c: folder / c / c for c in [CEILINGS, *MATMUL, *VECTORS]}


def build_peers(folder, on_gpu):
    """Compiles the peer programs; returns (those that run here, why each other one is absent)."""
    present, absent = {}, {}
    folder.mkdir(parents=True, exist_ok=True)
    for name, (source, libraries, how) in PEERS.items():
        program = folder / name
        command = ["g++", "-std=c++17", "-O2", ROOT / "tools" / "bench" / source, "-o", program, *libraries, "-lOpenCL"]
        if (name == "cuBLAS") != on_gpu:
            absent[name] = "not run: the chapters run on another device here"
        elif subprocess.run(command, capture_output=True).returncode != 0:
            absent[name] = f"it cannot be compiled against here ({how})"
        elif not run([program, "dot", "1000"])[0]:
            absent[name] = "its program does not run here"
        else:
            present[name] = program
    return present, absent


def core_types(program, size):
    """OpenBLAS has kernels for many processors, and picks badly on one that it does not know: tries those that this
    one can run. Returns the GFLOP/s of each at a size, {core type: rate}, that of its own choice under ""."""
    flags = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8") if os.path.exists("/proc/cpuinfo") else ""
    rates = {}
    for name in ["", *["HASWELL", "ZEN"] * ("avx2" in flags), *["SKYLAKEX", "COOPERLAKE"] * ("avx512f" in flags)]:
        env = {"OPENBLAS_CORETYPE": name} if name else {}
        lines = [run([program, "gemm", *[str(size)] * 3], env)[0] for _ in range(2)]
        if all(lines):
            rates[name] = max(line[0][1] for line in lines)
    return rates


def variants(found, cores):
    """The libraries as they are run: {name: (program, environment)}. OpenBLAS with its best kernels, on all cores and on
    one; its other build, whose threads can be bound to cores as PoCL's are; cuBLAS in float precision and, another one, with
    numbers of 11 bits."""
    best = max(cores, key=cores.get, default="")
    env = {"OPENBLAS_CORETYPE": best} if best else {}
    peers = {}
    if program := found.get("OpenBLAS"):
        peers["OpenBLAS"] = (program, env)
        peers["OpenBLAS, one thread"] = (program, {**env, "OPENBLAS_NUM_THREADS": "1"})
        for folder in glob.glob("/usr/lib/*/openblas-openmp"):
            bound = {"LD_LIBRARY_PATH": folder, "OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}
            peers["OpenBLAS, bound"] = (program, {**env, **bound})
    if program := found.get("cuBLAS"):
        peers["cuBLAS"] = (program, {})
        peers["cuBLAS, TF32"] = (program, {"NVIDIA_TF32_OVERRIDE": "1"})
    return peers


def version(library):
    """What a library says of itself; of cuBLAS, the name of its file."""
    if library != "OpenBLAS":
        return pathlib.Path(f"{CUDA}/lib64/libcublas.so").resolve().name
    try:
        config = ctypes.CDLL(ctypes.util.find_library("openblas")).openblas_get_config
    except (OSError, AttributeError):  # it lies where only the compiler looks
        return "not known"
    config.restype = ctypes.c_char_p
    return config().decode()


def machine(on_gpu, load, libraries):
    """What the record says of the machine: {what: text}."""
    info = pathlib.Path("/proc/cpuinfo")
    text = info.read_text(encoding="utf-8") if info.exists() else ""
    cpu = re.search(r"(?m)^model name\s*: (.*)$", text)
    kind = re.findall(r"(?m)^(cpu family|model|stepping)\s*: (.*)$", text)[:3]  # a virtual machine's name may hide it
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()  # fewer under taskset
    record = {
        "processor": f"{own} of {os.cpu_count()} cores, {cpu[1] if cpu else platform.processor()}",
        "processor's kind": ", ".join(f"{what} {number}" for what, number in kind) or platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
        "load at the beginning": load,
        **{library: version(library) for library in libraries},
    }
    if on_gpu:
        what = record["GPU's columns"] = "driver_version,clocks.sm,clocks.max.sm,clocks.mem,power.limit,temperature.gpu"
        command = ["nvidia-smi", f"--query-gpu={what}", "--format=csv,noheader"]
        record["GPU"] = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    return record


def ceilings(program, quick):
    """Runs chapter 15 once. Returns the device and its ceilings: the highest of its GB/s, and its GFLOP/s."""
    done = subprocess.run([program] + (["65536"] if quick else []), capture_output=True, text=True)
    found = re.search(CEILINGS_PATTERN, done.stdout)
    if done.returncode != 0 or not found:
        raise SystemExit(done.stdout + done.stderr)
    *bandwidths, arithmetic = map(float, found.groups())
    return re.search(r"(?m)^device +(.*)$", done.stdout)[1], (max(bandwidths), arithmetic)


def measure(table, sizes, names, commands, words, rounds):
    """All programs at all sizes, interleaved. After each size: the rates, {series: {size: [rate of each round]}}, what was
    left out, and what chapter 20 chose, {size: shape}."""
    results, left_out, chosen = {}, {}, {}
    for size in sizes:
        seconds = dict.fromkeys(commands, 0.0)  # that each program took at this size
        for r in range(rounds):
            say(f"{TITLES[table]}: size {size}, round {r + 1} of {rounds}")
            for name, (command, env) in commands.items():
                if name in left_out or seconds[name] > ENOUGH:
                    continue
                start = time.monotonic()
                lines, why = run([*command, *words(size)], env)
                seconds[name] += time.monotonic() - start
                if not lines:
                    left_out[name] = f"{why} at {size}"
                if lines and "chooses" in BENCH.get(name, {}):
                    chosen[size] = lines[0][0]
                # The rates that a program's lines stand for: of several lines of a series, the last.
                known = names.get(name, {"": name}).items()
                series = {series: rate for what, rate in lines for start, series in known if what.startswith(start)}
                for one, rate in series.items():
                    results.setdefault(one, {}).setdefault(size, []).append(rate)
        if table != "shapes":  # whose sizes do not ascend
            slow = {name: f"too slow for more than {size}" for name, took in seconds.items() if took > ENOUGH}
            left_out = {**slow, **left_out}  # one that failed has failed, however long it took
        yield results, left_out, chosen


def arguments():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--out", type=pathlib.Path, default=ROOT / "build/results")
    options.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options.add_argument("--quick", action="store_true", help="few sizes, one round")
    options.add_argument("--rounds", type=int, help="default 5, 1 with --quick")
    options.add_argument("--only", default=",".join(TITLES), help="these tables: matmul,shapes,vectors")
    options.add_argument("--sizes", type=numbers, help="of matrices, instead of the default, such as 1024,2048")
    options.add_argument("--lengths", type=numbers, help="of vectors, as powers of two, such as 20,26")
    args = options.parse_args()
    args.only = args.only.split(",")
    if not set(args.only) <= set(TITLES):
        options.error(f"argument --only: there are {', '.join(TITLES)}")
    return args


def main():
    args = arguments()
    load = f"{os.getloadavg()[0]:.1f}"  # before this program's own work
    # PoCL's threads sleep between kernels and may wake on the same core.
    os.environ.setdefault("POCL_AFFINITY", "1")
    programs = build(args.build.resolve())
    # Chapter 20 searches anew: what it remembers of another day is another day's.
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        return benchmark(args, programs, load)


def benchmark(args, programs, load):
    device, first = ceilings(programs[CEILINGS], args.quick)
    seen = [first]  # before, between and after the rest: other users of the machine come and go
    fast, on_gpu = first[1] > 5000, "NVIDIA" in device
    found, absent = build_peers(args.build.resolve() / "bench", on_gpu)
    record = {"runs": {}, "GB/s": 0, "GFLOP/s": 0}
    if set(args.only) != set(TITLES) and (args.out / "record.json").exists():
        record = json.loads((args.out / "record.json").read_text())
        if record["device"] != device:
            raise SystemExit(f"{args.out} is of another device, {record['device']}: choose another --out")
    known = machine(on_gpu, load, found)
    cores = core_types(found["OpenBLAS"], 64 if args.quick else 1024) if "OpenBLAS" in found else {}
    if cores:
        known["OpenBLAS by core type, GFLOP/s"] = {name or "its own choice": rate for name, rate in cores.items()}
    peers = variants(found, cores)
    products = {name: ([program, "gemm"], env) for name, (program, env) in peers.items()}
    dots = {name: ([program, "dot"], env) for name, (program, env) in peers.items() if name != "cuBLAS, TF32"}
    if not on_gpu:  # a library's dot product runs on one core
        *_, (last, of) = VECTORS.items()
        dots[f"{of['both']}, one core"] = ([programs[last]], {"POCL_MAX_PTHREAD_COUNT": "1", "POCL_AFFINITY": "0"})
    rounds = args.rounds or (1 if args.quick else 5)
    sizes = args.sizes or ([256, 1024] if args.quick else [64, 128, 256, 512, 1000, 1024, 2048, 4096] + [8192] * fast)
    powers = args.lengths or ((16, 24) if args.quick else range(10, 29, 2))
    # The last ones of the walk: those before are no match for a library at any shape.
    last_two = dict(list(MATMUL.items())[-2:])
    work = {  # what is run: (sizes, chapters, libraries, a size as words)
        "matmul": (sizes, MATMUL, products, lambda size: [str(size)] * 3),
        "shapes": (SHAPES[:1] if args.quick else SHAPES, last_two, products, lambda size: (size.split(",") * 3)[:3]),
        "vectors": ([2**power for power in powers], VECTORS, dots, lambda size: [str(size)]),
    }
    args.out.mkdir(parents=True, exist_ok=True)
    for table in args.only:
        planned, chapters, libraries, words = work[table]
        commands = {**{name: ([programs[name]], None) for name in chapters}, **libraries}
        if table == "shapes" and "matmul" in record["runs"]:
            slow = record["runs"]["matmul"]["left out"]
            commands = {name: command for name, command in commands.items() if name not in slow}
        steps = measure(table, planned, chapters, commands, words, rounds)
        for done, (results, left_out, chosen) in enumerate(steps, 1):
            tables.write(args.out / f"{table}.csv", results, UNITS[table])
            if done == len(planned):
                seen.append(ceilings(programs[CEILINGS], args.quick)[1])
            record["runs"][table] = {
                "command": f"tools/bench/run.py {shlex.join(sys.argv[1:])}".strip(),
                "date": time.strftime("%Y-%m-%d", time.gmtime()),
                "rounds": rounds,
                "not run": [str(size) for size in planned[done:]],
                "left out": left_out,
                "chosen": chosen,
            }
            record.update({
                "device": device,
                "GB/s": max(record["GB/s"], *[one[0] for one in seen]),
                "GFLOP/s": max(record["GFLOP/s"], *[one[1] for one in seen]),
                "FLOP per byte": {name: n for of in BENCH.values() for name, n in of.get("flop_per_byte", {}).items()},
                "POCL_AFFINITY": os.environ["POCL_AFFINITY"],
                "absent": absent,
                "libraries": {name: env for name, (_, env) in peers.items()},
                "machine": known,
            })  # fmt: skip
            (args.out / "record.json").write_text(json.dumps(record, indent=1) + "\n")
    page.write(args.out)
    return any(why.startswith("failed") for table in args.only for why in record["runs"][table]["left out"].values())


if __name__ == "__main__":
    sys.exit(main())
