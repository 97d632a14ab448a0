from checker import behaviour, oclgrind_messages


def check(attempt):
    """14/2: the sub-group's size comes from its functions, as on a device."""
    if "SIZE" in behaviour.code_of(attempt.kernel):
        return ["SIZE is the host's, which stands for a device here: a device with sub-groups has no such name"]
    own = OWN_SUB_GROUP + attempt.kernel
    run = attempt.simulated(["300", "32"], ["--data-races"], watched=False, kernel=own)
    races = (
        [what for kind, what in oclgrind_messages.translate(run.err + run.out, attempt.kernel) if kind == "race"]
        if run
        else []
    )
    return [f"where a sub-group function waits for its own sub-group only, {what}" for what in races]


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
