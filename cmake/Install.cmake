# What `cmake --install` puts where. Components: `program` is what runs (the Python wheel takes it alone), `development` is
# what models of others are built against.
include(GNUInstallDirs)

# The program finds its presets and its helpers beside itself, wherever the prefix is moved to.
set(flashloom_data ${CMAKE_INSTALL_DATADIR}/flashloom)
install(TARGETS flashloom RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(TARGETS flashloom-guest-init RUNTIME DESTINATION lib/flashloom COMPONENT program)
install(TARGETS flashloom-guest-entropy LIBRARY DESTINATION lib/flashloom COMPONENT program)
install(PROGRAMS tools/linux-guest/torture.py DESTINATION lib/flashloom RENAME flashloom-guest-torture.py
        COMPONENT program)
if(TARGET flashloom-nbdkit-plugin)
  install(TARGETS flashloom-nbdkit-plugin LIBRARY DESTINATION lib/flashloom COMPONENT program)
endif()
install(DIRECTORY configs DESTINATION ${flashloom_data} COMPONENT program FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY docs/schemas DESTINATION ${flashloom_data} COMPONENT program FILES_MATCHING PATTERN "*.json")
