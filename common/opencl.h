// The OpenCL header, the same way for every program of this tutorial.
//
// Version 1.2 of the API is what every implementation still offers. Asking for it by name keeps
// the headers from warning, and from offering calls that some implementations lack.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif

#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif
