# What the chapters' CMakeLists.txt share. A chapter builds from the top and alone.
if(POLICY CMP0174)
  cmake_policy(SET CMP0174 NEW) # CMake 3.31 warns without: LEFT_OUT "" is meant as it stands
endif()
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
option(WARNINGS_AS_ERRORS "Treat the compiler's warnings as errors" OFF)

# Where the compiler looks, CMake looks too: in the folders of CPATH and LIBRARY_PATH, and in a conda environment.
foreach(kind "CPATH;INCLUDE" "LIBRARY_PATH;LIBRARY" "CONDA_PREFIX;PREFIX")
  list(GET kind 0 from)
  list(GET kind 1 to)
  file(TO_CMAKE_PATH "$ENV{${from}}" folders)
  list(APPEND CMAKE_${to}_PATH ${folders})
endforeach()
find_package(OpenCL)
if(NOT OpenCL_FOUND)
  message(FATAL_ERROR "The OpenCL headers or the ICD loader are missing. On Debian and Ubuntu:\n"
                      "  apt install opencl-headers ocl-icd-opencl-dev pocl-opencl-icd\n"
                      "Other systems, and without root: docs/setup.md. If they lie where CMake does not look,\n"
                      "set CMAKE_PREFIX_PATH to the folder that has include/CL and lib.")
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

# add_chapter([OUTPUT ...] [LIBRARIES ...] [LEFT_OUT "why"] TEST default "1" "17 33 65" ... [FULL "67108864"])
# The program of this folder, named like the folder, and a test for each list of arguments (default:
# none), which NAME=VALUE for the environment may precede, or PROCESSES=4. A test in FULL takes long and has the label thorough.
# OUTPUT: see run_chapter.cmake. LIBRARIES: what it links besides. LEFT_OUT: what it needs is missing here, so it is
# not built; the reason is in the file left-out of its build folder, where the tests find it (tests/running.py).
function(add_chapter)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUTPUT;LEFT_OUT" "LIBRARIES;TEST;FULL")
  file(REMOVE ${CMAKE_CURRENT_BINARY_DIR}/left-out)
  if(arg_LEFT_OUT)
    message(STATUS "${PROJECT_NAME} is left out: ${arg_LEFT_OUT}")
    add_custom_target(${PROJECT_NAME}) # so that it can be asked for by its name
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/left-out "${arg_LEFT_OUT}\n")
    if(NOT WIN32)
      set(test ${PROJECT_NAME}.left-out)
      add_test(NAME ${test} COMMAND sh -c "echo \"SKIPPED: ${arg_LEFT_OUT}\"; exit 77")
      set_tests_properties(${test} PROPERTIES LABELS chapters TIMEOUT 300 SKIP_RETURN_CODE 77)
      kernel_cache(${test} ${PROJECT_NAME})
    endif()
    return()
  endif()
  add_executable(${PROJECT_NAME} host.cpp)
  common_options(${PROJECT_NAME})
  target_link_libraries(${PROJECT_NAME} PRIVATE ${arg_LIBRARIES})
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
                       ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/run_chapter.cmake)
      set_tests_properties(${test} PROPERTIES LABELS chapters TIMEOUT 300)
      if(kind STREQUAL FULL)
        set_tests_properties(${test} PROPERTIES LABELS "chapters;thorough" TIMEOUT 600)
      endif()
      kernel_cache(${test} ${PROJECT_NAME})
    endforeach()
  endforeach()
endfunction()
