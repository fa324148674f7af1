// The interface version and compiler on which a plug-in and the program must agree. Compiled into every plug-in by the
// CMake target Flashloom::plugin, which adds plugin_marker.cpp.
#pragma once

/// Must be raised with every change of a header that plug-ins are built against (cmake/PublicHeaders.cmake);
/// tests/structure checks it.
#define FLASHLOOM_PLUGIN_INTERFACE 24

#define FLASHLOOM_TEXT_OF(x) #x
#define FLASHLOOM_TEXT(x) FLASHLOOM_TEXT_OF(x)

/// Marks the interface version in a plug-in's file, where it is searched for before any code of the plug-in runs.
#define FLASHLOOM_PLUGIN_MARK "flashloom-plugin-interface="
/// Both sides share C++ types, so compiler and library must agree, too.
#if defined(__clang__)
#define FLASHLOOM_PLUGIN_COMPILER "clang" FLASHLOOM_TEXT(__clang_major__)
#else
#define FLASHLOOM_PLUGIN_COMPILER "gcc" FLASHLOOM_TEXT(__GNUC__)
#endif
#define FLASHLOOM_PLUGIN_ABI \
  FLASHLOOM_TEXT(FLASHLOOM_PLUGIN_INTERFACE) "," FLASHLOOM_PLUGIN_COMPILER ",abi" FLASHLOOM_TEXT(_GLIBCXX_USE_CXX11_ABI)
