# Writes files as arrays of bytes into one C++ source:
#   cmake -D OUT=FILE.cpp -D FOLDER=… -D FILES=a;b;c -P EmbedFiles.cmake
# It defines lore::cli::serve::embedded_file(name), "" where there is none.
set(text "// Made by cmake/EmbedFiles.cmake.\n#include \"cli/serve/web_files.hpp\"\n\n")
string(APPEND text "namespace lore::cli::serve {\nnamespace {\n\n")
set(cases "")
set(number 0)
foreach(file ${FILES})
  file(READ ${FOLDER}/${file} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND text "constexpr char kFile${number}[] = {${bytes}};\n")
  string(APPEND cases
    "  if (name == \"${file}\") return {kFile${number}, sizeof(kFile${number})};\n")
  math(EXPR number "${number} + 1")
endforeach()
string(APPEND text "\n}  // namespace\n\nstd::string_view embedded_file(std::string_view name) {\n")
string(APPEND text "${cases}  return {};\n}\n\n}  // namespace lore::cli::serve\n")
file(WRITE ${OUT} "${text}")
