// A library that is loaded before libOpenCL and writes down the calls of a program, for the checks
// of the answers to exercises: which buffers there were, what was released, what the device's clock
// said, what was built. With most of the settings it also lies to the program, to see whether that
// notices, or has its kernels do what the host would never have asked of them.
//
//   LD_PRELOAD=spy.so SPY_LOG=calls.txt program
//
//   SPY_LOG      one line a call, in order: its name without "cl", then what the checks ask for;
//                the first is "spy": a program without calls can be told from one without spy
//   SPY_SOURCES  a folder: what was handed to clCreateProgramWithSource, 1, 2, ...
//   SPY_DROP     launches work on copies of the buffers: nothing of what they compute arrives
//   SPY_INPUTS   "2": every element of the second input is its last, where these are not equal
//   SPY_TAKE     a folder: the content of the files in1, in2, ... takes the place of these inputs,
//                as far as it goes
//   SPY_KEEP     a folder: the inputs as the device gets them go there, and what the program reads
//                back: in1, in2, ..., out1, ...
//   SPY_AFTER    a folder: L.A is what the buffer that is argument A holds after launch L, for the
//                first eight launches and buffers of up to a megabyte
//   SPY_BEFORE   a folder: what the file L.A holds is in the buffer that is argument A as launch L
//                begins
//   SPY_RESULTS  the last element of whatever comes back is another
//   SPY_FLOATS   "6=1.5 7=0": what the 4 bytes of these arguments of the kernels are, as floats
//   SPY_ITEMS    "1": a launch has one work-item in all, or a group of so many; results that begin
//                with NaN begin with 0, as there are fewer who write some
//   SPY_INFO     "1005=64 1023=9": what clGetDeviceInfo says of the property with this number (in
//                hexadecimal digits), in each of its eight bytes
//   SPY_TEXT     "102f=OpenCL 3.0", one on a line: the same of properties that are text
//   SPY_FIRST    text that comes before each program's source
//   SPY_MAPS     as on a device that has its own memory: a region that is mapped is not the buffer,
//                and is full of NaN if it is to be written anew, as long as nobody has waited for
//                it, and once it is unmapped
//   SPY_RUNS     "2": until so many queues have a launch, no command of one that has has ended,
//                whoever asks, and until a launch has ended in so many, nobody is told of an end; a
//                program that asks again and again, or for three seconds, is ended
//   SPY_CLOCK    "7000 20": what each command took in ms by its event, one after the other, and
//                then from the beginning
//
// An input is a buffer's content from the host that does not begin with NaN, and is not all alike.
// Linux only.
#include "../common/opencl.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

template <typename F> static F real(F, const char *name) {
  void *const address = dlsym(RTLD_NEXT, name);
  if (address == nullptr) {
    fprintf(stderr, "spy: no %s to call\n", name);
    abort();
  }
  return reinterpret_cast<F>(address);
}
#define REAL(f) real(&(f), #f)

static FILE *log_file() {
  static FILE *const file = [] {
    const char *path = getenv("SPY_LOG");
    return path == nullptr ? nullptr : fopen(path, "a");
  }();
  return file;
}
// What the program starts, such as the linker that PoCL calls, is not spied on.
__attribute__((constructor)) static void begin() {
  unsetenv("LD_PRELOAD");
  if (log_file() != nullptr)
    fprintf(log_file(), "spy\n"), fflush(log_file());
}
template <typename... T> static void note(const char *format, const T... values) {
  if (log_file() == nullptr)
    return;
  fprintf(log_file(), format, values...);
  fflush(log_file());
}

// A command: its queue, the buffers that it uses, the events that it waits for, and the one that it
// gives.
static void note_order(const char *what, cl_command_queue queue, const std::vector<cl_mem> &uses,
                       const cl_uint n, const cl_event *list, const cl_event *event) {
  const auto text = [](const void *object) {
    char digits[32];
    snprintf(digits, sizeof digits, "%p", object);
    return std::string(digits);
  };
  std::string buffers, waits;
  for (cl_mem buffer : uses)
    buffers += "," + text(buffer);
  for (cl_uint i = 0; list != nullptr && i < n; i++)
    waits += "," + text(list[i]);
  note("order %s %p uses%s waits%s gives %s\n", what, static_cast<void *>(queue), buffers.c_str(),
       waits.c_str(), event == nullptr ? "-" : text(*event).c_str());
}

static long setting(const char *name) {
  const char *const text = getenv(name);
  return text == nullptr ? 0 : atol(text);
}
static std::vector<char> read_file(const char *folder, const std::string &name) {
  std::vector<char> bytes;
  FILE *const file = getenv(folder) == nullptr
                         ? nullptr
                         : fopen((std::string(getenv(folder)) + "/" + name).c_str(), "rb");
  for (int byte; file != nullptr && (byte = fgetc(file)) != EOF;)
    bytes.push_back(static_cast<char>(byte));
  if (file != nullptr)
    fclose(file);
  return bytes;
}
static void write_file(const char *folder, const char *kind, const size_t number, const void *data,
                       const size_t bytes) {
  if (getenv(folder) == nullptr)
    return;
  const std::string path = std::string(getenv(folder)) + "/" + kind + std::to_string(number);
  if (FILE *const file = fopen(path.c_str(), "wb")) {
    fwrite(data, 1, bytes, file);
    fclose(file);
  }
}

// A region that the program has mapped: its buffer, what the device's own library has mapped, and
// whether the program may write there.
struct map_of {
  cl_mem buffer;
  void *real;
  size_t bytes;
  bool written;
};

// What is known of the program. Never destroyed: it may still call OpenCL while it ends.
struct state {
  std::map<cl_mem, size_t> sizes, inputs; // of each buffer: its bytes; which input it is, from 1 on
  std::map<cl_kernel, std::map<cl_uint, cl_mem>> arguments;
  std::deque<std::vector<char>> kept; // what a transfer that does not wait may still read
  std::set<cl_mem> of_host;           // whose memory is the program's own
  std::map<void *, map_of> mapped;
  std::map<void *, std::string> late; // regions that nobody has waited for: what is to come
  std::map<cl_kernel, std::map<cl_uint, std::string>> values; // of the arguments, for a note
  std::map<cl_event, std::pair<cl_ulong, cl_ulong>> times;    // that SPY_CLOCK gives them
  std::vector<double> clock;
  cl_ulong now =
      1700000000000000000; // ns since 1970, as with some drivers: no double holds them all
  cl_context context = nullptr;
  std::set<cl_command_queue> launched; // that have a launch
  std::mutex telling;                  // of what SPY_RUNS has not told the program yet
  std::vector<std::function<void()>> untold;
  std::set<void *> ended; // the queues that have a launch that has ended
  size_t num_asked = 0;   // whether a command has ended, and SPY_RUNS said no
  size_t num_sources = 0, num_inputs = 0, num_results = 0, num_launches = 0, num_events = 0;
};
static state &the = *new state; // NOLINT(cert-err58-cpp): without memory nothing can be tested

// An event that the program asked for has to be released like everything else, and its times are
// there only once its command has ended.
static void note_event(const cl_int status, const cl_event *event) {
  if (status != CL_SUCCESS || event == nullptr)
    return;
  note("create event %p\n", static_cast<void *>(*event));
  if (const char *text = getenv("SPY_CLOCK"); text != nullptr && the.clock.empty())
    for (char *end = nullptr;; text = end) {
      const double ms = strtod(text, &end);
      if (end == text)
        break;
      the.clock.push_back(ms);
    }
  if (the.clock.empty())
    return;
  const double ms = the.clock[the.num_events++ % the.clock.size()];
  const cl_ulong start = the.now + 2000;
  the.now = start + static_cast<cl_ulong>(std::llround(ms * 1e6));
  the.times[*event] = {start, the.now};
}

// Which input this is, from 1 on; 0 where it is none.
static size_t number_of_input(const cl_mem buffer, const void *data, const size_t bytes) {
  std::vector<uint32_t> words(bytes / sizeof(uint32_t));
  if (words.size() < 2 || data == nullptr)
    return 0;
  memcpy(words.data(), data, words.size() * sizeof(uint32_t));
  float first = 0.0F;
  memcpy(&first, words.data(), sizeof first);
  const auto other = [&](const uint32_t word) { return word != words[0]; };
  if (std::isnan(first) || std::none_of(words.begin(), words.end(), other))
    return 0;
  if (buffer == nullptr || the.inputs.count(buffer) == 0)
    note("input %zu\n", ++the.num_inputs);
  const size_t number =
      buffer == nullptr ? the.num_inputs : the.inputs.emplace(buffer, the.num_inputs).first->second;
  return number;
}
// Changes an input in place, as the settings say.
static void change_input(const size_t number, void *data, const size_t bytes) {
  const size_t n = bytes / sizeof(uint32_t);
  std::vector<uint32_t> words(n);
  memcpy(words.data(), data, n * sizeof(uint32_t));
  if (getenv("SPY_TAKE") != nullptr) {
    const std::vector<char> other = read_file("SPY_TAKE", "in" + std::to_string(number));
    memcpy(words.data(), other.data(), std::min(other.size(), n * sizeof(uint32_t)));
    if (!other.empty())
      note("took %zu\n", std::min(other.size() / sizeof(uint32_t), n));
  } else if (setting("SPY_INPUTS") == static_cast<long>(number)) {
    for (size_t i = n; i-- > 0 && words[0] == words[n - 1];)
      words[n - 1] = words[i];
    std::fill(words.begin(), words.end(), words[n - 1]);
  }
  memcpy(data, words.data(), n * sizeof(uint32_t));
  write_file("SPY_KEEP", "in", number, data, bytes);
}
static bool changes_inputs() {
  return getenv("SPY_TAKE") != nullptr || setting("SPY_INPUTS") != 0 ||
         getenv("SPY_KEEP") != nullptr;
}
// What goes to the device in place of `data`.
static const void *changed_input(const cl_mem buffer, const void *data, const size_t bytes) {
  const size_t number = number_of_input(buffer, data, bytes);
  if (number == 0 || !changes_inputs())
    return data;
  const char *const begin = static_cast<const char *>(data);
  the.kept.emplace_back(begin, begin + bytes);
  change_input(number, the.kept.back().data(), bytes);
  return the.kept.back().data();
}
static void change_result(void *data, const size_t bytes) {
  write_file("SPY_KEEP", "out", ++the.num_results, data, bytes);
  if (setting("SPY_RESULTS") == 0 || bytes < sizeof(uint32_t))
    return;
  auto *const last = static_cast<uint32_t *>(data) + bytes / sizeof(uint32_t) - 1;
  *last ^= 0x40000000U; // another float, and another whole number
}

// The program waits: what was mapped is there now.
static void arrive() {
  for (const auto &[region, bytes] : the.late)
    memcpy(region, bytes.data(), bytes.size());
  the.late.clear();
}

[[noreturn]] static void waits_for_ever() {
  note("asks for ever\n");
  _exit(EXIT_FAILURE);
}

// Whether SPY_RUNS says of a command that it has not ended.
static bool still_runs(cl_event event) {
  if (static_cast<long>(the.launched.size()) >= setting("SPY_RUNS"))
    return false;
  cl_command_queue queue = nullptr;
  REAL(clGetEventInfo)(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, nullptr);
  if (the.launched.count(queue) == 0)
    return false;
  if (++the.num_asked > 100000)
    waits_for_ever();
  return true;
}

// A launch in this queue has ended: where that is the last one that SPY_RUNS waits for, what has
// ended before is told now.
static void CL_CALLBACK launch_ended(cl_event, cl_int, void *queue) {
  std::vector<std::function<void()>> now;
  {
    const std::lock_guard<std::mutex> lock(the.telling);
    the.ended.insert(queue);
    if (static_cast<long>(the.ended.size()) < setting("SPY_RUNS"))
      return;
    now.swap(the.untold);
  }
  if (!now.empty())
    alarm(0);
  for (const std::function<void()> &tell : now)
    tell();
}

// A buffer of floats that begins with NaN, which nobody has written, holds 0 in its place.
static void begin_with_0(cl_command_queue queue, cl_mem buffer) {
  float first = 0.0F;
  const size_t bytes = the.sizes[buffer];
  if (bytes < sizeof first ||
      REAL(clEnqueueReadBuffer)(queue, buffer, CL_TRUE, 0, sizeof first, &first, 0, nullptr,
                                nullptr) != CL_SUCCESS ||
      !std::isnan(first))
    return;
  const std::vector<char> zeros(bytes);
  REAL(clEnqueueWriteBuffer)
  (queue, buffer, CL_TRUE, 0, bytes, zeros.data(), 0, nullptr, nullptr);
}

// What SPY_TEXT says of a property; nullptr where it says nothing.
static const std::string *other_text(const cl_device_info what) {
  static const std::map<unsigned long, std::string> &texts = *[] {
    auto *const all = new std::map<unsigned long, std::string>; // NOLINT: kept, like the state
    const char *const setting = getenv("SPY_TEXT");
    std::string rest = setting == nullptr ? "" : setting;
    while (!rest.empty()) {
      const std::string line = rest.substr(0, rest.find('\n'));
      const size_t equals = line.find('=');
      if (equals != std::string::npos)
        (*all)[strtoul(line.c_str(), nullptr, 16)] = line.substr(equals + 1);
      rest.erase(0, line.size() + 1);
    }
    return all;
  }();
  const auto at = texts.find(what);
  return at == texts.end() ? nullptr : &at->second;
}

// A command that waits for others and does nothing else.
template <typename F>
static cl_int wait_in_queue(const char *what, F enqueue, cl_command_queue queue, const cl_uint n,
                            const cl_event *list, cl_event *event) {
  note("Enqueue%s\n", what);
  const cl_int status = enqueue(queue, n, list, event);
  note_event(status, event);
  note_order(what, queue, {}, n, list, event);
  return status;
}

extern "C" {
cl_context clCreateContext(const cl_context_properties *properties, cl_uint n,
                           const cl_device_id *devices,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                           void *data, cl_int *status) {
  note("create context%s\n", "");
  return the.context = REAL(clCreateContext)(properties, n, devices, notify, data, status);
}
cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *status) {
  note("create queue %s\n",
       (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0 ? "without order" : "");
  cl_command_queue queue = REAL(clCreateCommandQueue)(context, device, properties, status);
  note("on %p %p %s\n", static_cast<void *>(queue), static_cast<void *>(device),
       (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0 ? "without order" : "");
  return queue;
}
cl_int clCreateSubDevices(cl_device_id device, const cl_device_partition_property *properties,
                          cl_uint n, cl_device_id *devices, cl_uint *num) {
  note("CreateSubDevices %u\n", n);
  return REAL(clCreateSubDevices)(device, properties, n, devices, num);
}
cl_program clCreateProgramWithSource(cl_context context, cl_uint n, const char **texts,
                                     const size_t *lengths, cl_int *status) {
  note("create program%s\n", "");
  std::string whole;
  for (cl_uint i = 0; texts != nullptr && i < n; i++)
    whole += lengths != nullptr && lengths[i] != 0 ? std::string(texts[i], lengths[i]) : texts[i];
  write_file("SPY_SOURCES", "", ++the.num_sources, whole.data(), whole.size());
  if (const char *const first = getenv("SPY_FIRST")) {
    whole = std::string(first) + "\n#line 1\n" + whole;
    const char *text = whole.c_str();
    return REAL(clCreateProgramWithSource)(context, 1, &text, nullptr, status);
  }
  return REAL(clCreateProgramWithSource)(context, n, texts, lengths, status);
}
cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *status) {
  note("create kernel %s\n", name);
  return REAL(clCreateKernel)(program, name, status);
}
cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                      cl_int *status) {
  note("create buffer %zu\n", size);
  if ((flags & CL_MEM_COPY_HOST_PTR) != 0)
    host = const_cast<void *>(changed_input(nullptr, host, size));
  cl_mem buffer = REAL(clCreateBuffer)(context, flags, size, host, status);
  if (buffer != nullptr)
    the.sizes[buffer] = size;
  if ((flags & CL_MEM_USE_HOST_PTR) != 0)
    the.of_host.insert(buffer);
  else
    the.of_host.erase(buffer);
  the.inputs.erase(buffer); // another buffer, where there was one that is gone
  return buffer;
}

int rename(const char *from, const char *to) noexcept {
  note("rename %s %s\n", from, to);
  return REAL(rename)(from, to);
}

cl_int clReleaseContext(cl_context object) {
  note("release context%s\n", "");
  return REAL(clReleaseContext)(object);
}
cl_int clReleaseCommandQueue(cl_command_queue object) {
  note("release queue%s\n", "");
  return REAL(clReleaseCommandQueue)(object);
}
cl_int clReleaseProgram(cl_program object) {
  note("release program%s\n", "");
  return REAL(clReleaseProgram)(object);
}
cl_int clReleaseKernel(cl_kernel object) {
  note("release kernel%s\n", "");
  return REAL(clReleaseKernel)(object);
}
cl_int clReleaseMemObject(cl_mem object) {
  note("release buffer%s\n", "");
  return REAL(clReleaseMemObject)(object);
}
cl_int clReleaseEvent(cl_event object) {
  note("release event%s\n", "");
  return REAL(clReleaseEvent)(object);
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
  note("SetKernelArg %u %zu\n", index, size);
  std::string bytes;
  for (size_t i = 0; value != nullptr && i < std::min<size_t>(size, 16); i++) {
    char digits[3];
    snprintf(digits, sizeof digits, "%02x", static_cast<const unsigned char *>(value)[i]);
    bytes += digits;
  }
  the.values[kernel][index] = bytes;
  const std::string key = " " + std::to_string(index) + "=";
  const std::string floats = std::string(" ") + (getenv("SPY_FLOATS") ? getenv("SPY_FLOATS") : "");
  if (const size_t at = floats.find(key); at != std::string::npos && size == sizeof(float)) {
    const float other = strtof(floats.c_str() + at + key.size(), nullptr);
    return REAL(clSetKernelArg)(kernel, index, size, &other);
  }
  if (size == sizeof(cl_mem) && value != nullptr) {
    cl_mem buffer = nullptr;
    memcpy(&buffer, value, sizeof buffer);
    the.arguments[kernel].erase(index);
    if (the.sizes.count(buffer) != 0)
      the.arguments[kernel][index] = buffer;
  }
  return REAL(clSetKernelArg)(kernel, index, size, value);
}
cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint n, const cl_event *list, cl_event *event) {
  size_t items = 1;
  for (cl_uint d = 0; d < dimensions; d++)
    items *= global[d];
  note("EnqueueNDRangeKernel %zu %zu %zu %u\n", global[0], local == nullptr ? size_t{0} : local[0],
       items, n);
  std::string with;
  for (const auto &[index, bytes] : the.values[kernel])
    with += " " + std::to_string(index) + "=" + bytes;
  note("with %p%s\n", static_cast<void *>(kernel), with.c_str());
  size_t wide_global = global[0], wide_local = local == nullptr ? 0 : local[0];
  if (const long few = setting("SPY_ITEMS"); few > 0 && dimensions == 1) {
    wide_global = wide_local = static_cast<size_t>(few);
    global = &wide_global;
    local = &wide_local;
    for (const auto &[index, buffer] : the.arguments[kernel])
      begin_with_0(queue, buffer);
  }
  std::map<cl_uint, cl_mem> copies;
  if (setting("SPY_DROP") != 0)
    for (const auto &[index, buffer] : the.arguments[kernel]) {
      copies[index] =
          REAL(clCreateBuffer)(the.context, CL_MEM_READ_WRITE, the.sizes[buffer], nullptr, nullptr);
      REAL(clEnqueueCopyBuffer)
      (queue, buffer, copies[index], 0, 0, the.sizes[buffer], 0, nullptr, nullptr);
      REAL(clSetKernelArg)(kernel, index, sizeof(cl_mem), &copies[index]);
    }
  ++the.num_launches;
  the.launched.insert(queue);
  for (const auto &[index, buffer] : the.arguments[kernel]) {
    const std::vector<char> other =
        read_file("SPY_BEFORE", std::to_string(the.num_launches) + "." + std::to_string(index));
    if (!other.empty())
      REAL(clEnqueueWriteBuffer)
    (queue, buffer, CL_TRUE, 0, std::min(other.size(), the.sizes[buffer]), other.data(), 0, nullptr,
     nullptr);
  }
  const bool counts = setting("SPY_RUNS") > 0;
  cl_event own = nullptr;
  cl_event *const given = event == nullptr && counts ? &own : event;
  const cl_int status = REAL(clEnqueueNDRangeKernel)(queue, kernel, dimensions, offset, global,
                                                     local, n, list, given);
  if (counts && status == CL_SUCCESS)
    REAL(clSetEventCallback)(*given, CL_COMPLETE, launch_ended, queue);
  if (own != nullptr)
    REAL(clReleaseEvent)(own);
  for (const auto &[index, copy] : copies) {
    REAL(clSetKernelArg)(kernel, index, sizeof(cl_mem), &the.arguments[kernel][index]);
    REAL(clReleaseMemObject)(copy);
  }
  if (getenv("SPY_AFTER") != nullptr && status == CL_SUCCESS && the.num_launches <= 8)
    for (const auto &[index, buffer] : the.arguments[kernel]) {
      std::vector<char> data(the.sizes[buffer]);
      if (data.size() <= size_t{1} << 20 &&
          REAL(clEnqueueReadBuffer)(queue, buffer, CL_TRUE, 0, data.size(), data.data(), 0, nullptr,
                                    nullptr) == CL_SUCCESS)
        write_file("SPY_AFTER", (std::to_string(the.num_launches) + ".").c_str(), index,
                   data.data(), data.size());
    }
  note_event(status, event);
  std::vector<cl_mem> uses;
  for (const auto &[index, buffer] : the.arguments[kernel])
    uses.push_back(buffer);
  note_order("launch", queue, uses, n, list, event);
  return status;
}
cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t size, void *to, cl_uint n, const cl_event *list,
                           cl_event *event) {
  note("EnqueueReadBuffer %u %zu %zu\n", blocking, offset, size);
  const bool looks = setting("SPY_RESULTS") != 0 || getenv("SPY_KEEP") != nullptr;
  const cl_int status = REAL(clEnqueueReadBuffer)(queue, buffer, looks ? CL_TRUE : blocking, offset,
                                                  size, to, n, list, event);
  if (looks && status == CL_SUCCESS)
    change_result(to, size);
  if (blocking == CL_TRUE)
    arrive();
  note_event(status, event);
  note_order("read", queue, {buffer}, n, list, event);
  return status;
}
// Where a box lies in the host's memory: the bytes from row to row, from plane to plane, and to its
// first one.
struct box {
  size_t row, plane, first;
};
static box box_of(const size_t *host, const size_t *region, const size_t host_row,
                  const size_t host_slice) {
  const size_t row = host_row != 0 ? host_row : region[0];
  const size_t plane = host_slice != 0 ? host_slice : region[1] * row;
  return {row, plane, host[0] + host[1] * row + host[2] * plane};
}
// A box of a buffer: for the checks a read of as many bytes, from where it begins.
cl_int clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                               const size_t *from, const size_t *host, const size_t *region,
                               size_t row, size_t slice, size_t host_row, size_t host_slice,
                               void *to, cl_uint n, const cl_event *list, cl_event *event) {
  const size_t bytes = region[0] * region[1] * region[2];
  note("EnqueueReadBuffer %u %zu %zu\n", blocking, from[0] + from[1] * row + from[2] * slice,
       bytes);
  const box at = box_of(host, region, host_row, host_slice);
  const bool looks = setting("SPY_RESULTS") != 0 || getenv("SPY_KEEP") != nullptr;
  const cl_int status =
      REAL(clEnqueueReadBufferRect)(queue, buffer, looks ? CL_TRUE : blocking, from, host, region,
                                    row, slice, host_row, host_slice, to, n, list, event);
  char *const begin = static_cast<char *>(to) + at.first;
  if (looks && status == CL_SUCCESS && at.row == region[0] && at.plane == region[1] * at.row)
    change_result(begin, bytes);
  else if (looks && status == CL_SUCCESS) // with gaps: the last row stands for all
    change_result(begin + (region[2] - 1) * at.plane + (region[1] - 1) * at.row, region[0]);
  if (blocking == CL_TRUE)
    arrive();
  note_event(status, event);
  note_order("read", queue, {buffer}, n, list, event);
  return status;
}
cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                            size_t size, const void *from, cl_uint n, const cl_event *list,
                            cl_event *event) {
  note("EnqueueWriteBuffer %u %zu %zu\n", blocking, offset, size);
  from = changed_input(buffer, from, size);
  const cl_int status =
      REAL(clEnqueueWriteBuffer)(queue, buffer, blocking, offset, size, from, n, list, event);
  note_event(status, event);
  note_order("copy", queue, {buffer}, n, list, event);
  if (blocking == CL_TRUE)
    arrive();
  return status;
}
// A box of the host's memory: for the checks a write of as many bytes, row after row.
cl_int clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                const size_t *to, const size_t *host, const size_t *region,
                                size_t row, size_t slice, size_t host_row, size_t host_slice,
                                const void *from, cl_uint n, const cl_event *list,
                                cl_event *event) {
  const size_t bytes = region[0] * region[1] * region[2];
  note("EnqueueWriteBuffer %u %zu %zu rect\n", blocking, to[0] + to[1] * row + to[2] * slice,
       bytes);
  const box at = box_of(host, region, host_row, host_slice);
  const char *const begin = static_cast<const char *>(from) + at.first;
  std::vector<char> &packed = the.kept.emplace_back();
  for (size_t z = 0; z < region[2]; z++)
    for (size_t y = 0; y < region[1]; y++)
      packed.insert(packed.end(), begin + z * at.plane + y * at.row,
                    begin + z * at.plane + y * at.row + region[0]);
  const void *const given = changed_input(buffer, packed.data(), bytes);
  const size_t origin[3] = {0, 0, 0};
  const cl_int status =
      REAL(clEnqueueWriteBufferRect)(queue, buffer, blocking, to, origin, region, row, slice,
                                     region[0], region[0] * region[1], given, n, list, event);
  note_event(status, event);
  note_order("copy", queue, {buffer}, n, list, event);
  if (blocking == CL_TRUE)
    arrive();
  return status;
}
void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                         cl_map_flags flags, size_t offset, size_t size, cl_uint n,
                         const cl_event *list, cl_event *event, cl_int *status) {
  note("EnqueueMapBuffer %u %llu %zu %zu\n", blocking, static_cast<unsigned long long>(flags), size,
       offset);
  const bool result = (flags & CL_MAP_READ) != 0 && setting("SPY_RESULTS") != 0;
  void *const region = REAL(clEnqueueMapBuffer)(queue, buffer, result ? CL_TRUE : blocking, flags,
                                                offset, size, n, list, event, status);
  if (region != nullptr && result)
    change_result(region, size);
  if (region == nullptr)
    return region;
  void *shown = region;
  if (blocking == CL_TRUE)
    arrive();
  if (setting("SPY_MAPS") != 0 && the.of_host.count(buffer) == 0) {
    REAL(clFinish)(queue);
    the.kept.emplace_back(static_cast<char *>(region), static_cast<char *>(region) + size);
    shown = the.kept.back().data();
    if ((flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0)
      memset(shown, 0xff, size);
    if (blocking == CL_FALSE) {
      the.late[shown] = std::string(static_cast<const char *>(shown), size);
      memset(shown, 0xff, size);
    }
  }
  const bool written = (flags & ~static_cast<cl_map_flags>(CL_MAP_READ)) != 0;
  the.mapped[shown] = {buffer, region, size, written};
  if (event != nullptr)
    note_event(CL_SUCCESS, event);
  note_order("map", queue, {buffer}, n, list, event);
  return shown;
}
cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer, void *pointer, cl_uint n,
                               const cl_event *list, cl_event *event) {
  note("EnqueueUnmapMemObject %u\n", n);
  if (const auto at = the.mapped.find(pointer); at != the.mapped.end()) {
    const map_of region = at->second;
    the.mapped.erase(at);
    if (region.written) {
      const size_t number = number_of_input(region.buffer, pointer, region.bytes);
      if (number != 0 && changes_inputs())
        change_input(number, pointer, region.bytes);
    }
    if (pointer != region.real) { // SPY_MAPS
      if (region.written)
        memcpy(region.real, pointer, region.bytes);
      the.late.erase(pointer);
      memset(pointer, 0xff, region.bytes);
      pointer = region.real;
    }
  }
  const cl_int status = REAL(clEnqueueUnmapMemObject)(queue, buffer, pointer, n, list, event);
  note_event(status, event);
  note_order("unmap", queue, {buffer}, n, list, event);
  return status;
}
cl_int clGetPlatformIDs(cl_uint n, cl_platform_id *platforms, cl_uint *num) {
  note("GetPlatformIDs%s\n", "");
  return REAL(clGetPlatformIDs)(n, platforms, num);
}
cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value,
                       size_t *size_ret) {
  note("GetDeviceInfo %x %zu %p\n", what, size, static_cast<void *>(device));
  if (const std::string *const text = other_text(what)) {
    if (size_ret != nullptr)
      *size_ret = text->size() + 1;
    if (value != nullptr && size <= text->size())
      return CL_INVALID_VALUE;
    if (value != nullptr)
      memcpy(value, text->c_str(), text->size() + 1);
    return CL_SUCCESS;
  }
  const cl_int status = REAL(clGetDeviceInfo)(device, what, size, value, size_ret);
  for (char *info = getenv("SPY_INFO"); info != nullptr && *info != '\0' && value != nullptr;) {
    char *end = nullptr;
    const bool meant = strtoul(info, &end, 16) == what && status == CL_SUCCESS;
    if (*end != '=')
      break;
    const cl_ulong other = strtoull(end + 1, &info, 10);
    if (!meant)
      continue;
    for (size_t at = 0; at + sizeof other <= size; at += sizeof other)
      memcpy(static_cast<char *>(value) + at, &other, sizeof other);
  }
  return status;
}
cl_int clFlush(cl_command_queue queue) {
  note("Flush %p\n", static_cast<void *>(queue));
  return REAL(clFlush)(queue);
}
cl_int clFinish(cl_command_queue queue) {
  note("Finish %p\n", static_cast<void *>(queue));
  arrive();
  return REAL(clFinish)(queue);
}
cl_int clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *list,
                                    cl_event *event) {
  return wait_in_queue("Barrier", REAL(clEnqueueBarrierWithWaitList), queue, n, list, event);
}
cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *list,
                                   cl_event *event) {
  return wait_in_queue("Marker", REAL(clEnqueueMarkerWithWaitList), queue, n, list, event);
}
cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *value,
                      size_t *size_ret) {
  const cl_int status = REAL(clGetEventInfo)(event, what, size, value, size_ret);
  if (what == CL_EVENT_COMMAND_EXECUTION_STATUS && status == CL_SUCCESS && value != nullptr) {
    if (still_runs(event))
      *static_cast<cl_int *>(value) = CL_RUNNING;
    const cl_int state = *static_cast<const cl_int *>(value);
    note("PollEvent %p %d\n", static_cast<void *>(event), state);
    if (state == CL_COMPLETE)
      arrive();
  }
  return status;
}
cl_int clWaitForEvents(cl_uint n, const cl_event *list) {
  arrive();
  std::string events;
  for (cl_uint i = 0; i < n; i++) {
    char text[32];
    snprintf(text, sizeof text, " %p", static_cast<void *>(list[i]));
    events += text;
  }
  note("WaitForEvents %u%s\n", n, events.c_str());
  return REAL(clWaitForEvents)(n, list);
}
// What the program wants to be told of an event, and how.
struct wish {
  void(CL_CALLBACK *tell)(cl_event, cl_int, void *);
  void *data;
};
static void CL_CALLBACK told(cl_event event, cl_int state, void *data) {
  const wish *const w = static_cast<wish *>(data);
  {
    const std::lock_guard<std::mutex> lock(the.telling);
    if (static_cast<long>(the.ended.size()) < setting("SPY_RUNS")) {
      the.untold.emplace_back([=] { told(event, state, data); });
      signal(SIGALRM, [](int) { waits_for_ever(); });
      alarm(3);
      return;
    }
  }
  note("PollEvent %p %d\n", static_cast<void *>(event), state);
  arrive();
  w->tell(event, state, w->data);
  delete w;
}
cl_int clSetEventCallback(cl_event event, cl_int state,
                          void(CL_CALLBACK *tell)(cl_event, cl_int, void *), void *data) {
  const bool ends = state == CL_COMPLETE && tell != nullptr;
  return ends ? REAL(clSetEventCallback)(event, state, told, new wish{tell, data})
              : REAL(clSetEventCallback)(event, state, tell, data);
}
cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info moment, size_t size, void *value,
                               size_t *size_ret) {
  note("ask event %p\n", static_cast<void *>(event));
  if (still_runs(event))
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  const cl_int status = REAL(clGetEventProfilingInfo)(event, moment, size, value, size_ret);
  if (const auto at = the.times.find(event); at != the.times.end() && status == CL_SUCCESS &&
                                             value != nullptr && size == sizeof(cl_ulong)) {
    const auto [start, end] = at->second;
    *static_cast<cl_ulong *>(value) = moment == CL_PROFILING_COMMAND_QUEUED   ? start - 1000
                                      : moment == CL_PROFILING_COMMAND_SUBMIT ? start - 500
                                      : moment == CL_PROFILING_COMMAND_START  ? start
                                                                              : end;
  }
  cl_command_type type = 0;
  clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr);
  if (status == CL_SUCCESS && value != nullptr && size == sizeof(cl_ulong))
    note("profile %p %x %s %llu\n", static_cast<void *>(event), type,
         moment == CL_PROFILING_COMMAND_QUEUED   ? "queued"
         : moment == CL_PROFILING_COMMAND_SUBMIT ? "submit"
         : moment == CL_PROFILING_COMMAND_START  ? "start"
                                                 : "end",
         static_cast<unsigned long long>(*static_cast<const cl_ulong *>(value)));
  return status;
}
}
