// What there is to run on: every platform, every device, and which one the other chapters use.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/device.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

static const char *const usage = "usage: 02-device-query\n";

// A device and its place: device number `d` of platform number `p`. Its rank: 3 for a GPU, 2 for a
// CPU, 1 for an accelerator, 0 for anything else.
struct found_device {
  size_t p, d;
  cl_device_id id;
  size_t rank;
};
static const char *const kinds[4] = {"device of another kind", "accelerator", "CPU", "GPU"};

// Prints the limits of a device that the later chapters meet. Each property has a type of its own,
// which the specification names; `sizeof` says how much room there is for it.
static void print_limits(cl_device_id id) {
  cl_uint units, vector_width, align_bits;
  clerr_chk(clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr));
  clerr_chk(clGetDeviceInfo(id, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, sizeof vector_width,
                            &vector_width, nullptr));
  clerr_chk(
      clGetDeviceInfo(id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align_bits, &align_bits, nullptr));
  cl_ulong global, buffer, local; // bytes
  clerr_chk(clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof global, &global, nullptr));
  clerr_chk(clGetDeviceInfo(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof buffer, &buffer, nullptr));
  clerr_chk(clGetDeviceInfo(id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, nullptr));
  size_t max_items, tick;
  clerr_chk(
      clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof max_items, &max_items, nullptr));
  clerr_chk(clGetDeviceInfo(id, CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof tick, &tick, nullptr));
  cl_bool shared;
  clerr_chk(clGetDeviceInfo(id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof shared, &shared, nullptr));
  cl_device_local_mem_type local_type;
  clerr_chk(clGetDeviceInfo(id, CL_DEVICE_LOCAL_MEM_TYPE, sizeof local_type, &local_type, nullptr));

  const double gib = 1024.0 * 1024.0 * 1024.0;
  printf("       version          %s\n", device_text(id, CL_DEVICE_VERSION).c_str());
  printf("       kernel language  %s\n", device_text(id, CL_DEVICE_OPENCL_C_VERSION).c_str());
  printf("       compute units    %u\n", units);
  printf("       work-group       at most %zu work-items\n", max_items);
  printf("       global memory    %.1f GiB, at most %.1f GiB in one buffer\n",
         static_cast<double>(global) / gib, static_cast<double>(buffer) / gib);
  printf("       host's memory    %s; buffers start at multiples of %u bytes\n",
         shared == CL_TRUE ? "the same" : "separate", align_bits / 8);
  printf("       local memory     %.0f KiB for a work-group, %s\n",
         static_cast<double>(local) / 1024.0,
         local_type == CL_LOCAL ? "a memory of its own" : "a piece of global memory");
  printf("       vectors          %u float%s at a time\n", vector_width,
         vector_width == 1 ? "" : "s");
  printf("       clock            one tick is %zu ns\n", tick);
}

int main(const int argc, char **argv) {
  check_args(argc, argv, 0, usage);
  const char *env = getenv("OCL_DEVICE"); // what the user wishes for; every chapter but 01 asks
  const std::string wish = env == nullptr ? "" : env;

  // The platforms: first how many there are, then which. Two calls, as for everything whose length
  // only OpenCL knows.
  cl_uint num_platforms = 0;
  cl_int status = clGetPlatformIDs(0, nullptr, &num_platforms);
  if (num_platforms == 0)
    fprintf(stderr, "no OpenCL platform found: README.md, \"When no device is found\"\n");
  clerr_chk(status);
  std::vector<cl_platform_id> platforms(num_platforms);
  clerr_chk(clGetPlatformIDs(num_platforms, platforms.data(), nullptr));

  // Their names and devices. What does not answer is passed over: the others may work. Of the
  // devices that match the wish, the first one of the highest rank is chosen.
  std::vector<std::string> names(num_platforms, "(no answer)");
  std::vector<found_device> found;
  found_device chosen = {0, 0, nullptr, 0};
  size_t fits = 0; // devices that match the wish
  for (size_t p = 0; p < platforms.size(); p++) {
    size_t size; // a string: first how many bytes it has, then the bytes
    const std::string number = "platform " + std::to_string(p);
    if (!answered(clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, 0, nullptr, &size), number))
      continue;
    std::vector<char> name(size);
    if (!answered(clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, size, name.data(), nullptr),
                  number))
      continue;
    names[p] = name.data();

    cl_uint num_devices = 0;
    status = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 0, nullptr, &num_devices);
    if (status == CL_DEVICE_NOT_FOUND || (status == CL_SUCCESS && num_devices == 0))
      continue; // not an error: a platform may be installed that has no device on this machine
    if (!answered(status, number))
      continue; // an error, but one of this driver's: the others may work
    std::vector<cl_device_id> devices(num_devices);
    if (!answered(
            clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, num_devices, devices.data(), nullptr),
            number))
      continue;
    for (size_t d = 0; d < devices.size(); d++) {
      if (!device_answers(devices[d], p, d))
        continue;
      cl_device_type type; // a set of bits
      clerr_chk(clGetDeviceInfo(devices[d], CL_DEVICE_TYPE, sizeof type, &type, nullptr));
      size_t rank = 0;
      if ((type & CL_DEVICE_TYPE_ACCELERATOR) != 0)
        rank = 1;
      if ((type & CL_DEVICE_TYPE_CPU) != 0)
        rank = 2;
      if ((type & CL_DEVICE_TYPE_GPU) != 0)
        rank = 3;
      found.push_back({p, d, devices[d], rank});

      bool candidate;
      if (wish.empty())
        candidate = usable(devices[d], p, d);
      else
        candidate = device_matches(devices[d], p, d, wish);
      if (!candidate)
        continue;
      fits++;
      if (chosen.id == nullptr || rank > chosen.rank)
        chosen = found.back();
    }
  }

  if (chosen.id != nullptr) {
    print_device(chosen.id);
    if (fits == 1)
      printf("chosen    %zu:%zu, the only device", chosen.p, chosen.d);
    else
      printf("chosen    %zu:%zu, the first %s of %zu devices", chosen.p, chosen.d,
             kinds[chosen.rank], fits);
    printf(wish.empty() ? "\n" : " for OCL_DEVICE=%s\n", wish.c_str());
  }
  for (size_t p = 0; p < platforms.size(); p++) {
    printf("\nplatform %zu: %s\n", p, names[p].c_str());
    size_t count = 0;
    for (const found_device &device : found)
      if (device.p == p) {
        printf("  %zu:%zu  %s, a %s%s\n", device.p, device.d,
               device_text(device.id, CL_DEVICE_NAME).c_str(), kinds[device.rank],
               device.id == chosen.id ? "  <- the one that the chapters use" : "");
        print_limits(device.id);
        count++;
      }
    if (count == 0)
      printf("  no device that can be used here\n");
  }
  printf("\n");
  fflush(stdout);
  if (chosen.id == nullptr && (found.empty() || wish.empty()))
    fprintf(stderr, "no OpenCL device found that can be used. (A GPU's driver has none where your "
                    "user may not open it; PoCL has none where it cannot write: set "
                    "POCL_CACHE_DIR.) README.md, \"When no device is found\"\n");
  else if (chosen.id == nullptr)
    fprintf(stderr, "no OpenCL device matches OCL_DEVICE=%s; those above are all there are\n",
            wish.c_str());
  printf(chosen.id != nullptr ? "PASSED\n" : "FAILED\n");
  if (fflush(stdout) != 0 || ferror(stdout) != 0) { // a full disk, say: nobody can read PASSED
    fprintf(stderr, "standard output could not be written: is a disk full?\n");
    return EXIT_FAILURE;
  }
  return chosen.id != nullptr ? EXIT_SUCCESS : EXIT_FAILURE;
}
