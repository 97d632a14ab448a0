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
  cl_uint max_items; // TODO
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof max_items, &max_items,
                            nullptr));
  printf("items     %u\n", max_items);

  // TODO: how many floats fit into the local memory of a work-group.
  printf("floats    0\n");
  return verdict(true);
}
