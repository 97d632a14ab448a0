"""Do the lines that only NVIDIA's compiler gets to see compile, and is all around them right? No device here has such units.

Clang turns units.cl into PTX, for both sizes of tiles. And with C in place of each instruction, doing what it is said to do, the program runs here and passes. What the
instructions really do is seen on a device only.
"""

import re

from tests import running
from tests.kernels import changed_copy

CHAPTERS = [CHAPTER := "21-matmul-matrix-units"]
CLANG = ["-target", "nvptx64-nvidia-nvcl", "-x", "cl", "-cl-std=CL1.2", "-O2", "-Xclang", "-finclude-default-header"]
CLANG += ["-Xclang", "-target-cpu", "-Xclang", "sm_80", "-Xclang", "-target-feature", "-Xclang", "+ptx75"]
CLANG += ["-mllvm", "-inline-threshold=100000"]  # into the kernel, as NVIDIA's compiler does
CLANG += ["-D", "asm=__asm__"]  # NVIDIA's compiler knows both words, Clang's OpenCL C one
# What a vendor's library has; without it, ptxas finds open ends.
BUILT_IN = """
#define OWN __attribute__((overloadable))
size_t OWN get_local_id(uint d) { return d ? __nvvm_read_ptx_sreg_tid_y() : __nvvm_read_ptx_sreg_tid_x(); }
size_t OWN get_group_id(uint d) { return d ? __nvvm_read_ptx_sreg_ctaid_y() : __nvvm_read_ptx_sreg_ctaid_x(); }
float4 OWN fmin(float4 x, float4 y) { return x < y ? x : y; }
float4 OWN fmax(float4 x, float4 y) { return x > y ? x : y; }
float4 OWN vload4(size_t i, __global const float *p) { return *(__global const float4 *)(p + 4 * i); }
void OWN barrier(cl_mem_fence_flags f) { __syncthreads(); }
"""
# What each instruction does, by the words that it begins with. That of a warp takes turns through local memory.
MEANS = {
    "mma.sync": """{
      const uint g = get_local_id(0) / 4, t = get_local_id(0) % 4;
      __local uint4 *of_a = shared + get_local_id(1) * 64;
      __local uint2 *of_b = (__local uint2 *)(of_a + 32);
      barrier(CLK_LOCAL_MEM_FENCE);
      of_a[get_local_id(0)] = a;
      of_b[get_local_id(0)] = b;
      barrier(CLK_LOCAL_MEM_FENCE);
      float found[4] = {sums.x, sums.y, sums.z, sums.w};
      for (uint i = 0; i < 4; i++)
        for (uint k = 0; k < 16; k++) { // where the manual says that element (row, k) of A is, and (k, col) of B
          const uint row = g + i / 2 * 8, col = 2 * t + i % 2;
          __local const half *from_a = (__local const half *)&of_a[row % 8 * 4 + k % 8 / 2];
          __local const half *from_b = (__local const half *)&of_b[col * 4 + k % 8 / 2];
          found[i] += vload_half(row / 8 * 2 + k / 8 * 4 + k % 2, from_a) * vload_half(k / 8 * 2 + k % 2, from_b);
        }
      x = found[0], y = found[1], z = found[2], w = found[3];
    }""",
    "cp.async.bulk": "for (uint i = 0; i < count; i++) to[i] = from[i];",
    "mbarrier.init": "",
    "mbarrier.arrive": "",
    "{ .reg .pred": "there = 1;",
}


def emulated(text):
    """units.cl for any device."""
    text = re.sub(
        r"asm volatile\(\s*\"(.*?)\);",
        lambda asm: "{" + next(does for words, does in MEANS.items() if asm[1].startswith(words)) + "}",
        text,
        flags=re.S,
    )
    text = re.sub(r"\b(mma|multiply)\((?=const|float4 sums)", r"\1(__local uint4 *shared, ", text)
    text = re.sub(r"\b(mma|multiply)\((?!__local)", r"\1(shared, ", text)
    text = text.replace("#pragma unroll", "")  # PoCL takes long over many barriers
    return text.replace("__local ulong arrived", "__local uint4 shared[4 * 64];\n  __local ulong arrived")


def test_matrix_units(report, chapter, tmp_path):
    clang = running.need_tool("clang", "clang")
    kernel, units = (running.ROOT / CHAPTER / name for name in ("kernel.cl", "units.cl"))
    source, ptx, device = tmp_path / "source.cl", tmp_path / "source.ptx", tmp_path / "device"
    source.write_text("\n".join([BUILT_IN, *re.findall(r"#define .*", kernel.read_text()), units.read_text()]))
    for tile, instructions in [(64, 24), (128, 96)]:  # blocks of rows, of columns, three products
        code, out, err = running.run([clang, *CLANG, f"-DTILE={tile}", "-S", source, "-o", ptx])
        found = -1 if code else ptx.read_text().partition(".entry")[2].count("mma.sync")
        report.must(f"tiles of {tile}: {instructions} matrix instructions", found == instructions, f"{found}\n{err}")
    program = changed_copy(CHAPTER, tmp_path / "copy", {units: emulated(units.read_text())})
    # Beside three compute units, 129 rows make tiles of 128; NVIDIA's first generation with these copies, and the last
    # without.
    for arguments, capability, right in [
        (["17", "33", "65"], 9, "yes"),
        (["257", "129", "35"], 9, "yes"),
        (["1", "1", "1"], 9, "yes"),
        (["17", "33", "65"], 8, "no"),
    ]:
        device.write_text(f"capability {capability}\ncompute_units 3\n")
        ended = running.run([program, *arguments], env=running.as_device(device))
        report.ends(f"{arguments} with C for its instructions, {capability}", ended, 0, f"\nunits     {right}:")
