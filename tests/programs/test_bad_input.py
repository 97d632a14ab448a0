"""What each chapter refuses: arguments that make no sense, sizes that do not fit, a machine without a device, a full
disk, a kernel file that is broken. (What common/ says of each, word by word: tests/common/common_test.cpp.)

Each case states the exit code and what standard error must say; no case may print PASSED or crash.
"""

import pathlib
import shutil
import tempfile

from tests import chapter_facts, running

# Numbers of elements, or of bytes, that wrap in 32 or in 64 bits.
VECTORS = [(2**61 + 1,), (2**62 + 5,), (2**63,), (2**64 - 1,), (2**64 // 12 + 1,)]
MATRICES = [
    (2**32, 2**32, 1),
    (2**32, 1, 2**32),
    (1, 2**32, 2**32),
    (2**31 + 1, 2**33, 1),
    (2**62, 1, 1),
    (1, 2**61, 2),
]
OWN_MEMORY = running.ROOT / "tests" / "devices" / "bare-accelerator.txt"


class Cases:
    def __init__(self, report, chapter):
        self.report, self.known = report, chapter_facts.of(chapter)
        self.chapter, self.program, self.usage = chapter, running.program(chapter), f"usage: {chapter}"

    def case(self, what, command, code, *texts, **options):
        """Runs a command; it must end with `code` and say every one of `texts` on standard error."""
        self.judge(what, running.run(command, **options), code, texts)

    def judge(self, what, ended, code, texts):
        got, out, err = ended
        wrong = running.crashed(got, err)
        wrong += [f"exit code {got}, where {code} was expected"] * (got != code)
        wrong += ["PASSED was printed"] * ("PASSED" in out + err)
        wrong += [f"standard error does not say {text!r}" for text in texts if text not in err]
        self.report.must(f"{what}: {(err.strip().splitlines() or ['nothing'])[0]}", not wrong, f"{wrong}\n{err}")


def arguments(test):
    parameters, known = test.known.PARAMETERS, test.known
    test.case("too many", [test.program, *["7"] * (len(parameters) + 1)], 2, "first one too many: 7", test.usage)
    for i in range(len(parameters)):
        test.case(f"argument {i + 1} 12x", [test.program, *["10"] * i, "12x"], 2, "digits only): 12x", test.usage)
        test.case(f"argument {i + 1} 0", [test.program, *["10"] * i, "0"], 2, test.usage)
    depends = any(only_if for _, _, *only_if in known.BAD_ARGUMENTS)
    says = running.run([test.program, *known.TINY_SIZE])[1] if depends else ""
    for words, message, *only_if in known.BAD_ARGUMENTS:
        if not all(what in says for what in only_if):
            continue
        test.case(" ".join(words), [test.program, *words], 2, message, test.usage)
    for size in (MATRICES if known.IS_MATRIX else VECTORS) if parameters else []:
        test.case(f"{size}", [test.program, *map(str, size)], 2, "too large for this ", test.usage)
    code, out, err = running.run([test.program, "12x", "--help"])
    test.report.must("--help", code == 0 and test.usage in out and not err, out + err)


def too_little_memory(test, size):
    """The layer says that the device has 64 bytes less than the program's buffers take together (so the buffer of a
    single number need not be in its list): refused before the first of them is made. The same with the host's copies,
    where these are in the same memory; on a device with a memory of its own no copies count."""
    command = [test.program, *size]
    for profile in (None, OWN_MEMORY):
        needed = running.under_layer(command, profile=profile)[3].bytes_at_most
        needed *= 1 if profile else 2
        *ended, _ = running.under_layer(command, memory=needed, profile=profile)
        test.report.must(f"{needed} bytes are enough", not running.not_passed(*ended), str(ended))
        *ended, account = running.under_layer(command, memory=needed - 64, profile=profile)
        test.judge(f"{needed - 64} bytes", ended, 2, ["too large for this device: ", test.usage])
        test.report.must("no buffer is made first", "clCreateBuffer" not in account.calls)


def machines(test, folder):
    test.case("no platform", [test.program], 1, "CL_PLATFORM_NOT_FOUND_KHR", env={"OCL_ICD_VENDORS": str(folder)})
    if test.chapter != running.CHAPTERS[0]:  # which takes the first device there is
        wish = {"OCL_DEVICE": "no such device"}
        test.case("no such device", [test.program], 1, "no OpenCL device matches OCL_DEVICE=no such device", env=wish)
    for buffering in ["", "stdbuf -o0"]:
        full = ["sh", "-c", f'exec {buffering} "$0" "$@" >/dev/full', test.program, *test.known.TINY_SIZE]
        test.case(f"a full disk {buffering}", full, 1, "standard output could not be", env=running.remembering(folder))


def kernels(test, folder):
    """The program looks beside itself first, so a copy of it beside a broken kernel file takes that."""
    sources = sorted((running.ROOT / test.chapter).glob("*.cl"))
    sources = [source for source in sources if "asm volatile(" not in source.read_text()]  # built on no device here
    command = [shutil.copy(test.program, folder), *(test.known.SEARCH_SIZE or test.known.TINY_SIZE)]
    for source in sources:
        shutil.copy(source, folder)
    for source in sources:
        kernel, text, env = folder / source.name, source.read_text(), running.remembering(folder / "cache")
        kernel.write_text("")
        test.case(f"{kernel.name} is empty", command, 1, "empty")
        kernel.write_text(
            text + "".join(f"#warning {i}\n" for i in range(400)) + "void broken() { no_such_name = 1; }\n"
        )
        code, out, err = running.run(command, env=env)
        if test.known.SEARCH_SIZE:
            left_out = "CL_BUILD_PROGRAM_FAILURE (-11), left out" in err and not running.not_passed(code, out, err)
            test.report.must(f"{kernel.name} with a mistake: its candidates are left out", left_out, out + err)
        else:
            said = ["CL_BUILD_PROGRAM_FAILURE", "no_such_name", "399"]
            test.judge(f"{kernel.name} with a mistake: the whole log", (code, out, err), 1, said)
        kernel.write_text(text)


def test_bad_input(report, chapter):
    test = Cases(report, chapter)
    arguments(test)
    if test.known.PARAMETERS:
        for size in [["100", "120", "80"], ["100", "120", "1"]] if test.known.IS_MATRIX else [["1000003"]]:
            too_little_memory(test, size)
    with tempfile.TemporaryDirectory() as name:
        machines(test, pathlib.Path(name))
        kernels(test, pathlib.Path(name))
