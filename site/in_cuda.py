"""OpenCL C's text in CUDA C++'s words, for the pages that readers of CUDA open first."""

import re

# The pages that have both: that of the GPU, and the chapters' kernels that it shows.
PAGES = r"docs/gpu\.md|(08|09|10|17|18)-matmul-[^/]*/kernel\.cl"
# What stands in the text, and what in its place. Comments speak of threads and blocks, too.
WORDS = [
    (r"__kernel __attribute__\(\(reqd_work_group_size\((\w+), 1, 1\)\)\)", r"__global__ __launch_bounds__(\1)"),
    (r"__kernel\b", "__global__"),
    (r"(?m)^(?=(float4|void) \w+\()", "__device__ "),
    (r"__local (.+\]) __attribute__\(\(aligned\((\d+)\)\)\);", r"__shared__ __align__(\2) \1;"),
    (r"__local (?=\w+ \w+\[)", "__shared__ "),
    (r"__(global|local) ", ""),
    (r"\brestrict\b", "__restrict__"),
    (r"get_global_id\((\d)\)", r"blockIdx.\1 * blockDim.\1 + threadIdx.\1"),
    (r"get_local_id\((\d)\)", r"threadIdx.\1"),
    (r"get_group_id\((\d)\)", r"blockIdx.\1"),
    (r"(?<=(Idx|Dim)\.)[01]", lambda m: "xy"[int(m[0])]),
    (r"barrier\(CLK_LOCAL_MEM_FENCE\)", "__syncthreads()"),
    (r"\buint\b", "unsigned"),
    (r"\bulong\b", "size_t"),
    (r"work-item", "thread"),
    (r"local memory", "shared memory"),
    (r"\bgroup\b(?=('s)? (tile|computes))", "block"),
]


def in_cuda(text):
    for pattern, words in WORDS:
        text = re.sub(pattern, words, text)
    return text


def with_tabs(source, page):
    """The page of a source, a path in the repository: each listing in both, if it is one of PAGES."""

    def tabs(fence):
        cuda = in_cuda(fence[1]).replace("```opencl", "```cuda", 1)
        return "".join(
            f'=== "{name}"\n\n' + re.sub(r"(?m)^(?=.)", "    ", code) + "\n"
            for name, code in (("OpenCL C", fence[1]), ("CUDA C++", cuda))
        )

    return re.sub(r"(?ms)^(```opencl\n.*?^```\n)", tabs, page) if re.fullmatch(PAGES, str(source)) else page
