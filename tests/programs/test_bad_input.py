"""Bad arguments, machines without OpenCL, and broken kernel files.

Each case states the exit code and what standard error must say; no case may print PASSED, crash,
or say nothing.
"""

import os
import pathlib
import re
import shutil
import tempfile

from tests import chapter_facts, running


class Cases:
    """The cases of one chapter: `case` makes one, and the report counts it."""

    def __init__(self, report, chapter):
        self.report, self.known = report, chapter_facts.of(chapter)
        self.chapter, self.program = chapter, running.program(chapter)
        self.usage = f"usage: {chapter}"

    def case(self, what, command, code, *texts, env=None, **options):
        """Runs a command; it must end with `code` and say every one of `texts` on standard error."""
        self.judge(what, running.run(command, env=env, **options), code, texts)

    def judge(self, what, ended, code, texts, wrong=()):
        got, out, err = ended
        wrong = list(wrong) + running.crashed(got, err)
        if got != code:
            wrong.append(f"exit code {got}, where {code} was expected")
        if "PASSED" in out + err:
            wrong.append("PASSED was printed")
        wrong += [f"standard error does not say {text!r}" for text in texts if text not in err]
        said = err.strip().splitlines() or ["nothing"]
        self.report.must(f"{what}: {said[0]}", not wrong, "; ".join(wrong) + "\nstandard error: " + err)


def bad_arguments(test):
    case, program, usage, parameters = test.case, test.program, test.usage, test.known.PARAMETERS
    if not parameters:
        for text in ["1", "0", ""]:
            case(f"argument {text!r}", [program, text], 2, "too many arguments", usage)
        case("three arguments", [program, "7", "8", "9"], 2, "first one too many: 7", usage)
        return
    for text, message in [
        ("0", "must be at least 1, not 0"),
        ("-1", "not a size (digits only): -1"),
        ("+1", "not a size (digits only): +1"),
        ("1e6", "not a size (digits only): 1e6"),
        ("12x", "not a size (digits only): 12x"),
        (" 12", "not a size (digits only):  12"),
        ("0x10", "not a size (digits only): 0x10"),
        ("", "not a size: an empty argument"),
        ("99999999999999999999", "too large a number"),
        (str(2**64), "too large a number"),
        (str(2**64 + 1), "too large a number"),
        (str(2**65 + 7), "too large a number"),
        ("1000000000000000", "too large for this "),
        (str(2**64 - 1), "too large for this "),
    ]:
        case(f"argument {text!r}", [program, text], 2, message, usage)
    for i in range(1, len(parameters)):
        case(f"argument {i + 1} 12x", [program] + ["10"] * i + ["12x"], 2, "not a size", usage)
    depends = any(only_if for _, _, *only_if in test.known.BAD_ARGUMENTS)
    says = running.run([program, *test.known.TINY_SIZE])[1] if depends else ""
    for arguments, message, *only_if in test.known.BAD_ARGUMENTS:
        if all(words in says for words in only_if):
            case(f"arguments {arguments}", [program, *arguments], 2, message, usage)
    case("too many arguments", [program] + ["7"] * (len(parameters) + 1), 2, "too many arguments", usage)
    case("some more", [program] + ["7"] * len(parameters) + ["8", "9", "10"], 2, "first one too many: 8", usage)


def help_goes_to_standard_output(test):
    """Also beside other arguments; and nothing to standard error, which `case` reads: they are swapped."""
    for arguments in (["--help"], ["-h"], ["12x", "--help"], ["1", "2", "3", "4", "-h"]):
        swapped = ["sh", "-c", 'test -z "$("$0" "$@" 3>&2 2>&1 1>&3)" || exit 3', test.program, *arguments]
        test.case(" ".join(arguments), swapped, 0, test.usage)


def too_little_memory(test):
    """The layer says that the device has 64 bytes less than the program's buffers take together (so the buffer
    of a single number need not be in its list): refused before the first of them is made. The same with the
    host's copies, where these are in the same memory."""
    if not test.known.PARAMETERS:
        return
    for size in [["100", "120", "80"], ["100", "120", "1"]] if test.known.IS_MATRIX else [["1000003"]]:
        too_little_memory_at(test, size)


def too_little_memory_at(test, size):
    """See too_little_memory."""
    command = [test.program, *size]
    needed = running.under_layer(command)[3].amount("bytes_at_most")
    tries = [(needed - 64, "too large for this device: ")]
    if running.under_layer(command, memory=needed)[3].amount("shared"):
        tries.append((2 * needed - 64, "GiB in all (with the host's copies"))
    *ended, _ = running.under_layer(command, memory=tries[-1][0] + 64)
    test.report.must(f"{tries[-1][0] + 64} bytes of memory are enough", not running.not_passed(*ended), str(ended))
    # On a device with a memory of its own no copies count.
    apart = {"profile": running.ROOT / "tests" / "devices" / "low.txt"}
    least = running.under_layer(command, **apart)[3].amount("bytes_at_most") - 64
    *ended, _ = running.under_layer(command, memory=least, **apart)
    test.judge(f"{least} bytes of the device's own memory", ended, 2, ["too large for this device: ", test.usage])
    for memory, text in tries:
        *ended, account = running.under_layer(command, memory=memory)
        wrong = ["it made a buffer first"] if "clCreateBuffer" in account.calls else []
        test.judge(f"{memory} bytes of memory, where {memory + 64} are needed", ended, 2, [text, test.usage], wrong)


def without_opencl(test, folder):
    empty = folder / "no vendors"
    empty.mkdir()
    test.case("no platform", [test.program], 1, "CL_PLATFORM_NOT_FOUND_KHR", env={"OCL_ICD_VENDORS": str(empty)})


def no_such_device(test):
    for wish in ["no such device", "7:0", "0:", "0:0x"] if test.known.NO_DEVICE_REFUSAL else []:
        test.case(
            f"OCL_DEVICE={wish}",
            [test.program],
            1,
            f"no OpenCL device matches OCL_DEVICE={wish}",
            test.known.NO_DEVICE_REFUSAL,
            env={"OCL_DEVICE": wish},
        )


def same_device_as_another(test):
    """The device in the first line is the one that the other chapter's program takes."""
    if test.known.SAME_DEVICE_AS is None:
        return
    other = [running.program(test.known.SAME_DEVICE_AS), "1"]
    for wish in [None, "cpu", "PORTABLE", "0:0", "pthread", "gpu", "llvmpipe", "rusticl", "1:0"]:
        env = {"RUSTICL_ENABLE": "llvmpipe"}  # a second device, where Mesa's OpenCL is installed
        if wish is not None:
            env["OCL_DEVICE"] = wish
        one, two = (running.run(command, env=env) for command in ([test.program], other))
        lines = [out.splitlines()[0] if out.startswith("device ") else "no device" for _, out, _ in (one, two)]
        test.report.must(
            f"OCL_DEVICE={wish}: the same device as {test.known.SAME_DEVICE_AS}: {' / '.join(set(lines))}",
            lines[0] == lines[1] and one[0] == two[0],
            one[2] + two[2],
        )


def broken_kernels(test, folder):
    """The program looks beside itself first, so a copy of it beside a broken kernel file takes that."""
    sources = sorted((running.ROOT / test.chapter).glob("*.cl"))
    copy, cache = folder / test.chapter, folder / "cache"
    shutil.copy(test.program, copy)
    cache.mkdir()
    folder.chmod(0o755)
    cache.chmod(0o777)
    for source in sources:
        shutil.copy(source, folder)
    for source in sources:
        broken_kernel(test, copy, folder / source.name, source.read_text(), running.remembering(cache))


def broken_kernel(test, copy, kernel, text, env):
    case, what, command = test.case, kernel.name, [copy, *(test.known.SEARCH_SIZE or test.known.TINY_SIZE)]
    for how, content, refusal in [("empty", "", "empty"), ("blank", " \n\t\n", test.known.BLANK_KERNEL_REFUSAL)]:
        kernel.write_text(content)
        case(f"{what} {how}", command, 1, refusal)
    kernel.unlink()
    kernel.mkdir()
    case(f"{what} is a folder", command, 1, "cannot be read", str(kernel))
    kernel.rmdir()
    kernel.write_text(text)
    kernel.chmod(0)
    as_user = {"user": 65534} if os.getuid() == 0 else {}  # root may read every file: be somebody else
    pocl = {"POCL_CACHE_DIR": env["XDG_CACHE_HOME"]}
    case(f"{what} not readable", command, 1, "cannot be read", str(kernel), env=pocl, **as_user)
    kernel.chmod(0o644)
    broken = "__kernel void broken() { no_such_name = 1; }\n"
    renamed = re.sub(r"(__kernel[^;{]*?void\s+)(\w+\()", r"\1renamed_\2", text)
    if test.known.SEARCH_SIZE:
        for how, content, name in [
            ("with a syntax error", text + broken, "CL_BUILD_PROGRAM_FAILURE (-11)"),
            ("with its kernels renamed", renamed, "CL_INVALID_KERNEL_NAME (-46)"),
        ]:
            kernel.write_text(content)
            code, out, err = running.run([copy, *test.known.SEARCH_SIZE], env=env)
            test.report.must(
                f"{what} {how}: its candidates are left out",
                not running.not_passed(code, out, err) and f"{name}, left out" in err,
                f"exit code {code}\n{out}{err}",
            )
    else:  # a long build log: all of it must be shown
        kernel.write_text(text + "// What stands at the end of a long file counts as well.\n" * 20000 + broken)
        case(f"{what} long, with a syntax error at its end", command, 1, test.known.LONG_KERNEL_REFUSAL)
        kernel.write_text(text + "\n" + "".join(f"#warning number {i} of many\n" for i in range(400)) + broken)
        case(
            f"{what} with a syntax error",
            command,
            1,
            "CL_BUILD_PROGRAM_FAILURE",
            "no_such_name",
            "number 0 of many",
            "number 399 of many",
        )
        kernel.write_text(renamed)
        case(f"{what}: kernels renamed", command, 1, "CL_INVALID_KERNEL_NAME", env=env)
    kernel.write_text(text)


def test_bad_input(report, chapter):
    test = Cases(report, chapter)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bad_arguments(test)
        help_goes_to_standard_output(test)
        too_little_memory(test)
        without_opencl(test, folder)
        no_such_device(test)
        same_device_as_another(test)
        broken_kernels(test, folder)
