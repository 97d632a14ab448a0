// Two limits of a device, asked for and not guessed.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"

#include <cstdio>

static const char *const usage = "usage: program\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 0, usage);
  cl_device_id device = pick_device();
  print_device(device);

  // The most work-items that a work-group can have.
  size_t max_items;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof max_items, &max_items,
                            nullptr));
  printf("items     %zu\n", max_items);

  // How many floats fit into the local memory of a work-group.
  cl_ulong local_bytes;
  clerr_chk(
      clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_bytes, &local_bytes, nullptr));
  printf("floats    %llu\n", static_cast<unsigned long long>(local_bytes / sizeof(float)));
  return verdict(true);
}
