"""Bad arguments, machines without OpenCL, and broken kernel files, for one chapter.

    python3 tests/bad-input/bad_input.py 06-dot-product-reduction

Each case states the exit code and what standard error must say; no case may print PASSED, crash,
or say nothing. Exit code 0 if every case does as stated.
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "faults"))
import chapters  # noqa: E402
import layer  # noqa: E402

failures = 0
cases = 0


def case(what, command, code, *texts, env=None, **options):
    """Runs a command; it must end with `code` and say every one of `texts` on standard error."""
    global failures, cases
    cases += 1
    got, out, err = chapters.run(command, env=env, **options)
    wrong = []
    if got != code:
        wrong.append(f"exit code {got}, where {code} was expected")
    if "PASSED" in out + err:
        wrong.append("PASSED was printed")
    wrong += [f"standard error does not say {text!r}" for text in texts if text not in err]
    if wrong:
        failures += 1
        print(f"FAILED  {what}: " + "; ".join(wrong))
        print("        standard error: " + err.strip().replace("\n", "\n        "))
    else:
        print(f"ok      {what}: {err.strip().splitlines()[0]}")


def bad_arguments(chapter, program):
    usage = f"usage: {chapter}"
    if not chapters.parameters(chapter):
        for text in ["1", "0", ""]:
            case(f"argument {text!r}", [program, text], 2, "too many arguments", usage)
        help_goes_to_standard_output(program, usage)
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
        ("1000000000000000", "too large for this "),
        (str(2**64 - 1), "too large for this "),
    ]:
        case(f"argument {text!r}", [program, text], 2, message, usage)
    parameters = len(chapters.parameters(chapter))
    for i in range(1, parameters):
        case(f"argument {i + 1} 12x", [program] + ["10"] * i + ["12x"], 2, "not a size", usage)
    if chapter == "12-sum-unrolled":
        case("UF 1", [program, "10", "1"], 2, "too small: 1", usage)
    case("too many arguments", [program] + ["7"] * (parameters + 1), 2, "too many arguments", usage)
    help_goes_to_standard_output(program, usage)


def too_little_memory(chapter, program):
    """The layer of tests/faults says that the device has 64 bytes less than the program's buffers take
    together (so the buffer of a single number need not be in its list): refused before the first of them
    is made. The same with the host's copies, where these are in the same memory."""
    if not chapters.parameters(chapter):
        return
    arguments = ["100", "120", "80"] if chapters.is_matrix(chapter) else ["1000003"]
    _, _, _, account = layer.run([program] + arguments)
    needed = account.amount("bytes_at_most")
    tries = [(needed - 64, "too large for this device: ")]
    if layer.run([program] + arguments, memory=needed)[3].amount("shared"):
        tries.append((2 * needed - 64, "GiB in all (with the host's copies"))
    global failures, cases
    for memory, text in tries:
        cases += 1
        code, out, err, account = layer.run([program] + arguments, memory=memory)
        wrong = [] if code == 2 else [f"exit code {code}, where 2 was expected"]
        wrong += [f"standard error does not say {words!r}" for words in [text, f"usage: {chapter}"] if words not in err]
        if "PASSED" in out + err:
            wrong.append("PASSED was printed")
        if "clCreateBuffer" in account.calls:
            wrong.append("it made a buffer first")
        failures += bool(wrong)
        print(f"{'FAILED ' if wrong else 'ok     '} {memory} bytes of memory, where {memory + 64} are needed: "
              + ("; ".join(wrong) or err.splitlines()[0]))


def help_goes_to_standard_output(program, usage):
    """Also beside other arguments; and nothing to standard error, which `case` reads: they are swapped."""
    for arguments in (["--help"], ["-h"], ["12x", "--help"], ["1", "2", "3", "4", "-h"]):
        swapped = ["sh", "-c", 'test -z "$("$0" "$@" 3>&2 2>&1 1>&3)" || exit 3', program, *arguments]
        case(" ".join(arguments), swapped, 0, usage)


def without_opencl(program, folder):
    empty = folder / "no vendors"
    empty.mkdir()
    case("no platform", [program], 1, "CL_PLATFORM_NOT_FOUND_KHR", env={"OCL_ICD_VENDORS": str(empty)})


def no_such_device(chapter, program):
    if chapter.startswith("01"):
        return  # it takes the first device there is
    # The list of what there is: 02 prints it to standard output anyway.
    the_list = ["  0:0  "] if not chapter.startswith("02") else ["those above are all there are"]
    for wish in ["no such device", "7:0", "0:", "0:0x"]:
        case(f"OCL_DEVICE={wish}", [program], 1, f"no OpenCL device matches OCL_DEVICE={wish}", *the_list,
             env={"OCL_DEVICE": wish})


def same_choice_as_the_others(program):
    """Chapter 02 spells out pick_device: the device that it marks is the one that chapter 03 takes."""
    other = chapters.program("03-launch-geometry")
    for wish in [None, "cpu", "PORTABLE", "0:0", "pthread", "gpu", "llvmpipe", "rusticl", "1:0"]:
        env = {"RUSTICL_ENABLE": "llvmpipe"}  # a second device, where Mesa's OpenCL is installed
        if wish is not None:
            env["OCL_DEVICE"] = wish
        one, two = (chapters.run(command, env=env) for command in ([program], [other, "1"]))
        lines = [out.splitlines()[0] if out.startswith("device ") else "no device" for _, out, _ in (one, two)]
        global failures, cases
        cases += 1
        same = lines[0] == lines[1] and one[0] == two[0]
        failures += not same
        print(f"{'ok     ' if same else 'FAILED '} OCL_DEVICE={wish}: chapters 02 and 03 agree: {' / '.join(set(lines))}")


def broken_kernels(chapter, program, folder):
    """The program looks beside itself first, so a copy of it beside a broken kernel.cl takes that."""
    source = chapters.ROOT / chapter / "kernel.cl"
    if not source.exists():
        return
    text = source.read_text()
    copy = folder / chapter
    shutil.copy(program, copy)
    kernel = folder / "kernel.cl"

    for what, content in [("empty", ""), ("blank", " \n\t\n")]:
        kernel.write_text(content)
        # Chapter 01 has its own few lines of reading; a blank file does not define its kernel.
        texts = ["empty"] if not (chapter.startswith("01") and what == "blank") else ["CL_"]
        case(f"kernel file {what}", [copy], 1, *texts)
    kernel.unlink()
    kernel.mkdir()
    case("kernel file is a folder", [copy], 1, "cannot be read", str(kernel))
    kernel.rmdir()
    kernel.write_text(text)
    kernel.chmod(0)
    folder.chmod(0o755)
    cache = folder / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    as_user = {"user": 65534} if os.getuid() == 0 else {}  # root may read every file: be somebody else
    case("kernel file not readable", [copy], 1, "cannot be read", str(kernel), env={"POCL_CACHE_DIR": str(cache)}, **as_user)
    kernel.chmod(0o644)

    # A long build log: all of it must be shown.
    warnings = "".join(f"#warning number {i} of many\n" for i in range(400))
    kernel.write_text(text + "\n" + warnings + "__kernel void broken() { no_such_name = 1; }\n")
    case("kernel with a syntax error", [copy], 1, "CL_BUILD_PROGRAM_FAILURE", "no_such_name",
         "number 0 of many", "number 399 of many")
    kernel.write_text(re.sub(r"(__kernel[^;{]*?void\s+)(\w+\()", r"\1renamed_\2", text))
    case("kernel renamed", [copy], 1, "CL_INVALID_KERNEL_NAME")


def main():
    chapter = sys.argv[1]
    program = chapters.program(chapter)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bad_arguments(chapter, program)
        too_little_memory(chapter, program)
        without_opencl(program, folder)
        no_such_device(chapter, program)
        if chapter.startswith("02"):
            same_choice_as_the_others(program)
        broken_kernels(chapter, program, folder)
    print(f"{cases - failures} of {cases} cases of bad input end as they should")
    return 1 if failures else 0


sys.exit(main())
