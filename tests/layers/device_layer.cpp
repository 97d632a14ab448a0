// An OpenCL layer that makes the devices of an implementation look like others, and behave like
// them: what is above a limit is refused with the code that the specification names.
//
// The ICD loader puts it between a program and the OpenCL implementation when the environment
// variable OPENCL_LAYERS names it (see <CL/cl_layer.h>). Environment variables:
//
//   DEVICE_PROFILE  a file that describes a device (../devices/): lines of a key and its value,
//                   and comments that begin with #. What is not in it stays as it is:
//     name            CL_DEVICE_NAME
//     driver          CL_DRIVER_VERSION
//     type            gpu, accelerator or cpu; "cpu default": it is its platform's default, too,
//     which
//                     is another bit of its type
//     version         1.2: versions say so, and what is newer is refused; extensions: what it lists
//                     besides those that 1.2 asks for; features: what OpenCL C 3.0 can do there
//     partition       how it can be divided: equally, by_counts, both, or neither
//     compute_units (without partition such a device cannot be divided), vector_width (floats),
//     local_memory, global_memory, buffer (bytes; the last:
//                     of the largest one), unified (1 or 0: is the host's memory the device's?)
//     group           work-items in a work-group, at most; sizes: of them in each dimension
//     kernel_group    the same of every kernel; barrier_group: of those of a program with a barrier
//     multiple        CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE
//     fma 0           no CL_FP_FMA, and no program that is told to use it (-D FMA=fma)
//     capability      CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, with its extension and no other; build
//                     options of NVIDIA's (-cl-nv-...) are left out
//     times 0         no event has times; times first: none but those of the first of DEVICE_TYPES
//     resolution 0    the clock says that it has none, and its times are 0, 1, 2 and 3
//   DEVICE_TYPES    several devices: their types, by platform, such as cpu,accelerator/gpu. There
//                   must be as many real ones; each is called type-platform-number
#define CL_TARGET_OPENCL_VERSION 300 // to refuse what came after 1.2
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "layer.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

static cl_icd_dispatch real, table; // what would be called without the layer; what the loader calls
// NOLINTBEGIN(cert-err58-cpp): without memory nothing can be tested
static std::map<std::string, std::string> &profile = *new std::map<std::string, std::string>;
static std::set<cl_program> &with_barrier = *new std::set<cl_program>;
// Bytes of local memory of a kernel: of each argument by its number, and below DECLARED what it
// declares itself.
constexpr cl_uint DECLARED = ~0U;
static std::map<cl_kernel, std::map<cl_uint, cl_ulong>> &local_bytes =
    *new std::map<cl_kernel, std::map<cl_uint, cl_ulong>>;
// NOLINTEND(cert-err58-cpp)

static bool has(const char *key) {
  return profile.count(key) != 0;
}
static std::string said(const char *key) { // without adding it
  return has(key) ? profile.at(key) : "";
}
static cl_ulong number(const char *key, const cl_ulong otherwise) {
  return has(key) ? strtoull(said(key).c_str(), nullptr, 10) : otherwise;
}

static cl_device_type type_named(const std::string &name) {
  return name == "gpu"           ? CL_DEVICE_TYPE_GPU
         : name == "accelerator" ? CL_DEVICE_TYPE_ACCELERATOR
                                 : CL_DEVICE_TYPE_CPU;
}

// ---- DEVICE_TYPES: platforms of our own, that real devices are dealt out to ----

struct pretended {
  std::string name;
  cl_device_type type;
  cl_platform_id platform;
};
// NOLINTBEGIN(cert-err58-cpp): as above
static std::map<cl_device_id, pretended> &devices = *new std::map<cl_device_id, pretended>;
static std::vector<std::vector<cl_device_id>> &platforms =
    *new std::vector<std::vector<cl_device_id>>;
// NOLINTEND(cert-err58-cpp)

// A platform's handle is its number, from 1 on.
static cl_platform_id handle_of(const size_t p) {
  return reinterpret_cast<cl_platform_id>(p + 1); // NOLINT(performance-no-int-to-ptr)
}

static std::vector<cl_device_id> real_devices(cl_platform_id platform) {
  cl_uint count = 0;
  if (real.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS)
    return {};
  std::vector<cl_device_id> list(count);
  real.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, list.data(), nullptr);
  return list;
}

static cl_platform_id first_real_platform() {
  cl_platform_id first = nullptr;
  real.clGetPlatformIDs(1, &first, nullptr);
  return first;
}

static void deal_out(const std::string &types) {
  const std::vector<cl_device_id> list = real_devices(first_real_platform());
  std::istringstream all(types);
  size_t next = 0, p = 0;
  for (std::string of_one; std::getline(all, of_one, '/'); p++) {
    platforms.emplace_back();
    std::istringstream words(of_one);
    for (std::string word; std::getline(words, word, ','); next++) {
      if (next == list.size()) {
        fprintf(stderr, "layer: fewer devices than DEVICE_TYPES=%s names\n", types.c_str());
        _Exit(99);
      }
      const std::string name =
          word + "-" + std::to_string(p) + "-" + std::to_string(platforms[p].size());
      // The first one is the platform's default, too, which is a bit of its type.
      const cl_device_type more = platforms[p].empty() ? CL_DEVICE_TYPE_DEFAULT : 0;
      devices[list[next]] = {name, type_named(word) | more, handle_of(p)};
      platforms[p].push_back(list[next]);
    }
  }
}

static cl_int CL_API_CALL get_platforms(const cl_uint room, cl_platform_id *list, cl_uint *count) {
  if (platforms.empty())
    deal_out(text_from("DEVICE_TYPES"));
  for (size_t p = 0; list != nullptr && p < room && p < platforms.size(); p++)
    list[p] = handle_of(p);
  if (count != nullptr)
    *count = static_cast<cl_uint>(platforms.size());
  return CL_SUCCESS;
}

static cl_int CL_API_CALL platform_info(cl_platform_id, const cl_platform_info what,
                                        const size_t room, void *to, size_t *size_ret) {
  return real.clGetPlatformInfo(first_real_platform(), what, room, to, size_ret);
}

// ---- What is said of a device ----

static cl_device_type type_of(cl_device_id device) {
  if (devices.count(device) != 0)
    return devices[device].type;
  cl_device_type type = 0;
  real.clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
  if (!has("type"))
    return type;
  std::istringstream words(said("type"));
  std::string name, more;
  words >> name >> more;
  return type_named(name) | (more == "default" ? CL_DEVICE_TYPE_DEFAULT : 0);
}

static cl_int CL_API_CALL get_devices(cl_platform_id platform, const cl_device_type type,
                                      const cl_uint room, cl_device_id *list, cl_uint *count) {
  std::vector<cl_device_id> found;
  const std::vector<cl_device_id> there = platforms.empty()
                                              ? real_devices(platform)
                                              : platforms[reinterpret_cast<size_t>(platform) - 1];
  for (cl_device_id device : there)
    if ((type_of(device) & type) != 0)
      found.push_back(device);
  for (size_t d = 0; list != nullptr && d < room && d < found.size(); d++)
    list[d] = found[d];
  if (count != nullptr)
    *count = static_cast<cl_uint>(found.size());
  return found.empty() ? CL_DEVICE_NOT_FOUND : CL_SUCCESS;
}

static std::vector<size_t> largest_sizes() {
  std::istringstream words(said("sizes"));
  std::vector<size_t> sizes;
  for (size_t size; words >> size;)
    sizes.push_back(size);
  return sizes;
}

// Properties of OpenCL 2.0 and later; the numbers that it took over from 1.2 are below.
static bool is_newer(const cl_device_info what) {
  return what >= 0x104A && what <= 0x1070;
}

static cl_int CL_API_CALL device_info(cl_device_id device, const cl_device_info what,
                                      const size_t room, void *to, size_t *size_ret) {
  const auto text = [&](const std::string &value) {
    return give_back(value.c_str(), value.size() + 1, room, to, size_ret);
  };
  const auto value_of = [&](const auto value) {
    return give_back(&value, sizeof value, room, to, size_ret);
  };
  const bool old = has("version");
  if (old && is_newer(what))
    return CL_INVALID_VALUE;
  if (what == CL_DEVICE_TYPE)
    return value_of(type_of(device));
  if (devices.count(device) != 0 && what == CL_DEVICE_NAME)
    return text(devices[device].name);
  if (devices.count(device) != 0 && what == CL_DEVICE_PLATFORM)
    return value_of(devices[device].platform);
  if (has("name") && what == CL_DEVICE_NAME)
    return text(said("name"));
  if (has("driver") && what == CL_DRIVER_VERSION)
    return text(said("driver"));
  if (old && what == CL_DEVICE_VERSION)
    return text("OpenCL " + said("version") + " pretended");
  if (old && what == CL_DEVICE_OPENCL_C_VERSION)
    return text("OpenCL C " + said("version") + " pretended");
  constexpr cl_device_info capability_major = 0x4000; // of cl_nv_device_attribute_query
  if (has("capability") && what == capability_major)
    return value_of(static_cast<cl_uint>(number("capability", 0)));
  if (has("capability") && what == CL_DEVICE_EXTENSIONS)
    return text("cl_nv_device_attribute_query");
  if (has("features") && what == CL_DEVICE_OPENCL_C_FEATURES) {
    std::vector<cl_name_version> list;
    std::istringstream words(said("features"));
    for (std::string word; words >> word;) {
      list.push_back({CL_MAKE_VERSION(3, 0, 0), ""});
      snprintf(list.back().name, sizeof list.back().name, "%s", word.c_str());
    }
    return give_back(list.data(), list.size() * sizeof list[0], room, to, size_ret);
  }
  if ((old || has("features")) && what == CL_DEVICE_EXTENSIONS)
    return text("cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "
                "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics "
                "cl_khr_byte_addressable_store " +
                said("extensions"));
  if (has("sizes") && what == CL_DEVICE_MAX_WORK_ITEM_SIZES) {
    const std::vector<size_t> sizes = largest_sizes();
    return give_back(sizes.data(), sizes.size() * sizeof(size_t), room, to, size_ret);
  }
  if (has("compute_units") && what == CL_DEVICE_MAX_COMPUTE_UNITS)
    return value_of(static_cast<cl_uint>(number("compute_units", 0)));
  if ((has("partition") || has("compute_units")) && what == CL_DEVICE_PARTITION_PROPERTIES) {
    const std::string words = said("partition"); // without it: it has not so many to divide
    std::vector<cl_device_partition_property> ways;
    if (words.find("equally") != std::string::npos)
      ways.push_back(CL_DEVICE_PARTITION_EQUALLY);
    if (words.find("by_counts") != std::string::npos)
      ways.push_back(CL_DEVICE_PARTITION_BY_COUNTS);
    if (ways.empty())
      ways.push_back(0);
    return give_back(ways.data(), ways.size() * sizeof ways[0], room, to, size_ret);
  }
  if (has("vector_width") && (what == CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT ||
                              what == CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT))
    return value_of(static_cast<cl_uint>(number("vector_width", 0)));
  if (has("group") && what == CL_DEVICE_MAX_WORK_GROUP_SIZE)
    return value_of(static_cast<size_t>(number("group", 0)));
  if (has("local_memory") && what == CL_DEVICE_LOCAL_MEM_SIZE)
    return value_of(number("local_memory", 0));
  if (has("global_memory") && what == CL_DEVICE_GLOBAL_MEM_SIZE)
    return value_of(number("global_memory", 0));
  if (has("buffer") && what == CL_DEVICE_MAX_MEM_ALLOC_SIZE)
    return value_of(number("buffer", 0));
  if (has("resolution") && what == CL_DEVICE_PROFILING_TIMER_RESOLUTION)
    return value_of(static_cast<size_t>(number("resolution", 0)));
  if (has("unified") && what == CL_DEVICE_HOST_UNIFIED_MEMORY)
    return value_of(static_cast<cl_bool>(number("unified", 0)));
  if (number("fma", 1) == 0 && what == CL_DEVICE_SINGLE_FP_CONFIG) {
    cl_device_fp_config config = 0;
    real.clGetDeviceInfo(device, what, sizeof config, &config, nullptr);
    return value_of(config & ~static_cast<cl_device_fp_config>(CL_FP_FMA));
  }
  return real.clGetDeviceInfo(device, what, room, to, size_ret);
}

// ---- What a kernel can have ----

static size_t largest_group(cl_kernel kernel, cl_device_id device) {
  size_t most = 0;
  cl_program program = nullptr;
  real.clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most,
                                nullptr);
  real.clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, nullptr);
  most = std::min<size_t>({most, number("group", most), number("kernel_group", most)});
  if (with_barrier.count(program) != 0)
    most = std::min<size_t>(most, number("barrier_group", most));
  return most;
}

static cl_int CL_API_CALL kernel_info(cl_kernel kernel, cl_device_id device,
                                      const cl_kernel_work_group_info what, const size_t room,
                                      void *to, size_t *size_ret) {
  const size_t most = largest_group(kernel, device);
  const size_t multiple = static_cast<size_t>(number("multiple", 0));
  if (what == CL_KERNEL_WORK_GROUP_SIZE)
    return give_back(&most, sizeof most, room, to, size_ret);
  if (what == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE && multiple > 0)
    return give_back(&multiple, sizeof multiple, room, to, size_ret);
  return real.clGetKernelWorkGroupInfo(kernel, device, what, room, to, size_ret);
}

static cl_program CL_API_CALL create_program(cl_context context, const cl_uint count,
                                             const char **texts, const size_t *lengths,
                                             cl_int *status) {
  cl_program program = real.clCreateProgramWithSource(context, count, texts, lengths, status);
  for (cl_uint i = 0; program != nullptr && i < count; i++) {
    const bool ends = lengths != nullptr && lengths[i] > 0;
    const std::string text = ends ? std::string(texts[i], lengths[i]) : std::string(texts[i]);
    if (text.find("barrier(") != std::string::npos)
      with_barrier.insert(program);
  }
  return program;
}

// Has the program a kernel that declares more local memory, or a larger work-group
// (reqd_work_group_size), than the device has? The compilers of GPUs refuse both.
static bool asks_too_much(cl_program program) {
  cl_uint count = 0;
  cl_device_id device = nullptr;
  real.clCreateKernelsInProgram(program, 0, nullptr, &count);
  real.clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof device, &device, nullptr);
  std::vector<cl_kernel> kernels(count);
  real.clCreateKernelsInProgram(program, count, kernels.data(), nullptr);
  bool too_much = false;
  for (cl_kernel kernel : kernels) {
    cl_ulong bytes = 0;
    size_t wanted[3] = {0, 0, 0};
    real.clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes,
                                  nullptr);
    real.clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof wanted,
                                  wanted, nullptr);
    const size_t items = wanted[0] * wanted[1] * wanted[2];
    too_much |= bytes > number("local_memory", bytes) || items > number("group", items);
    real.clReleaseKernel(kernel);
  }
  return too_much;
}

static cl_int CL_API_CALL build_program(cl_program program, const cl_uint count,
                                        const cl_device_id *list, const char *options,
                                        void(CL_CALLBACK *notify)(cl_program, void *), void *data) {
  if (has("version") && options != nullptr && strstr(options, "-cl-std=") != nullptr &&
      strstr(options, "-cl-std=CL1.") == nullptr)
    return CL_INVALID_BUILD_OPTIONS;
  // A real device would only be slow.
  if (number("fma", 1) == 0 && options != nullptr && strstr(options, "=fma") != nullptr)
    return CL_INVALID_BUILD_OPTIONS;
  // No device has NVIDIA's options here, or its matrix units: a kernel brings its own
  // (SAYS_FORCED).
  std::string known = options == nullptr ? "" : options;
  if (has("capability"))
    known = std::regex_replace(known, std::regex("-cl-nv-[^ ]*"), "");
  const cl_int status = real.clBuildProgram(program, count, list, known.c_str(), notify, data);
  return status == CL_SUCCESS && asks_too_much(program) ? CL_BUILD_PROGRAM_FAILURE : status;
}

// What CL_KERNEL_LOCAL_MEM_SIZE says once there are arguments is with some implementations without
// them (PoCL 6), so the arguments are counted here.
static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *status) {
  cl_kernel kernel = real.clCreateKernel(program, name, status);
  cl_device_id device = nullptr;
  cl_ulong bytes = 0;
  if (kernel == nullptr)
    return nullptr;
  real.clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof device, &device, nullptr);
  real.clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes,
                                nullptr);
  local_bytes[kernel] = {{DECLARED, bytes}};
  return kernel;
}

static cl_int CL_API_CALL set_argument(cl_kernel kernel, const cl_uint index, const size_t size,
                                       const void *value) {
  const cl_int status = real.clSetKernelArg(kernel, index, size, value);
  if (status == CL_SUCCESS && value == nullptr)
    local_bytes[kernel][index] = size;
  return status;
}

// ---- What is refused ----

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, const cl_uint dims,
                                 const size_t *offset, const size_t *global_size,
                                 const size_t *local_size, const cl_uint count,
                                 const cl_event *list, cl_event *event) {
  cl_device_id device = nullptr;
  real.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr);
  const std::vector<size_t> sizes = largest_sizes();
  size_t items = 1;
  for (cl_uint i = 0; local_size != nullptr && i < dims; i++) {
    if (i < sizes.size() && local_size[i] > sizes[i])
      return CL_INVALID_WORK_ITEM_SIZE;
    if (local_size[i] == 0 || (has("version") && global_size[i] % local_size[i] != 0))
      return CL_INVALID_WORK_GROUP_SIZE;
    items *= local_size[i];
  }
  if (items > largest_group(kernel, device))
    return CL_INVALID_WORK_GROUP_SIZE;
  cl_ulong local_memory = 0;
  for (const auto &[index, bytes] : local_bytes[kernel])
    local_memory += bytes;
  if (local_memory > number("local_memory", local_memory))
    return CL_OUT_OF_RESOURCES;
  return real.clEnqueueNDRangeKernel(queue, kernel, dims, offset, global_size, local_size, count,
                                     list, event);
}

static cl_mem CL_API_CALL create_buffer(cl_context context, const cl_mem_flags flags,
                                        const size_t bytes, void *host, cl_int *status) {
  if (bytes <= number("buffer", bytes))
    return real.clCreateBuffer(context, flags, bytes, host, status);
  if (status != nullptr)
    *status = CL_INVALID_BUFFER_SIZE;
  return nullptr;
}

static cl_int CL_API_CALL no_times(cl_event, cl_profiling_info, size_t, void *, size_t *) {
  return CL_PROFILING_INFO_NOT_AVAILABLE;
}

static cl_int CL_API_CALL times_of_the_first(cl_event event, const cl_profiling_info moment,
                                             const size_t room, void *to, size_t *size_ret) {
  cl_command_queue queue = nullptr;
  cl_device_id device = nullptr;
  real.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(cl_command_queue), &queue, nullptr);
  real.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &device, nullptr);
  if (device != platforms.front().front())
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  return real.clGetEventProfilingInfo(event, moment, room, to, size_ret);
}

static cl_int CL_API_CALL no_clock(cl_event, const cl_profiling_info moment, const size_t room,
                                   void *to, size_t *size_ret) {
  const cl_ulong time = moment - CL_PROFILING_COMMAND_QUEUED; // four numbers that follow each other
  return give_back(&time, sizeof time, room, to, size_ret);
}

// A function that came after 1.2.
template <auto member> struct newer;
template <typename R, typename... A, R (*cl_icd_dispatch::*member)(A...)> struct newer<member> {
  static R call(A... args) {
    const std::tuple<A...> arguments(args...);
    if constexpr (std::is_same_v<R, cl_int>) {
      return CL_INVALID_OPERATION;
    } else if constexpr (!std::is_void_v<R>) {
      const auto last = std::get<sizeof...(A) - 1>(arguments);
      if constexpr (std::is_same_v<decltype(last), cl_int *const>)
        if (last != nullptr)
          *last = CL_INVALID_OPERATION;
      return nullptr;
    }
  }
};

static void refuse_what_is_newer() {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a member's name
#define NEWER(function) table.function = newer<&cl_icd_dispatch::function>::call
  NEWER(clCreateCommandQueueWithProperties);
  NEWER(clCreatePipe);
  NEWER(clGetPipeInfo);
  NEWER(clSVMAlloc);
  NEWER(clSVMFree);
  NEWER(clEnqueueSVMFree);
  NEWER(clEnqueueSVMMemcpy);
  NEWER(clEnqueueSVMMemFill);
  NEWER(clEnqueueSVMMap);
  NEWER(clEnqueueSVMUnmap);
  NEWER(clCreateSamplerWithProperties);
  NEWER(clSetKernelArgSVMPointer);
  NEWER(clSetKernelExecInfo);
  NEWER(clCloneKernel);
  NEWER(clCreateProgramWithIL);
  NEWER(clEnqueueSVMMigrateMem);
  NEWER(clGetDeviceAndHostTimer);
  NEWER(clGetHostTimer);
  NEWER(clGetKernelSubGroupInfo);
  NEWER(clSetDefaultDeviceCommandQueue);
  NEWER(clSetProgramReleaseCallback);
  NEWER(clSetProgramSpecializationConstant);
  NEWER(clCreateBufferWithProperties);
  NEWER(clCreateImageWithProperties);
  NEWER(clSetContextDestructorCallback);
#undef NEWER
}

static void read_profile(const std::string &path) {
  std::ifstream file(path);
  if (!file) {
    fprintf(stderr, "layer: DEVICE_PROFILE names no file that can be read: %s\n", path.c_str());
    _Exit(99);
  }
  static const std::set<std::string> keys = {
      "name",          "type",         "features",     "partition",     "version",  "extensions",
      "compute_units", "vector_width", "local_memory", "global_memory", "buffer",   "unified",
      "group",         "sizes",        "kernel_group", "barrier_group", "multiple", "fma",
      "times",         "capability",   "resolution",   "driver"};
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    const size_t blank = line.find(' ');
    if (blank == std::string::npos || keys.count(line.substr(0, blank)) == 0) {
      fprintf(stderr, "layer: %s has a line that means nothing: %s\n", path.c_str(), line.c_str());
      _Exit(99);
    }
    profile[line.substr(0, blank)] = line.substr(blank + 1);
  }
}

extern "C" CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(const cl_layer_info what,
                                                          const size_t room, void *to,
                                                          size_t *size_ret) {
  return layer_info("device_layer", what, room, to, size_ret);
}

extern "C" CL_API_ENTRY cl_int CL_API_CALL clInitLayer(const cl_uint num_entries,
                                                       const cl_icd_dispatch *target,
                                                       cl_uint *num_entries_ret,
                                                       const cl_icd_dispatch **layer_dispatch_ret) {
  if (!begin_layer(num_entries, target, num_entries_ret, layer_dispatch_ret, table))
    return CL_INVALID_VALUE;
  real = *target;
  if (const std::string path = text_from("DEVICE_PROFILE"); !path.empty())
    read_profile(path);
  if (!text_from("DEVICE_TYPES").empty()) {
    table.clGetPlatformIDs = get_platforms;
    table.clGetPlatformInfo = platform_info;
  }
  table.clGetDeviceIDs = get_devices;
  table.clGetDeviceInfo = device_info;
  table.clGetKernelWorkGroupInfo = kernel_info;
  table.clCreateProgramWithSource = create_program;
  table.clBuildProgram = build_program;
  table.clCreateKernel = create_kernel;
  table.clSetKernelArg = set_argument;
  table.clEnqueueNDRangeKernel = launch;
  table.clCreateBuffer = create_buffer;
  if (has("times") && said("times") == "0")
    table.clGetEventProfilingInfo = no_times;
  if (has("times") && said("times") == "first")
    table.clGetEventProfilingInfo = times_of_the_first;
  if (has("resolution"))
    table.clGetEventProfilingInfo = no_clock;
  if (has("version"))
    refuse_what_is_newer();
  return CL_SUCCESS;
}
