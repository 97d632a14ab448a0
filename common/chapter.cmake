# What the chapters' CMakeLists.txt share. A chapter builds from the top and alone.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
option(WARNINGS_AS_ERRORS "Treat the compiler's warnings as errors" OFF)

find_package(OpenCL)
if(NOT OpenCL_FOUND)
  message(FATAL_ERROR "The OpenCL headers or the ICD loader are missing. On Debian and Ubuntu:\n"
                      "  apt install opencl-headers ocl-icd-opencl-dev pocl-opencl-icd\n"
                      "Elsewhere see README.md, \"When no device is found\".")
endif()

# What every C++ target of the repository gets.
function(common_options target)
  if(MSVC)
    target_compile_options(${target} PRIVATE /W4 /utf-8)
  else()
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  endif()
  set_target_properties(${target} PROPERTIES COMPILE_WARNING_AS_ERROR ${WARNINGS_AS_ERRORS})
  target_link_libraries(${target} PRIVATE OpenCL::OpenCL)
endfunction()

# kernel_cache(TEST NAME)
# Where PoCL keeps the kernels that it compiles in this test. Two processes that compile the same kernel at once
# may fail (PoCL before 6, its issue 1480), so of the tests with the same cache only one runs at a time.
function(kernel_cache test name)
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "POCL_CACHE_DIR=${CMAKE_BINARY_DIR}/pocl-cache/${name}")
  set_property(TEST ${test} APPEND PROPERTY RESOURCE_LOCK "pocl-cache/${name}")
endfunction()

# add_chapter([OUTPUT ...] TEST default "1" "17 33 65" ... [FULL "67108864"])
# The program of this folder, named like the folder, and a test for each list of arguments (default:
# none), which NAME=VALUE for the environment may precede. A test in FULL takes long and has the label full. OUTPUT: see tests/run_chapter.cmake.
function(add_chapter)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUTPUT" "TEST;FULL")
  add_executable(${PROJECT_NAME} host.cpp)
  common_options(${PROJECT_NAME})
  foreach(kind TEST FULL)
    foreach(arguments IN LISTS arg_${kind})
      string(REPLACE " " "x" name "${arguments}")
      if(name STREQUAL "default")
        set(arguments "")
      endif()
      set(test ${PROJECT_NAME}.${name})
      add_test(NAME ${test}
               COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${PROJECT_NAME}> -D
                       HOST=${CMAKE_CURRENT_SOURCE_DIR}/host.cpp -D "ARGUMENTS=${arguments}" -D
                       "OUTPUT=${arg_OUTPUT}" -D
                       "EMULATOR=${CMAKE_CROSSCOMPILING_EMULATOR}" -P
                       ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../tests/run_chapter.cmake)
      set_tests_properties(${test} PROPERTIES LABELS chapters TIMEOUT 120)
      if(kind STREQUAL FULL)
        set_tests_properties(${test} PROPERTIES LABELS full TIMEOUT 600)
      endif()
      kernel_cache(${test} ${PROJECT_NAME})
    endforeach()
  endforeach()
endfunction()
