# Runs one chapter's program and looks at both its exit code and what it printed.
#   cmake -D PROGRAM=build/06-.../06-... -D HOST=06-.../host.cpp -D ARGUMENTS="1000" [-D OUTPUT=devices]
#         [-D EMULATOR=wine64] -P common/run_chapter.cmake
# ARGUMENTS: separated by spaces; empty for the defaults; NAME=VALUE in front is for the environment, and PROCESSES=4
# says how many of it mpirun is to start.
# OUTPUT=devices: it computes nothing, and shows what there is, and which device the others use.
# OUTPUT="offers|way": between size and result it says more, in lines that begin with one of these words.
separate_arguments(arguments UNIX_COMMAND "${ARGUMENTS}")
while(arguments MATCHES "^([A-Z_]+)=([^;]*)")
  set(ENV{${CMAKE_MATCH_1}} "${CMAKE_MATCH_2}")
  list(POP_FRONT arguments)
endwhile()
set(launcher "")
if(DEFINED ENV{PROCESSES})
  set(launcher mpirun -n $ENV{PROCESSES})
  set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1) # in a container, say
  set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
  set(ENV{OMPI_MCA_rmaps_base_oversubscribe} 1) # more processes than cores
  set(ENV{PRTE_MCA_rmaps_default_mapping_policy} ":oversubscribe") # the same for Open MPI 5
endif()
set(ENV{OMPI_MCA_pml} ob1) # no search for a fast network: all processes are on this machine
set(ENV{OMPI_MCA_ess_singleton_isolated} 1) # and no daemon for a single one
# What a program remembers of a run, it does not find in the next one. PoCL's compiled kernels it does: they lie
# in POCL_CACHE_DIR.
string(REPLACE " " "x" name "${ARGUMENTS}")
set(ENV{XDG_CACHE_HOME} "${PROGRAM}.cache/${name}")
file(REMOVE_RECURSE "$ENV{XDG_CACHE_HOME}")
if(EMULATOR) # Wine, where the root is the drive Z:
  set(ENV{XDG_CACHE_HOME} "Z:$ENV{XDG_CACHE_HOME}")
endif()
foreach(attempt RANGE 3)
  execute_process(COMMAND ${launcher} ${EMULATOR} "${PROGRAM}" ${arguments} RESULT_VARIABLE code OUTPUT_VARIABLE out
                  ERROR_VARIABLE err)
  if(NOT err MATCHES "pocl_release_dlhandle_cache: Assertion") # PoCL 5.0 and two sub-devices: docs/tools.md
    break()
  endif()
endforeach()
string(REPLACE "\r\n" "\n" out "${out}") # Windows' line ends
message("${out}${err}")
if(NOT code STREQUAL "0")
  message(FATAL_ERROR "exit code ${code}, where 0 was expected")
endif()
if(err MATCHES "WRONG") # a candidate of a search; the program goes on without it, the test does not
  message(FATAL_ERROR "one of the candidates computes a wrong result")
endif()
if(OUTPUT STREQUAL "devices")
  if(NOT out MATCHES "^device    [^\n]+\nchosen    ([0-9]+:[0-9]+), [^\n]+\n.*\n  ([0-9]+:[0-9]+)  [^\n]+ <- the one[^\n]+\n.*\nPASSED\n$"
     OR NOT CMAKE_MATCH_1 STREQUAL CMAKE_MATCH_2)
    message(FATAL_ERROR "the output is not: device, chosen, the list with that device marked, PASSED")
  endif()
  return()
endif()
# "left out": a launch that is too large for this device.
set(block "result    [^\n]+\nexpected  [^\n]+\n(time      [^\n]+\n)*(left out  [^\n]+\n)*")
set(more "")
if(OUTPUT)
  set(more "((${OUTPUT}) +[^\n]+\n)+")
endif()
if(NOT out MATCHES "^(device    [^\n]+\n)+size      [^\n]+\n${more}(${block})+PASSED\n$")
  message(FATAL_ERROR "the output is not: device, size, result, expected, times, PASSED")
endif()
# A program that asks its queue for times prints them.
file(STRINGS "${HOST}" asks REGEX "CL_QUEUE_PROFILING_ENABLE")
if(asks AND NOT out MATCHES "\ntime      ")
  message(FATAL_ERROR "no line with a time")
endif()
# Without arguments a program takes the default sizes that its usage names, the last of them for all
# that are left: "default 512", or "default: as many as ..., at most 512".
if(ARGUMENTS STREQUAL "")
  execute_process(COMMAND ${EMULATOR} "${PROGRAM}" --help OUTPUT_VARIABLE usage)
  string(REGEX MATCHALL "default [0-9]+" defaults "${usage}")
  string(REGEX MATCH "\nsize [^\n]+" line "${out}")
  string(REGEX MATCHALL "= [0-9]+" sizes "${line}")
  foreach(size IN LISTS sizes)
    string(REPLACE "= " "" size "${size}")
    if(defaults)
      list(POP_FRONT defaults default)
      string(REPLACE "default " "" default "${default}")
    endif()
    if(DEFINED default AND size EQUAL default)
      continue()
    endif()
    if(NOT DEFINED default AND usage MATCHES "default: [^\n]*at most ([0-9]+)" AND size LESS_EQUAL CMAKE_MATCH_1)
      continue()
    endif()
    message(FATAL_ERROR "the size is ${size}, which is not the default that the usage names:\n${usage}")
  endforeach()
endif()
