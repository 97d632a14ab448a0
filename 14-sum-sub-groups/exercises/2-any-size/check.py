from checker import behaviour, oclgrind_messages


def check(attempt):
    """14/2: the sub-group's size comes from its functions, as on a device."""
    code = behaviour.code_of(attempt.kernel)
    if "SIZE" in code:
        return ["SIZE is the host's, which stands for a device here: a device with sub-groups has no such name"]
    if not {"barrier", "work_group_barrier"} & set(code):
        return [
            "the sub-groups' totals cross from one sub-group to the next, and there is no barrier of the work-group: a "
            "sub-group function waits for the work-items of its own sub-group only"
        ]
    own = OWN_SUB_GROUP + attempt.kernel
    run = attempt.simulated(["300", "32"], ["--data-races"], watched=False, kernel=own)
    found = oclgrind_messages.translate(run.err + run.out, attempt.kernel) if run else []
    if races := [what for kind, what in found if kind == "race"]:
        return [f"where a sub-group function waits for its own sub-group only, {what}" for what in races]
    dealt = attempt.pocl(["1000", "32"], kernel=DEALT_OUT + attempt.kernel)
    if dealt.passed():
        return []
    return [
        "where a device deals its work-items out to the sub-groups in turn, from the last on, it is wrong: ask which of them "
        "is the first"
    ]


# The emulation, where the work-items of a sub-group do not have their numbers side by side, and the first is in the last
# sub-group: both are for the device to say.
DEALT_OUT = """
#undef get_sub_group_id
#undef get_sub_group_local_id
#undef get_sub_group_size
#undef sub_group_reduce_add
#define get_sub_group_id() (get_num_sub_groups() - 1 - (uint)get_local_id(0) % get_num_sub_groups())
#define get_sub_group_local_id() ((uint)get_local_id(0) / get_num_sub_groups())
#define get_sub_group_size() SIZE
#define sub_group_reduce_add(value) check_reduce_add(value, scratch)
float check_reduce_add(const float value, __local float *scratch) {
  scratch[get_local_id(0)] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (uint i = 0; i < SIZE; i++)
    sum += scratch[get_local_id(0) % get_num_sub_groups() + i * get_num_sub_groups()];
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum;
}
#line 1
"""


# The emulation, whose barriers are none for the kernel's local memory; its own is left to atomic functions.
OWN_SUB_GROUP = """
#undef sub_group_reduce_add
#define sub_group_reduce_add(value) check_reduce_add(value, scratch)
float check_reduce_add(const float value, volatile __local float *scratch) {
  atomic_xchg(scratch + get_local_id(0), value);
  barrier(CLK_GLOBAL_MEM_FENCE);
  float sum = 0.0f;
  for (uint i = get_sub_group_id() * SIZE, n = get_sub_group_size(); n > 0; n--, i++)
    sum += as_float(atomic_or((volatile __local int *)scratch + i, 0));
  barrier(CLK_GLOBAL_MEM_FENCE);
  return sum;
}
#line 1
"""
