"""Figures of chapters 01 and 02: the objects of a program, platforms and devices."""

from draw import BLUE, GREEN, INK, LINE, ORANGE, SOFT, WHITE, Figure, figure


@figure("objects")
def objects():
    f = Figure(660, 392, "What an OpenCL program creates, and from what")
    f.label(24, 24, 150, 46, "platform", INK, bold=True, sub="PoCL, a GPU driver …")
    f.label(24, 112, 150, 46, "device", INK, bold=True, sub="a GPU, a CPU …")
    f.arrow(99, 70, 99, 110)
    f.text(106, 96, "has", 13, SOFT, "start")
    f.box(206, 24, 430, 344, "#f4f8fc", BLUE, 10)
    f.text(221, 47, "context: what belongs together", 14, BLUE, "start", True)
    f.arrow(174, 135, 204, 135)
    f.label(226, 66, 170, 46, "queue", BLUE, bold=True, sub="commands, in order")
    f.label(226, 150, 170, 46, "program", BLUE, bold=True, sub="kernel.cl, compiled")
    f.label(226, 234, 170, 46, "kernel", BLUE, bold=True, sub="one of its functions")
    f.arrow(311, 196, 311, 232)
    for i, name in enumerate(["buffer a", "buffer b", "buffer c"]):
        f.label(478, 192 + i * 48, 134, 38, name, GREEN, bold=True)
        f.arrow(478, 211 + i * 48, 398, 250 + i * 7, GREEN)
    f.text(545, 184, "the device's memory", 13, SOFT)
    f.text(330, 304, "arguments of the kernel", 13, GREEN, "middle")
    f.path("M 396 242 C 442 215, 442 115, 398 92", BLUE, 1.8, True)
    f.text(226, 354, "the kernel, with its arguments, is put into the queue: a launch", 13, BLUE, "start")
    f.text(545, 76, "the queue carries out:", 13, SOFT)
    for i, what in enumerate(["launch the kernel", "copy c to the host"]):
        f.text(545, 96 + i * 19, f"{i + 1}. {what}", 13, INK)
    return f


@figure("platforms")
def platforms():
    f = Figure(680, 330, "How the ICD loader finds platforms and their devices")
    f.label(16, 132, 116, 54, "your program", INK, bold=True)
    f.label(164, 132, 122, 54, "ICD loader", BLUE, bold=True, sub="libOpenCL.so")
    f.arrow(132, 159, 162, 159)
    f.text(225, 236, "reads the folder", 13, SOFT)
    f.text(225, 254, "/etc/OpenCL/vendors", 12.5, INK, mono=True)
    f.path("M 225 222 L 225 188", SOFT, 1.5, True)
    rows = [
        ("pocl.icd", "PoCL", ["0:0  your CPU"], False),
        ("nvidia.icd", "NVIDIA CUDA", ["1:0  a GPU", "1:1  a GPU"], True),
        ("mesa.icd", "Mesa", [], False),
    ]
    for i, (icd, name, devices, gpu) in enumerate(rows):
        y = 46 + i * 96
        f.arrow(286, 159, 328, y + 30, BLUE)
        f.box(330, y, 184, 60, WHITE, BLUE)
        f.text(422, y + 25, f"platform {i}: {name}", 13.5, INK, bold=False)
        f.text(422, y + 45, icd, 12.5, SOFT, mono=True)
        for d, device in enumerate(devices):
            top = y + (13 if len(devices) == 1 else -4 + d * 36)
            f.label(548, top, 116, 32, device, ORANGE if gpu else GREEN, 13.5)
            f.arrow(514, y + 30, 546, top + 16)
        if not devices:
            f.text(606, y + 35, "no device here", 13.5, SOFT, italic=True)
            f.line(514, y + 30, 548, y + 30, LINE, 1.5, dash="4 4")
    f.text(422, 30, "platforms", 14, SOFT, bold=True)
    f.text(606, 30, "devices", 14, SOFT, bold=True)
    return f
