# 1 "/usr/include/yester/bits/ios_base.h" 3
// Lets the standard streams stay those of ours when a program parts them from the C library.
#ifndef YESTER_IOS_BASE
#define YESTER_IOS_BASE
// What these declare must not see the macro.
#include <ext/atomicity.h>
#include <bits/localefwd.h>
#include <bits/locale_classes.h>
#include <stdexcept>
#pragma push_macro("sync_with_stdio")
#define sync_with_stdio(parameter) \
  yester_library_sync(bool) __asm__("_ZNSt8ios_base15sync_with_stdioEb"); \
  static bool sync_with_stdio(parameter) __asm__("__yester_sync_with_stdio")
#include_next <bits/ios_base.h>
#pragma pop_macro("sync_with_stdio")

namespace yester
{
  // Puts the streams of ours back; null if the program has none.
  inline void (*&
  use_own_streams())()
  {
    static void (*use)() = 0;
    return use;
  }
}

inline bool
std::ios_base::sync_with_stdio(bool is_synchronised)
{
  const bool was_synchronised = yester_library_sync(is_synchronised);
  if (yester::use_own_streams())
    yester::use_own_streams()();
  return was_synchronised;
}
#endif
