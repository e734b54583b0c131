# SPDX-License-Identifier: Apache-2.0
# Read by cpack: gives files in packages the date of the commit that is packed, if SOURCE_DATE_EPOCH names none.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  file(STRINGS ${CPACK_ASSAY_ROOT}/src/cli/program/commit.txt commit)
  if(NOT commit MATCHES "^[0-9a-f]+ ([0-9]+)$")
    execute_process(COMMAND git -C ${CPACK_ASSAY_ROOT} log -1 --format=%ct OUTPUT_VARIABLE found ERROR_QUIET)
    string(REGEX MATCH "([0-9]+)" found "${found}")
  endif()
  set(ENV{SOURCE_DATE_EPOCH} ${CMAKE_MATCH_1})
endif()
