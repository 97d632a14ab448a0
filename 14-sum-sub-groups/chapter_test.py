from checker.references import total

THOROUGH = ["costs"]  # as many work-items, simulated, as in chapter 11
LARGE_LAUNCHES = True
COST_SIZES = [["70001"]]  # several elements a work-item
BAD_ARGUMENTS = [
    (["10", "4"], "not a way that this device has: 4"),
    (["10", "1000000000000"], "not a way that this device has: 1000000000000"),
]
TRIED_CALLS = ["clBuildProgram"]
RUNS_ON = {
    "rusticl": [(["1000003"], "\nway       3: tree")],
    "intel": [
        (["1000003"], "\nway       1: work-group function"),
        (["1000003", "1"], "\nway       1: work-group function"),
        (["1000003", "2"], "\nway       2: sub-groups"),
        (["1", "2"], "\nway       2: sub-groups"),
        (["1000003", "3"], "\nway       3: tree"),
    ],
}
BENCH = {"vectors": {"kernel": "14 as offered"}}
SAYS = [
    (["10"], f"^offers    work-group functions: {groups}, sub-groups: {sub}$", words, f"extensions {extensions}")
    for words, extensions, groups, sub in [
        ("version 2.0", "cl_khr_subgroups", "yes", "yes"),
        ("version 2.1", "cl_khr_subgroups_more", "yes", "no"),
        ("version 2.0", "more_cl_khr_subgroups", "yes", "no"),
        ("version 1.2", "cl_khr_subgroups", "no", "no"),
        ("features __opencl_c_work_group_collective_functions", "", "yes", "no"),
        ("features __opencl_c_subgroups", "", "no", "yes"),
        ("features __opencl_c_fp64", "cl_khr_subgroups", "no", "yes"),  # by the extension alone
    ]
]
SAYS += [(["10", way], f"not a way that this device has: {way}", "version 1.2", "extensions ") for way in "12"]
OCLGRIND_SIZES = [["1"], ["256"], ["140000"]]
# Ways 1 and 2, with what the devices here have not, done in another way: each work-item adds up what the others wrote
# down. Between barriers, but these only come before and after: one that is missing in the kernel still is.
_EMULATED = """#undef WAY
#define WAY {way}
float emulated_sum(const float x, const uint first, const uint end, __local float *all) {{
  barrier(CLK_LOCAL_MEM_FENCE);
  all[get_local_id(0)] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (uint i = first; i < end; i++)
    sum += all[i];
  return sum;
}}
#define get_sub_group_size() ((uint)min({size}ul, get_local_size(0) - get_sub_group_id() * {size}ul))
#define get_sub_group_id() ((uint)get_local_id(0) / {size}u)
#define get_sub_group_local_id() ((uint)get_local_id(0) % {size}u)
#define get_num_sub_groups() (((uint)get_local_size(0) + {size}u - 1) / {size}u)
#define sub_group_reduce_add(x) \\
  emulated_sum(x, get_sub_group_id() * {size}u, get_sub_group_id() * {size}u + get_sub_group_size(), emulated)
#define work_group_reduce_add(x) emulated_sum(x, 0, get_local_size(0), emulated)
"""
FORCED = [
    (_EMULATED.format(way=way, size=size), "\n  __local float emulated[1024];")
    for way, size in [(1, 1), (2, 8), (2, 64)]
]
REFERENCES = {"sum_sub_groups": total}
