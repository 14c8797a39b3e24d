# find_package(lore): the target lore::lore, headers lore/library.hpp (C++20) and lore.h (C).
include(${CMAKE_CURRENT_LIST_DIR}/loreTargets.cmake)
