// Compiled into a plug-in, not into the program: gives the interface version that the plug-in was built against.
#include <string>  // _GLIBCXX_USE_CXX11_ABI

#include "sc_main/assembly/plugins/plugin_interface.hpp"

extern "C" [[gnu::used, gnu::visibility("default")]] const char flashloom_plugin_interface[] =
    FLASHLOOM_PLUGIN_MARK FLASHLOOM_PLUGIN_ABI;
