from checker.shared_checks import fields


def check(attempt):
    """14/1: the way of devices that the student has not seen."""
    both = "__opencl_c_subgroups __opencl_c_work_group_collective_functions"
    many = " ".join(f"cl_vendor_number_{i}" for i in range(600))  # a GPU has some 2000 characters of them
    cases = [
        (f"OpenCL {version} m", extensions, features, 1 if version[0] == "2" else 3)
        for version in ("1.0", "1.2", "2.0", "2.2")
        for extensions in ("", "cl_khr_subgroups", "cl_khr_fp64 cl_khr_subgroups_like")
        for features in ("", "__opencl_c_subgroups", both)
    ]
    cases += [
        ("OpenCL 3.0 p", "cl_khr_fp64", both, 1),
        ("OpenCL 3.1 q", "cl_khr_subgroups", "__opencl_c_fp64", 2),
        ("OpenCL 3.0 r", "cl_khr_subgroups_more", "__opencl_c_subgroups_more", 3),
        ("OpenCL 3.0 u", "", "__opencl_c_fp64 __opencl_c_subgroups", 2),
        ("OpenCL 4.0 v", "", "__opencl_c_subgroups", 2),
        ("OpenCL 3.0 x", "cl_khr_subgroups_like cl_khr_subgroups", "", 2),
        ("OpenCL 3.0 z", "vendor_cl_khr_subgroups", "my__opencl_c_subgroups", 3),
        ("OpenCL 1.2 pocl 3.0", "cl_khr_subgroups", both, 3),
        # Behind the number is whatever the vendor likes, another version, too.
        ("OpenCL 3.0 (as OpenCL 1.2)", "cl_khr_subgroups", "", 2),
        ("OpenCL 1.2 (as OpenCL 3.0)", "cl_khr_subgroups", both, 3),
        ("OpenCL 2.0 (as OpenCL 3.0)", "", "", 1),
        ("OpenCL 3.0 each in the other's list", "__opencl_c_subgroups", "cl_khr_subgroups", 3),
        ("OpenCL 3.0 other letters", "CL_KHR_SUBGROUPS", "__OPENCL_C_SUBGROUPS", 3),
        ("OpenCL 3.0 many extensions", f"{many} cl_khr_subgroups", "", 2),
        ("OpenCL 3.0 many without", f"{many} cl_khr_subgroup", f"{many} __opencl_c_subgroup", 3),
    ]
    runs = attempt.at_once(lambda case: attempt.pocl(case[:3]), cases)
    for (version, extensions, features, right), run in zip(cases, runs):
        got = (fields(run, "way") or ["nothing"])[0]
        if got != str(right):
            said = f"'{version}', '{extensions}', '{features}'"
            said = said.replace(many, f"{len(many)} characters of other names, and")
            return [f"for {said} the way should be {right} and is {got}"]
    return []
