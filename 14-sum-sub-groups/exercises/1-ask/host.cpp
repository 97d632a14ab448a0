// Which way of adding does a device have? Ten devices' answers, and this device's.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"

#include <cstdio>
#include <string>
#include <vector>

#ifndef CL_DEVICE_OPENCL_C_FEATURES // from OpenCL 3.0
#define CL_DEVICE_OPENCL_C_FEATURES 0x106F
struct cl_name_version {
  cl_uint version;
  char name[64];
};
#endif

static const char *const usage =
    "usage: program [VERSION EXTENSIONS FEATURES]\n"
    "  prints the way for a device that answers this (default: for each device of a table)\n";

// What a device answers: CL_DEVICE_VERSION, CL_DEVICE_EXTENSIONS, CL_DEVICE_OPENCL_C_FEATURES; the
// lists with blanks between the names. `way`: 1 with work-group functions, 2 without them but with
// sub-groups, 3 with neither.
struct answers {
  const char *device, *version, *extensions, *features;
  int way;
};

// The first five as seen, shortened; the others are made up, and possible.
static const answers table[] = {
    {"PoCL 3.1", "OpenCL 3.0 PoCL HSTR: pthread", "cl_khr_spir cl_khr_fp64",
     "__opencl_c_int64 __opencl_c_fp64", 3},
    {"Intel CPU", "OpenCL 3.1 (Build 0)", "cl_khr_subgroup_shuffle cl_intel_subgroups",
     "__opencl_c_subgroups __opencl_c_work_group_collective_functions", 1},
    {"Oclgrind", "OpenCL 1.2 (Oclgrind 21.10)", " cl_khr_spir cl_khr_fp64", "", 3},
    {"Rusticl", "OpenCL 3.0 ", "cl_khr_byte_addressable_store", "__opencl_c_images", 3},
    {"Clover", "OpenCL 1.1 Mesa 22.3.6", "cl_khr_fp64", "", 3},
    {"plain 2.0", "OpenCL 2.0 A", "cl_khr_fp64", "", 1},
    {"sub-groups only", "OpenCL 3.0 B", "cl_khr_fp64", "__opencl_c_int64 __opencl_c_subgroups", 2},
    {"by extension", "OpenCL 3.0 C", "cl_khr_fp64 cl_khr_subgroups", "__opencl_c_int64", 2},
    {"shuffles only", "OpenCL 3.0 D", "cl_khr_subgroups_like cl_khr_subgroup_shuffle", "", 3},
    {"too early", "OpenCL 1.2 E", "cl_khr_subgroups", "", 3},
};

// Returns 1, 2 or 3 from what a device answers.
static int way_of(const std::string &version, const std::string &extensions,
                  const std::string &features) {
  // TODO: work-group functions came with 2.0. Is that the whole story?
  (void)extensions;
  (void)features;
  return version >= "OpenCL 2" ? 1 : 3;
}

int main(const int argc, char **argv) {
  check_args(argc, argv, 3, usage);
  if (argc != 1 && argc != 4)
    usage_error(usage, "three strings or none, not ", argv[argc - 1]);
  if (argc == 4) {
    printf("way       %d\n", way_of(argv[1], argv[2], argv[3]));
    return verdict(true);
  }

  bool ok = true;
  for (const answers &a : table) {
    const int way = way_of(a.version, a.extensions, a.features);
    printf("result    %s = %d\nexpected  %s = %d\n", a.device, way, a.device, a.way);
    ok = ok && way == a.way;
  }

  // And the device at hand, with nothing to compare with.
  cl_device_id device = pick_device();
  print_device(device);
  const std::string version = device_text(device, CL_DEVICE_VERSION);
  std::string features;
  if (version >= "OpenCL 3") {
    size_t size;
    clerr_chk(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, 0, nullptr, &size));
    std::vector<cl_name_version> list(size / sizeof(cl_name_version));
    clerr_chk(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, size, list.data(), nullptr));
    for (const cl_name_version &feature : list)
      features += std::string(feature.name) + " ";
  }
  const std::string extensions = device_text(device, CL_DEVICE_EXTENSIONS);
  printf("way       %d\n", way_of(version, extensions, features));
  return verdict(ok);
}
