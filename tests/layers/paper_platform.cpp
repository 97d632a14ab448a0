// An OpenCL implementation whose devices exist on paper only: they say what they are, and nothing
// more can be done with them. The ICD loader loads it like any other when an .icd file names it.
//
//   PAPER_DEVICES   types of devices, separated by commas, and of platforms, by semicolons:
//                   "cpu;;gpu,other" is three platforms, the second one without devices. "-" has
//                   none either, and calls that a success. Unset: one platform without any, as a
//                   driver leaves it behind whose card is gone
//   PAPER_BUFFER    bytes of the largest buffer of all devices, in place of those below
//   PAPER_NAMES     what the names of platforms and devices have behind them
//   PAPER_FAILS     a call that the first platform and the first device of all fail, and the code:
//                   clGetDeviceIDs=-6. "load": the library ends the program as it is loaded
//
// A device of the type "taken" is a GPU that is not available, and "ready-made" one without a
// compiler.
//
// Everything that device number d of all says is different from what another one says: the numbers
// in the table below are for d = 0, and larger by d times the step.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

// What the loader takes platforms and devices for: their first member is the table of functions.
struct paper_device {
  const cl_icd_dispatch *dispatch;
  std::string type, place; // place: "1:0"
  size_t platform;
  cl_ulong number;
};
struct paper_platform {
  const cl_icd_dispatch *dispatch;
  std::vector<paper_device *> devices;
  size_t number;
  bool content; // with no devices
};
// NOLINTNEXTLINE(cert-err58-cpp): without memory nothing can be tested
static std::vector<paper_platform *> &platforms = *new std::vector<paper_platform *>;

struct property {
  cl_device_info name;
  size_t size;
  cl_ulong first, step;
};
constexpr cl_ulong KIB = 1024, MIB = 1024 * KIB;
static const property properties[] = {
    {CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint), 21, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, sizeof(cl_uint), 1, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof(cl_uint), 4, 4},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(cl_uint), 568, 8},
    {CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong), 41 * KIB *MIB, 1536 * MIB},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong), 9 * KIB *MIB, 512 * MIB},
    {CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong), 49 * KIB, KIB},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t), 257, 1},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof(size_t), 83, 1},
};

static std::string tail() {
  const char *names = getenv("PAPER_NAMES");
  return names == nullptr ? "" : names;
}

// What such a call of the platform or device of this number answers.
static cl_int failure(const char *call, const cl_ulong number) {
  const char *fails = getenv("PAPER_FAILS");
  const size_t length = strlen(call);
  if (number != 0 || fails == nullptr || strncmp(fails, call, length) != 0)
    return CL_SUCCESS;
  return static_cast<cl_int>(strtol(fails + length + 1, nullptr, 10));
}

// Gives an answer as clGetDeviceInfo and clGetPlatformInfo do.
static cl_int answer(const void *from, const size_t bytes, const size_t room, void *to,
                     size_t *size_ret) {
  if (to != nullptr && room < bytes)
    return CL_INVALID_VALUE;
  if (to != nullptr)
    memcpy(to, from, bytes);
  if (size_ret != nullptr)
    *size_ret = bytes;
  return CL_SUCCESS;
}

static cl_int CL_API_CALL get_platform_info(cl_platform_id id, const cl_platform_info what,
                                            const size_t room, void *to, size_t *size_ret) {
  const auto *platform = reinterpret_cast<const paper_platform *>(id);
  const cl_int failed = failure("clGetPlatformInfo", platform->number);
  if (what == CL_PLATFORM_NAME && failed != CL_SUCCESS) // the loader asks for other things
    return failed;
  const std::string text = what == CL_PLATFORM_PROFILE          ? "FULL_PROFILE"
                           : what == CL_PLATFORM_VERSION        ? "OpenCL 1.2 paper"
                           : what == CL_PLATFORM_EXTENSIONS     ? "cl_khr_icd"
                           : what == CL_PLATFORM_ICD_SUFFIX_KHR ? "PAPER"
                           : what == CL_PLATFORM_NAME
                               ? "Paper Platform " + std::to_string(platform->number) + tail()
                               : "Paper";
  return answer(text.c_str(), text.size() + 1, room, to, size_ret);
}

static cl_device_type type_of(const paper_device *device) {
  return device->type == "gpu"           ? CL_DEVICE_TYPE_GPU
         : device->type == "taken"       ? CL_DEVICE_TYPE_GPU
         : device->type == "ready-made"  ? CL_DEVICE_TYPE_GPU
         : device->type == "accelerator" ? CL_DEVICE_TYPE_ACCELERATOR
         : device->type == "cpu"         ? CL_DEVICE_TYPE_CPU
                                         : CL_DEVICE_TYPE_CUSTOM;
}

// A platform's default device is its last one.
static cl_int CL_API_CALL get_device_ids(cl_platform_id id, const cl_device_type type,
                                         const cl_uint room, cl_device_id *to, cl_uint *count) {
  const cl_int failed =
      failure("clGetDeviceIDs", reinterpret_cast<const paper_platform *>(id)->number);
  if (failed != CL_SUCCESS)
    return failed;
  std::vector<paper_device *> devices;
  for (paper_device *device : reinterpret_cast<const paper_platform *>(id)->devices) {
    if (type == CL_DEVICE_TYPE_DEFAULT)
      devices.clear();
    if (type == CL_DEVICE_TYPE_ALL || type == CL_DEVICE_TYPE_DEFAULT ||
        (type & type_of(device)) != 0)
      devices.push_back(device);
  }
  for (size_t d = 0; to != nullptr && d < room && d < devices.size(); d++)
    to[d] = reinterpret_cast<cl_device_id>(devices[d]);
  if (count != nullptr)
    *count = static_cast<cl_uint>(devices.size());
  if (to != nullptr ? room == 0 : count == nullptr)
    return CL_INVALID_VALUE;
  const bool content = reinterpret_cast<const paper_platform *>(id)->content;
  return devices.empty() && !content ? CL_DEVICE_NOT_FOUND : CL_SUCCESS;
}

static cl_int CL_API_CALL get_device_info(cl_device_id id, const cl_device_info what,
                                          const size_t room, void *to, size_t *size_ret) {
  const auto *device = reinterpret_cast<const paper_device *>(id);
  const cl_int failed = failure("clGetDeviceInfo", device->number);
  if (failed != CL_SUCCESS)
    return failed;
  if (what == CL_DEVICE_AVAILABLE || what == CL_DEVICE_COMPILER_AVAILABLE) {
    const cl_bool yes = device->type != (what == CL_DEVICE_AVAILABLE ? "taken" : "ready-made");
    return answer(&yes, sizeof yes, room, to, size_ret);
  }
  const cl_bool odd = device->number % 2;
  if (what == CL_DEVICE_HOST_UNIFIED_MEMORY)
    return answer(&odd, sizeof odd, room, to, size_ret);
  if (what == CL_DEVICE_LOCAL_MEM_TYPE) {
    const cl_device_local_mem_type type = device->number % 3 == 0 ? CL_LOCAL : CL_GLOBAL;
    return answer(&type, sizeof type, room, to, size_ret);
  }
  if (what == CL_DEVICE_PLATFORM) {
    const auto *platform = reinterpret_cast<cl_platform_id>(platforms[device->platform]);
    return answer(&platform, sizeof platform, room, to, size_ret);
  }
  if (what == CL_DEVICE_TYPE) {
    const cl_device_type type = type_of(device);
    return answer(&type, sizeof type, room, to, size_ret);
  }
  const char *largest = getenv("PAPER_BUFFER");
  if (what == CL_DEVICE_MAX_MEM_ALLOC_SIZE && largest != nullptr) {
    const cl_ulong bytes = strtoull(largest, nullptr, 10);
    return answer(&bytes, sizeof bytes, room, to, size_ret);
  }
  for (const property &one : properties)
    if (what == one.name) {
      const cl_ulong value = one.first + device->number * one.step; // its low bytes come first
      return answer(&value, one.size, room, to, size_ret);
    }
  const std::string text = (what == CL_DEVICE_VERSION            ? "OpenCL 1.2 paper "
                            : what == CL_DEVICE_OPENCL_C_VERSION ? "OpenCL C 1.2 paper "
                            : what == CL_DEVICE_NAME             ? "Paper " + device->type + " "
                                                                 : "Something ") +
                           device->place + (what == CL_DEVICE_NAME ? tail() : "");
  return answer(text.c_str(), text.size() + 1, room, to, size_ret);
}

// The end of what can be done; but on which device it was tried tells something.
static cl_context CL_API_CALL create_context(
    const cl_context_properties *, const cl_uint count, const cl_device_id *devices,
    void(CL_CALLBACK *)(const char *, const void *, size_t, void *), void *, cl_int *status) {
  for (cl_uint d = 0; d < count; d++)
    fprintf(stderr, "paper: a context for %s\n",
            reinterpret_cast<const paper_device *>(devices[d])->place.c_str());
  if (status != nullptr)
    *status = CL_DEVICE_NOT_AVAILABLE;
  return nullptr;
}

static cl_icd_dispatch make_dispatch() noexcept {
  cl_icd_dispatch table = {};
  table.clGetPlatformInfo = get_platform_info;
  table.clGetDeviceIDs = get_device_ids;
  table.clGetDeviceInfo = get_device_info;
  table.clCreateContext = create_context;
  return table;
}
static const cl_icd_dispatch dispatch = make_dispatch();

static void make_platforms() {
  const char *wish = getenv("PAPER_DEVICES");
  std::istringstream text((wish == nullptr ? "" : std::string(wish)) + ";");
  cl_ulong number = 0;
  for (std::string types; std::getline(text, types, ';');) {
    auto *platform = new paper_platform{&dispatch, {}, platforms.size(), types == "-"};
    std::istringstream list(types == "-" ? "" : types);
    for (std::string type; std::getline(list, type, ',');)
      platform->devices.push_back(new paper_device{&dispatch, type,
                                                   std::to_string(platform->number) + ":" +
                                                       std::to_string(platform->devices.size()),
                                                   platform->number, number++});
    platforms.push_back(platform);
  }
}

static cl_int CL_API_CALL get_platform_ids(const cl_uint room, cl_platform_id *to, cl_uint *count) {
  if (platforms.empty())
    make_platforms();
  for (size_t p = 0; to != nullptr && p < room && p < platforms.size(); p++)
    to[p] = reinterpret_cast<cl_platform_id>(platforms[p]);
  if (count != nullptr)
    *count = static_cast<cl_uint>(platforms.size());
  return CL_SUCCESS;
}

// A driver with two LLVMs in it, say, or none of the libraries that it needs: SIGABRT.
__attribute__((constructor)) static void loaded() {
  const char *fails = getenv("PAPER_FAILS");
  if (fails != nullptr && strcmp(fails, "load") == 0) {
    fprintf(stderr, "paper: registered more than once\n");
    abort();
  }
}

// The one name that the loader looks up in the library.
extern "C" CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name) {
  if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
    return reinterpret_cast<void *>(get_platform_ids);
  if (strcmp(name, "clGetPlatformInfo") == 0)
    return reinterpret_cast<void *>(get_platform_info);
  return nullptr;
}
