// The OpenCL header, the same way for every program of this tutorial.
//
// Version 1.2 of the API is what every implementation still offers. Asking for it by name keeps
// the headers from warning, and from offering calls that some implementations lack. Who asks for
// less with -D gets 1.2 all the same; who asks for more is spared the warning that newer versions
// have another clCreateCommandQueue; and macOS is told that we know that its OpenCL is deprecated.
#pragma once

#if !defined(CL_TARGET_OPENCL_VERSION) || CL_TARGET_OPENCL_VERSION < 120
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_SILENCE_DEPRECATION

#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif
