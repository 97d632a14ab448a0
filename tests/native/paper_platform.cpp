// An OpenCL implementation without any device, as a driver leaves it behind whose card is gone.
// The ICD loader loads it like any other when an .icd file names it.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>

#include <cstring>

// What the loader takes a platform for: its first member is the table of functions.
struct empty_platform {
  const cl_icd_dispatch *dispatch;
};

static cl_int CL_API_CALL get_platform_info(cl_platform_id, const cl_platform_info name,
                                            const size_t size, void *value, size_t *size_ret) {
  const char *text = name == CL_PLATFORM_PROFILE          ? "FULL_PROFILE"
                     : name == CL_PLATFORM_VERSION        ? "OpenCL 1.2 empty"
                     : name == CL_PLATFORM_EXTENSIONS     ? "cl_khr_icd"
                     : name == CL_PLATFORM_ICD_SUFFIX_KHR ? "EMPTY"
                                                          : "Empty Platform";
  if (value != nullptr) {
    if (size < strlen(text) + 1)
      return CL_INVALID_VALUE;
    memcpy(value, text, strlen(text) + 1);
  }
  if (size_ret != nullptr)
    *size_ret = strlen(text) + 1;
  return CL_SUCCESS;
}

static cl_int CL_API_CALL get_device_ids(cl_platform_id, cl_device_type, cl_uint, cl_device_id *,
                                         cl_uint *count) {
  if (count != nullptr)
    *count = 0;
  return CL_DEVICE_NOT_FOUND;
}

static cl_icd_dispatch make_dispatch() noexcept {
  cl_icd_dispatch table = {};
  table.clGetPlatformInfo = get_platform_info;
  table.clGetDeviceIDs = get_device_ids;
  return table;
}
static const cl_icd_dispatch dispatch = make_dispatch();
static empty_platform platform = {&dispatch};

static cl_int CL_API_CALL get_platform_ids(const cl_uint entries, cl_platform_id *platforms,
                                           cl_uint *count) {
  if (platforms != nullptr && entries > 0)
    platforms[0] = reinterpret_cast<cl_platform_id>(&platform);
  if (count != nullptr)
    *count = 1;
  return CL_SUCCESS;
}

// The one name that the loader looks up in the library.
extern "C" CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name) {
  if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
    return reinterpret_cast<void *>(get_platform_ids);
  if (strcmp(name, "clGetPlatformInfo") == 0)
    return reinterpret_cast<void *>(get_platform_info);
  return nullptr;
}
