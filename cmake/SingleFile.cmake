# What the build for the single file (scripts/make_single_file.sh) does differently. Its program brings
# its shared libraries and its own loader along, in a folder that is only known when it is unpacked.

# The libraries that are not linked into the program: found beside it and beside what they need
# themselves, which RPATH does and RUNPATH does not. LD_LIBRARY_PATH is not asked first, and nothing
# leaks to programs that lore starts. The loader's path must be absolute: packaging/single_file writes
# it over the slashes, which on the machine that builds lead to the system's loader.
function(lore_bring_libraries target)
  string(REPEAT "/" 2048 room)
  target_link_options(${target} PRIVATE
    -Wl,--disable-new-dtags -Wl,--gc-sections
    "-Wl,--dynamic-linker=${room}lib64/ld-linux-x86-64.so.2")
  set_target_properties(${target} PROPERTIES
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../lib")
endfunction()

# FAISS names the shared LAPACK, of which it needs a hundredth: linked in, it costs 3 MB less.
function(lore_link_lapack_into target)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgfortran.a
                  OUTPUT_VARIABLE gfortran OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libquadmath.a
                  OUTPUT_VARIABLE quadmath OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_library(LORE_STATIC_LAPACK liblapack.a PATH_SUFFIXES lapack REQUIRED)
  find_library(LORE_STATIC_BLAS libblas.a PATH_SUFFIXES blas REQUIRED)
  set_property(TARGET ${target} PROPERTY INTERFACE_LINK_LIBRARIES
    $<LINK_ONLY:OpenMP::OpenMP_CXX> ${LORE_STATIC_LAPACK} ${LORE_STATIC_BLAS} ${gfortran}
    ${quadmath})
endfunction()
