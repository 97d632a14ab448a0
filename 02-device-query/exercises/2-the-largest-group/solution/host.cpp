// The largest work-group that fits: a power of two, within two limits.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"

#include <cstdio>

static const char *const usage =
    "usage: program [FLOATS]\n"
    "  FLOATS  floats of local memory for each work-item (default 1)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t floats = size_arg(argc, argv, 1, 1, usage);
  cl_device_id device = pick_device();
  print_device(device);
  printf("size      FLOATS = %zu\n", floats);
  size_t max_items;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof max_items, &max_items,
                            nullptr));
  cl_ulong local_bytes;
  clerr_chk(
      clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_bytes, &local_bytes, nullptr));

  // Twice as many, as long as both limits allow it; divided, since a product may exceed 64 bits.
  size_t items = 1;
  while (2 * items <= max_items && 2 * items <= local_bytes / sizeof(float) / floats)
    items *= 2;
  printf("group     %zu\n", items);
  return verdict(true);
}
