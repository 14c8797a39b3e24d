// What the shared library shows.
#pragma once

#if defined(__GNUC__)
#define LORE_API __attribute__((visibility("default")))
#else
#define LORE_API
#endif
