# 1 "/usr/include/yester/bits/ostream_insert.h" 3
// The program instantiates what this header has, so that it is instrumented; the library's own is not.
#ifndef YESTER_OSTREAM_INSERT
#define YESTER_OSTREAM_INSERT
#include <iosfwd>
#include <bits/cxxabi_forced.h>
#include <bits/exception_defines.h>
#pragma push_macro("_GLIBCXX_EXTERN_TEMPLATE")
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#include_next <bits/ostream_insert.h>
#pragma pop_macro("_GLIBCXX_EXTERN_TEMPLATE")
#endif
