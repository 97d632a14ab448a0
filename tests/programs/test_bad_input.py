"""What each chapter refuses, with a sentence, before it makes a buffer: arguments that make no sense, sizes that do not fit, a
machine without a device, a full disk, a kernel file that is broken."""

from tests import chapter_facts, running
from tests.kernels import changed_copy

NO_SIZES = {
    "a size must be at least 1, not 0": ["0"],
    "not a size (digits only): ": ["-1", "+1", "1e6", "12x", " 12", "0x10"],
    "not a size: an empty argument": [""],
    "too large a number: ": ["18446744073709551616", "36893488147419103239"],
}
# Numbers of elements, or of bytes, that wrap in 32 or in 64 bits.
VECTORS = [(2**62 + 5,), (2**64 - 1,), (2**64 // 12 + 1,)]
MATRICES = [(2**32, 2**32, 1), (2**32, 1, 2**32), (1, 2**32, 2**32), (2**62, 1, 1), (1, 2**61, 2)]
OWN_MEMORY = running.ROOT / "tests" / "devices" / "bare-accelerator.txt"


def too_little_memory(report, command, usage):
    """The layer says that the device has 64 bytes less than the program's buffers take together (so the buffer of a
    single number need not be in its list). Where it is the host's memory, too, the host's copies count as well."""
    for profile in (None, OWN_MEMORY):
        needed = running.under_layer(command, profile=profile)[3].bytes_at_most * (1 if profile else 2)
        report.ends(f"{needed} bytes", running.under_layer(command, memory=needed, profile=profile), 0)
        ended = running.under_layer(command, memory=needed - 64, profile=profile)
        report.ends(f"{needed - 64} bytes", ended, 2, "too large for this device: ", usage)
        report.must("no buffer is made first", "clCreateBuffer" not in ended[3].calls)


def test_bad_input(report, chapter, tmp_path):
    known, program, usage = chapter_facts.of(chapter), running.program(chapter), f"usage: {chapter}"

    def refused(code, words, *texts, **options):
        report.ends(f"{words}: {texts[0]}", running.run([program, *map(str, words)], **options), code, *texts)

    size = known.SEARCH_SIZE or known.TINY_SIZE
    refused(2, ["7"] * (len(known.PARAMETERS) + 1), "first one too many: 7", usage)
    for i in range(len(known.PARAMETERS)):
        refused(2, [*["10"] * i, "12x"], "digits only): 12x", usage)
        refused(2, [*["10"] * i, "0"], usage)
    for words, sizes in NO_SIZES.items() if chapter == running.CHAPTERS[0] else ():
        for wrong in sizes:
            refused(2, [wrong], words, usage)
    for words, message in known.BAD_ARGUMENTS:
        refused(2, words, message, usage)
    if known.PARAMETERS:
        for numbers in MATRICES if known.IS_MATRIX else VECTORS:
            refused(2, numbers, "too large for this ", usage)
        for numbers in [["100", "120", "80"], ["100", "120", "1"]] if known.IS_MATRIX else [["1000003"]]:
            too_little_memory(report, [program, *numbers], usage)
    code, out, err = running.run([program, "12x", "--help"])
    report.must("--help", code == 0 and usage in out and not err, out + err)
    refused(1, [], "CL_PLATFORM_NOT_FOUND_KHR", env={"OCL_ICD_VENDORS": str(tmp_path)})
    for way in ["", "stdbuf -o0"]:
        full = ["sh", "-c", f'exec {way} "$0" "$@" >/dev/full', program, *known.TINY_SIZE]
        ended = running.run(full, env=running.remembering(tmp_path))
        report.ends(f"a full disk {way}", ended, 1, "standard output could not be")

    if running.has_kernel(chapter):  # a file of that name where it is started is another chapter's, and looked at last
        (tmp_path / "kernel.cl").write_text("no kernel")
        report.ends("beside another kernel.cl", running.run([program, *size], cwd=tmp_path), 0, "PASSED")
        (tmp_path / "kernel.cl").unlink()

    # The program looks beside itself first, so a copy of it beside a broken kernel file takes that.
    program = changed_copy(chapter, tmp_path, {})
    for path in tmp_path.glob("*.cl"):
        text = path.read_text()
        if "asm volatile(" in text:
            continue  # built on no device here
        path.write_text("")
        refused(1, size, "empty")
        if not known.SEARCH_SIZE:  # which leaves its candidates out: test_search.py
            long = "".join(f"#warning {i}\n" for i in range(400))  # the whole log is to be printed
            path.write_text(f"{text}{long}void broken() {{ no_such_name = 1; }}\n")
            refused(1, size, "CL_BUILD_PROGRAM_FAILURE", "no_such_name", "399")
        path.write_text(text)
