// How often is a word in a text? Each work-item counts in its piece, the host adds the counts.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/group_size.h"
#include "../../../common/source.h"

#include <cstdio>
#include <cstring>
#include <vector>

static const char *const usage = "usage: program [N]\n"
                                 "  N  number of letters of the text (default 1048576)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 1048576, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);
  // A byte for each letter, and a count for each work-item: at most 2048.
  check_memory(device, {buffer_bytes(n, 1, 1), buffer_bytes(2048, 1, sizeof(cl_ulong))}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "count_word", &status);
  clerr_chk(status);

  // The launches: which word is looked for, and by how many work-groups of 64 work-items, or of
  // fewer, where this kernel cannot have 64 in a group on this device.
  struct launch {
    const char *word;
    size_t num_groups;
  };
  const launch launches[] = {{"aba", 32}, {"a", 3}, {"aab", 1}, {"ababa", 32}};
  const size_t local_size = group_size(kernel, device, 64);

  // Of two letters only, so that the words are often there, overlap, and lie across the seams. The
  // last letter is an a, with which every word begins, so a kernel without a guard reads on.
  std::vector<cl_uchar> text(n);
  for (size_t i = 0; i < n; i++)
    text[i] = scrambled(i, 1) % 2 == 0 || i == n - 1 ? 'a' : 'b';

  cl_mem text_buffer =
      clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n, text.data(), &status);
  clerr_chk(status);
  cl_mem counts_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY,
                                        32 * local_size * sizeof(cl_ulong), nullptr, &status);
  clerr_chk(status);

  bool ok = true;
  for (const launch &search : launches) {
    const size_t length = strlen(search.word);
    const size_t global_size = search.num_groups * local_size;
    std::vector<cl_uchar> word(search.word, search.word + length);
    cl_mem word_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, length,
                                        word.data(), &status);
    clerr_chk(status);

    // The counts start out as a number that none can be.
    std::vector<cl_ulong> counts(global_size, ~cl_ulong{0});
    const size_t bytes = global_size * sizeof(cl_ulong);
    clerr_chk(clEnqueueWriteBuffer(queue, counts_buffer, CL_TRUE, 0, bytes, counts.data(), 0,
                                   nullptr, nullptr));

    const cl_ulong n_arg = n;
    const cl_ulong length_arg = length;
    clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &text_buffer));
    clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_ulong), &n_arg));
    clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_mem), &word_buffer));
    clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_ulong), &length_arg));
    clerr_chk(clSetKernelArg(kernel, 4, sizeof(cl_mem), &counts_buffer));

    clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                     nullptr, nullptr));
    clerr_chk(clEnqueueReadBuffer(queue, counts_buffer, CL_TRUE, 0, bytes, counts.data(), 0,
                                  nullptr, nullptr));

    // One plain loop through the whole text. Where the word begins, it belongs to the piece that
    // has its first letter.
    const size_t piece = (n + global_size - 1) / global_size;
    std::vector<cl_ulong> expected(global_size, 0);
    for (size_t i = 0; i + length <= n; i++)
      if (memcmp(&text[i], search.word, length) == 0)
        expected[i / piece]++;

    // The host adds what the device has left to do: one count per work-item.
    cl_ulong total = 0;
    size_t differ = 0;
    size_t shown = 0; // the first count that differs, or the first one
    for (size_t t = 0; t < global_size; t++) {
      total += counts[t];
      if (counts[t] != expected[t] && differ++ == 0)
        shown = t;
    }
    printf("result    \"%s\", %zu work-items: counts[%zu] = %llu\n", search.word, global_size,
           shown, static_cast<unsigned long long>(counts[shown]));
    printf("expected  \"%s\", %zu work-items: counts[%zu] = %llu (%zu of %zu counts differ)\n",
           search.word, global_size, shown, static_cast<unsigned long long>(expected[shown]),
           differ, global_size);
    if (differ == 0)
      printf("total     \"%s\": %llu\n", search.word, static_cast<unsigned long long>(total));
    ok = ok && differ == 0;
    clerr_chk(clReleaseMemObject(word_buffer));
  }

  clerr_chk(clReleaseMemObject(counts_buffer));
  clerr_chk(clReleaseMemObject(text_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
