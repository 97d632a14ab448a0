// What the OpenCL layers of this folder share: their name and version for the ICD loader, and
// settings from the environment. Include it in one source file of each layer or in its own header.
#pragma once

#include <CL/cl_layer.h>

#include <cstdlib>
#include <cstring>
#include <string>

inline std::string text_from(const char *variable) {
  const char *text = getenv(variable);
  return text == nullptr ? "" : text;
}

inline long number_from(const char *variable) {
  return strtol(text_from(variable).c_str(), nullptr, 10);
}

// Gives back a property as all clGet...Info functions do: as much as there is room for, and its
// size.
inline cl_int give_back(const void *value, const size_t bytes, const size_t room, void *to,
                        size_t *size_ret) {
  if (to != nullptr && room < bytes)
    return CL_INVALID_VALUE;
  if (to != nullptr)
    memcpy(to, value, bytes);
  if (size_ret != nullptr)
    *size_ret = bytes;
  return CL_SUCCESS;
}

// For clInitLayer: takes over the functions of what lies below, hands out the layer's table, which
// begins as a copy of them. False: the loader asked for what this is not.
inline bool begin_layer(const cl_uint num_entries, const cl_icd_dispatch *target,
                        cl_uint *num_entries_ret, const cl_icd_dispatch **layer_dispatch_ret,
                        cl_icd_dispatch &table) {
  constexpr cl_uint all = sizeof(cl_icd_dispatch) / sizeof(void *);
  if (target == nullptr || num_entries_ret == nullptr || layer_dispatch_ret == nullptr ||
      num_entries < all)
    return false;
  table = *target;
  *layer_dispatch_ret = &table;
  *num_entries_ret = all;
  return true;
}

// For clGetLayerInfo: the name is the layer's.
inline cl_int layer_info(const char *name, const cl_layer_info what, const size_t room, void *to,
                         size_t *size_ret) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (what == CL_LAYER_API_VERSION)
    return give_back(&version, sizeof version, room, to, size_ret);
  if (what == CL_LAYER_NAME)
    return give_back(name, strlen(name) + 1, room, to, size_ret);
  return CL_INVALID_VALUE;
}
