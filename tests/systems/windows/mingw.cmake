# The chapters as Windows programs, built with MinGW on Debian or Ubuntu, and run with Wine, whose opencl.dll
# passes each call on to the ICD loader of Linux:
#   apt install g++-mingw-w64-x86-64-posix wine64
#   cmake --preset windows && cmake --build --preset windows && ctest --preset windows
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static) # one file, which needs no library of MinGW's
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

find_program(WINE NAMES wine64 wine PATHS /usr/lib/wine NO_CMAKE_FIND_ROOT_PATH REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${WINE})

# MinGW's linker takes a DLL in place of an import library.
find_file(OpenCL_LIBRARY opencl.dll NO_CMAKE_FIND_ROOT_PATH REQUIRED
          PATHS /usr/lib/x86_64-linux-gnu/wine/x86_64-windows /usr/lib/wine/x86_64-windows)
# The OpenCL headers alone: the rest of /usr/include is Linux's.
find_path(CL_HEADERS CL/cl.h PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
set(OpenCL_INCLUDE_DIR ${CMAKE_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${OpenCL_INCLUDE_DIR})
file(CREATE_LINK ${CL_HEADERS}/CL ${OpenCL_INCLUDE_DIR}/CL SYMBOLIC)
