# 1 "/usr/include/yester/bits/basic_string.tcc" 3
// Lets the program instantiate how strings are written. The old kind of string has a variable that must be the library's.
#ifndef YESTER_BASIC_STRING
#define YESTER_BASIC_STRING
#pragma push_macro("_GLIBCXX_EXTERN_TEMPLATE")
#if _GLIBCXX_USE_CXX11_ABI
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#endif
#include_next <bits/basic_string.tcc>
#pragma pop_macro("_GLIBCXX_EXTERN_TEMPLATE")
#endif
