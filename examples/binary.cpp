// A program, compiled once and kept in a file: what the next start saves.
#include "scale.h"

#include <fstream>
#include <iterator>

int main(const int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: binary FILE\n  FILE  where the binary is kept\n");
    return 2;
  }
  cl_device_id device = pick_device();
  print_device(device);
  const std::string source = load_source("scale.cl");
  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);

  // A binary is for this device, this driver and this source. All three stand before it in the
  // file, and once more behind it: one that was cut off is noticed here, and not by the driver.
  const std::string key = device_text(device, CL_DEVICE_NAME) + "\n" +
                          device_text(device, CL_DRIVER_VERSION) + "\n" + source;
  std::string kept;
  if (std::filesystem::is_regular_file(argv[1])) {
    std::ifstream file(argv[1], std::ios::binary);
    kept.assign(std::istreambuf_iterator<char>(file), {});
  }
  const size_t both = 2 * key.size();

  const auto start = std::chrono::steady_clock::now();
  cl_program program = nullptr;
  if (kept.size() > both && kept.compare(0, key.size(), key) == 0 &&
      kept.compare(kept.size() - key.size(), key.size(), key) == 0)
    program = from_binary(context, device, kept.substr(key.size(), kept.size() - both));
  const bool loaded = program != nullptr;
  if (!loaded)
    program = build_program(context, device, source, "");
  const bool ok = scales(context, device, program);
  printf("time      first result after %.3f ms, %s\n", ms_since(start),
         loaded ? "from the binary" : "from the source");
  if (!loaded &&
      !(std::ofstream(argv[1], std::ios::binary) << key << binary_of(program) << key).flush())
    fprintf(stderr, "the binary cannot be kept in %s; the next start compiles again\n", argv[1]);

  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
