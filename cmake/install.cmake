# What `make install` copies: the command, both libraries with a pkg-config file each, the headers, and
# the examples in C.
if(TARGET tenon_tool)
  install(TARGETS tenon_tool RUNTIME DESTINATION bin)
endif()
install(TARGETS tenon tenon_runtime LIBRARY DESTINATION lib)
install(DIRECTORY include/tenon DESTINATION include
        FILES_MATCHING PATTERN "*.h" PATTERN abi EXCLUDE)
# include/tenon/abi is a link in the sources and a real folder once installed.
install(DIRECTORY src/abi/ DESTINATION include/tenon/abi FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE DESTINATION share/doc/tenon)
install(DIRECTORY examples/c/ DESTINATION share/doc/tenon/examples FILES_MATCHING PATTERN "*.c")

foreach(name tenon tenon_runtime)
  if(name STREQUAL tenon)
    set(description "Machine-learning compiler for TVMScript, with its runtime")
  else()
    set(description "Runs what Tenon compiled")
  endif()
  configure_file(cmake/tenon.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION lib/pkgconfig)
endforeach()
