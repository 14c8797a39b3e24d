# How every target of lore is compiled, and the two functions that declare one.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# So that the same objects serve the command and the shared library, which shows what LORE_API marks.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# Light optimization: a sanitized engine at -O0 would take minutes where this takes seconds.
set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g -fno-omit-frame-pointer" CACHE STRING "" FORCE)

find_program(LORE_CCACHE ccache)
if(LORE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LORE_CCACHE})
endif()

add_library(lore_options INTERFACE)
target_include_directories(lore_options INTERFACE
  ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/include)
# No contraction behind our back: where a product and a sum are fused decides the last bit of a
# result, and vectors must be bit-equal whichever kernel path computed them.
target_compile_options(lore_options INTERFACE
  -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor -Wcast-align
  -ffp-contract=off)
if(LORE_WERROR)
  # GCC 12 sees overlapping copies in std::string's own code (its bug 105651).
  target_compile_options(lore_options INTERFACE -Werror
    $<$<CXX_COMPILER_ID:GNU>:-Wno-error=restrict>)
endif()
if(LORE_SANITIZE)
  target_compile_options(lore_options INTERFACE
    -fsanitize=${LORE_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(lore_options INTERFACE -fsanitize=${LORE_SANITIZE})
  target_compile_definitions(lore_options INTERFACE LORE_SANITIZED=1)
endif()
if(CMAKE_BUILD_TYPE MATCHES "Debug|Sanitize")
  target_compile_definitions(lore_options INTERFACE LORE_ASSERTIONS=1)
endif()

# lore_library(NAME SOURCES … [LINKS …]): one static library a folder. LINKS are the arrows of the
# architecture and are public, since headers include along them.
function(lore_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC lore_options ${ARG_LINKS})
endfunction()

# lore_test(NAME SOURCES … [LINKS …] [LABELS …] [ARGS …]): one GoogleTest program. Each of its
# tests becomes a ctest of its own. Those labelled `unit` are built by the target unit_tests too.
function(lore_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINKS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE lore_options ${ARG_LINKS} lore_test_support GTest::gmock
                        GTest::gtest_main)
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
  if("unit" IN_LIST ARG_LABELS)
    add_dependencies(unit_tests ${name})
  endif()
endfunction()
