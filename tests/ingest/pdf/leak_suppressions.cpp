// PoDoFo loses memory where it gives up on a damaged file. The worker process ends after one
// document; in tests, which read many, the leak checker must look past it.
#ifdef LORE_SANITIZED
extern "C" const char* __lsan_default_suppressions();  // NOLINT: the sanitizer's name for it
extern "C" const char* __lsan_default_suppressions() { return "leak:libpodofo\n"; }
#endif
