// Chapter 05 once more, with the C++ bindings: what is created releases itself, what fails throws.
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include "../common/compare.h"
#include "../common/device.h"
#include "../common/source.h"

#include <numeric>

int main() {
  try {
    const cl::Device device(pick_device());
    print_device(device());
    const cl::Context context(device);
    cl::CommandQueue queue(context, device);
    const cl::Program program(context, load_source("../../05-dot-product-naive/kernel.cl"));
    program.build();
    using buffer = const cl::Buffer &;
    cl::KernelFunctor<buffer, buffer, buffer, cl_ulong> dot_product(program, "dot_product");

    const size_t n = 1000003;
    std::vector<float> a(n), b(n), products(n, NAN);
    fill_whole(a, 1);
    fill_whole(b, 2);
    const cl::Buffer a_buffer(context, a.begin(), a.end(), true); // true: kernels only read it
    const cl::Buffer b_buffer(context, b.begin(), b.end(), true);
    const cl::Buffer products_buffer(context, products.begin(), products.end(), false);

    dot_product({queue, cl::NDRange(size_t{32} * 64)}, a_buffer, b_buffer, products_buffer, n);
    cl::copy(queue, products_buffer, products.begin(), products.end());
    return verdict(check_equal(std::accumulate(products.begin(), products.end(), 0.0),
                               std::inner_product(a.begin(), a.end(), b.begin(), 0.0)));
  } catch (const cl::Error &error) {
    fprintf(stderr, "%s failed: %d\n", error.what(), error.err());
    return EXIT_FAILURE;
  }
}
