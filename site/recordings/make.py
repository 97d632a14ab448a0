"""Records the launches of launches.py, each into CHAPTER.json beside this file; README.md describes what is in one.

    python3 site/recordings/make.py [06 ...]      (default: all)

Needs Oclgrind 21.10 with its headers (Debian 12: apt install oclgrind liboclgrind-dev llvm-14-dev g++). The plugin
that records is built into build/recordings/.
"""

import hashlib
import itertools
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import commands
import what_if
from launches import LAUNCHES, QUEUES

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(os.environ.get("BUILD_DIR", ROOT / "build")) / "recordings"
SIZES = {"float": 4, "float4": 4, "uint": 4, "int": 4, "ulong": 8}


def plugin():
    """The path of the plugin, built where it is older than its source."""
    source, library = HERE / "recorder.cpp", BUILD / "librecorder.so"
    tools = [*map(shutil.which, ("oclgrind-kernel", "g++", "llvm-config-14"))]
    if not all(tools) or not pathlib.Path("/usr/include/oclgrind/Plugin.h").exists():
        raise SystemExit(
            "Oclgrind is missing, or what it is built against (Debian 12: apt install oclgrind liboclgrind-dev llvm-14-dev g++)"
        )
    if not library.exists() or library.stat().st_mtime < source.stat().st_mtime:
        BUILD.mkdir(parents=True, exist_ok=True)
        folders = subprocess.check_output([tools[2], "--includedir", "--libdir"], encoding="utf-8").split()
        command = "g++ -std=c++17 -O1 -Wall -Wextra -fPIC -shared -fno-rtti -isystem".split()
        libraries = ["-L" + folders[1], "-loclgrind", "-lLLVM-14"]
        subprocess.run([*command, folders[0], source, "-o", library, *libraries], check=True)
    return library


def parameters(source, kernel):
    """A kernel's parameters as its source has them: [(name, space, type of an element), ...]."""
    text = re.sub(r"//[^\n]*", "", source)
    found = re.search(rf"__kernel\b(?:(?!__kernel)[^;{{])*?\b{kernel}\(([^)]*)\)\s*{{", text)
    if found is None:
        raise SystemExit(f"no kernel {kernel} in the source")
    result = []
    for text in found.group(1).split(","):
        words = re.sub(r"\b(const|restrict|volatile)\b", " ", text).replace("*", " ").split()
        space = words[0].strip("_") if words[0].startswith("__") else "value"
        result.append((words[-1], space, {"VECTOR": "float4"}.get(words[-2], words[-2])))  # 16 is recorded in fours
    return result


def bits(value, kind):
    """A number of a buffer as the unsigned number of its bits: Oclgrind reads no NaN. A whole number that is none has
    all bits set."""
    if value is None:
        return 0x7FC00000 if kind.startswith("float") else 2 ** (8 * SIZES[kind]) - 1
    return struct.unpack("<I", struct.pack("<f", value))[0] if kind.startswith("float") else value


def simulation(launch, kernel, names, path):
    """The file that oclgrind-kernel takes: https://github.com/jrprice/Oclgrind/wiki/Running-Kernels-with-oclgrind-kernel"""
    three = lambda sizes: " ".join(map(str, [*sizes, 1, 1][:3]))  # noqa: E731
    lines = [str(kernel), launch["kernel"]]
    lines += [three(launch["global"]), three(launch["local"])]
    for value, (_, _, kind) in zip(launch["arguments"], names):
        size = SIZES[kind]
        if isinstance(value, dict):
            lines.append(f"<size={size * value['local']}>")
        elif isinstance(value, list):
            unsigned = {4: "uint", 8: "ulong"}[size]
            lines.append(f"<size={size * len(value)} {unsigned}> " + " ".join(str(bits(v, kind)) for v in value))
        else:
            lines.append(f"<size={size}> {value}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def number(raw, kind):
    """An element's bytes as a number: 3, 0.5, nan."""
    value = struct.unpack({"float": "<f", "int": "<i", "uint": "<I", "ulong": "<Q"}[kind], raw)[0]
    if isinstance(value, float) and not math.isnan(value):
        return str(int(value)) if value == int(value) else repr(value)
    return str(value)


def shown(source, functions):
    """The lines of the functions of a program: [[number, text], ...]."""
    lines = source.splitlines()
    numbers = set()
    for function in functions:
        at = next(i for i, line in enumerate(lines) if re.match(rf"(?!//|#|\s).*\b{function}\(|{function}\(", line))
        while at and re.match(r"__kernel|\w", lines[at - 1]):
            at -= 1
        end = next(i for i in range(at, len(lines)) if lines[i] == "}")
        numbers.update(range(at, end + 1))
    return [[i + 1, lines[i]] for i in sorted(numbers)]


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def run(launch, kernel, names, **environment):
    library = plugin()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        simulation(launch, kernel, names, folder / "launch.sim")
        command = ["oclgrind-kernel", "--num-threads", "1", "--plugins", library]
        command += ["--build-options", f"-cl-opt-disable {launch.get('options', '')}".strip(), folder / "launch.sim"]
        env = {**os.environ, "RECORDER_OUT": str(folder / "out"), "XDG_CACHE_HOME": name, **environment}
        done = subprocess.run(command, env=env, capture_output=True, text=True, encoding="utf-8")
        if done.returncode != 0 or done.stderr.strip():
            raise SystemExit(f"{launch['chapter']}: Oclgrind ends with {done.returncode}\n{done.stdout}{done.stderr}")
        return (folder / "out").read_text().splitlines()


def record(launch):
    """The recording of a launch, as text."""
    if launch in QUEUES:
        return commands.record(launch, digest)
    kernel = ROOT / launch["chapter"] / "kernel.cl"
    source = kernel.read_text()
    names = parameters(source, launch["kernel"])
    out = run(launch, kernel, names)
    version = re.search(r"Oclgrind [\d.]+", subprocess.run(["oclgrind-kernel", "--version"], capture_output=True, text=True).stdout).group()  # fmt: skip
    variables, functions, runs = [], [], []
    for (variable, space, kind), value in zip(names, launch["arguments"]):
        elements = value["local"] if isinstance(value, dict) else len(value) if isinstance(value, list) else None
        variables.append({"name": variable, "space": space, "type": kind.rstrip("4")})
        variables[-1].update({"elements": elements} if elements else {})
    kinds = {variable["name"]: variable["type"] for variable in variables}
    for line in out:
        what, _, rest = line.partition(" ")
        if what == "variable":
            long_name, space, kind, count = rest.split()
            variable = long_name.split(".")[-1]
            if not long_name.startswith(launch["kernel"] + "."):
                continue  # of another kernel of the same file
            kinds[variable] = {"f": "float", "i32": "int"}[kind]
            variables.append({"name": variable, "space": "local", "type": kinds[variable], "elements": int(count)})
        elif what == "function":
            functions.append(rest)
        else:
            item, line, *words = rest.split()
            if what == "barrier":
                text = f"{line} b"
            else:
                kind, variable, offset, size, raw = words
                variable = variable.split(".")[-1]
                element = SIZES[kinds[variable]]
                raw = bytes.fromhex(raw)
                values = [number(raw[i : i + element], kinds[variable]) for i in range(0, int(size), element)]
                letter = {"load": "r", "store": "w", "atomic": "x"}[kind]
                text = f"{line} {letter} {variable} {int(offset) // element} {','.join(values)}"
            runs.append((item, text))

    def programs(text):
        """The functions of this kernel in all its versions in a text, as JSON."""
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".cl") as file:
            file.write(text)
            file.flush()
            found = run(launch, pathlib.Path(file.name), names, RECORDER_PROGRAMS="1")
        return [line[9:] for line in found if line.startswith("function ")]

    used = [re.search(r'"name":"([^"]*)"', f).group(1) for f in functions]
    head = {
        "recorded": f"{version}, LLVM 14",
        "kernel_file": f"{launch['chapter']}/kernel.cl",
        "digest": digest(source),
        "launch": launch,
        "variables": variables,
        "source": shown(source, used),
    }
    lines = [f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False, separators=(',', ':'))}" for k, v in head.items()]
    groups = itertools.groupby(runs, lambda run: run[0])
    stretches = [json.dumps(f"{item}: {'; '.join(text for _, text in some)}") for item, some in groups]
    lines.append('"program": [\n' + ",\n".join(functions) + "\n]")
    lines.append('"accesses": [\n' + ",\n".join(stretches) + "\n]")
    if (what_if.FOLDER / f"{launch['chapter']}.txt").exists():
        lines.append(what_if.recorded(launch["chapter"], source, launch["pocl"], used, programs))
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    json.loads(text)
    return text


def main():
    words = sys.argv[1:]
    there = {launch["chapter"][:2]: launch for launch in [*LAUNCHES, *QUEUES]}
    if not set(words) <= set(there):
        raise SystemExit(f"no such recording: {' '.join(words)}; there are {' '.join(there)}")
    for launch in [there[word] for word in words or there]:
        text = record(launch)
        (HERE / f"{launch['chapter']}.json").write_text(text, encoding="utf-8")
        print(f"{launch['chapter']}.json: {len(text.encode())} bytes")


if __name__ == "__main__":
    main()
