# The libraries of other people and the rooms that use them. TN_ROOM_PACKAGES is what libtenon links;
# tn_<room>_PACKAGES what a test of that room needs beside the room itself.
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng) # the tool's alone
pkg_check_modules(JPEG REQUIRED IMPORTED_TARGET libjpeg)

# Not by pkg-config: isl.pc asks to link gmp, whose development package isl's does not bring.
find_path(TN_ISL_INCLUDE isl/ctx.h REQUIRED)
find_library(TN_ISL_LIBRARY isl REQUIRED)
add_library(tn_isl INTERFACE)
target_include_directories(tn_isl SYSTEM INTERFACE ${TN_ISL_INCLUDE})
target_link_libraries(tn_isl INTERFACE ${TN_ISL_LIBRARY})

# llvm-config and not find_package(LLVM): the latter drags in C++ and takes seconds.
find_program(TN_LLVM_CONFIG NAMES llvm-config-19)
if(NOT TN_LLVM_CONFIG)
  message(FATAL_ERROR "llvm-config-19 not found: run `make deps` (package llvm-19-dev)")
endif()
execute_process(COMMAND ${TN_LLVM_CONFIG} --includedir
                OUTPUT_VARIABLE TN_LLVM_INCLUDE OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${TN_LLVM_CONFIG} --libdir
                OUTPUT_VARIABLE TN_LLVM_LIBDIR OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${TN_LLVM_CONFIG} --link-shared --libs
                OUTPUT_VARIABLE TN_LLVM_LIBS OUTPUT_STRIP_TRAILING_WHITESPACE)
add_library(tn_llvm INTERFACE)
target_include_directories(tn_llvm SYSTEM INTERFACE ${TN_LLVM_INCLUDE})
target_link_options(tn_llvm INTERFACE -L${TN_LLVM_LIBDIR})
separate_arguments(TN_LLVM_LIBS)
target_link_libraries(tn_llvm INTERFACE ${TN_LLVM_LIBS})

set(tn_files_PACKAGES PkgConfig::LIBZIP PkgConfig::ZLIB PkgConfig::JANSSON)
set(tn_arith_PACKAGES tn_isl)
set(tn_codegen_PACKAGES tn_llvm)
set(tn_driver_PACKAGES tn_llvm PkgConfig::JANSSON)

set(TN_ROOM_PACKAGES "")
foreach(room IN LISTS TN_ROOMS)
  list(APPEND TN_ROOM_PACKAGES ${tn_${room}_PACKAGES})
  if(TARGET tn_${room}_objects)
    target_link_libraries(tn_${room}_objects PRIVATE ${tn_${room}_PACKAGES})
  endif()
endforeach()
list(REMOVE_DUPLICATES TN_ROOM_PACKAGES)
