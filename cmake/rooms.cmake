# One library a room. A room sees only the rooms that src/LAYERS lists beside it: each room has a
# folder build/include/<room>/ that holds nothing but a link to it, and gets the folders of its list.
#
# For each room R this makes
#   tn_R_objects  its objects, compiled once (position independent), if it has any .c file
#   tn_R          the static library that tests link
#   tn_R_INCLUDES the include folders, as a variable
#   tn_R_SEES     the rooms of its list, nearest the top first (the order for a linker)
# and the list TN_ROOMS.

set(TN_INCLUDE_FARM ${CMAKE_BINARY_DIR}/include)
set(TN_ROOMS "")

function(tn_add_room room sees)
  file(MAKE_DIRECTORY ${TN_INCLUDE_FARM}/${room})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${room} ${TN_INCLUDE_FARM}/${room}/${room} SYMBOLIC)
  set(includes ${TN_INCLUDE_FARM}/${room})
  foreach(other IN LISTS sees)
    list(APPEND includes ${TN_INCLUDE_FARM}/${other})
  endforeach()
  list(APPEND includes ${CMAKE_SOURCE_DIR}/include)
  list(REVERSE sees)
  set(tn_${room}_INCLUDES ${includes} PARENT_SCOPE)
  set(tn_${room}_SEES ${sees} PARENT_SCOPE)

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/*.c)
  if(NOT sources)
    add_library(tn_${room} INTERFACE)
    return()
  endif()
  add_library(tn_${room}_objects OBJECT ${sources})
  target_include_directories(tn_${room}_objects PRIVATE ${includes})
  add_library(tn_${room} STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:tn_${room}_objects>)
  set_target_properties(tn_${room} PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
endfunction()

# The objects of the rooms in `rooms` that have any.
function(tn_room_objects rooms out)
  set(objects "")
  foreach(room IN LISTS rooms)
    if(TARGET tn_${room}_objects)
      list(APPEND objects $<TARGET_OBJECTS:tn_${room}_objects>)
    endif()
  endforeach()
  set(${out} ${objects} PARENT_SCOPE)
endfunction()

# Links a program with `rooms` and all that they may include; a static library must stand before
# those it calls, so the list goes from the top of the house to the bottom.
function(tn_link_rooms target rooms)
  set(closure "")
  foreach(room IN LISTS rooms)
    list(APPEND closure ${room} ${tn_${room}_SEES})
  endforeach()
  set(top_down ${TN_ROOMS})
  list(REVERSE top_down)
  foreach(room IN LISTS top_down)
    if(room IN_LIST closure)
      target_include_directories(${target} PRIVATE ${TN_INCLUDE_FARM}/${room})
      target_link_libraries(${target} PRIVATE tn_${room} ${tn_${room}_PACKAGES})
    endif()
  endforeach()
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE Threads::Threads m ${CMAKE_DL_LIBS})
endfunction()

# The rooms of a program named <room>_*.c: that room, and those on a line "needs: room room" among
# its first 800 characters.
function(tn_rooms_of_program source out)
  get_filename_component(name ${source} NAME)
  string(REGEX REPLACE "_.*" "" room ${name})
  if(NOT room IN_LIST TN_ROOMS)
    message(FATAL_ERROR "${source}: its name must begin with a room; '${room}' is none")
  endif()
  set(rooms ${room})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(STRINGS ${source} lines LIMIT_INPUT 800 REGEX "needs: [a-z ]+")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "needs: ([a-z ]+)" ok "${line}")
    separate_arguments(needs UNIX_COMMAND "${CMAKE_MATCH_1}")
    foreach(need IN LISTS needs)
      if(NOT need IN_LIST TN_ROOMS)
        message(FATAL_ERROR "${source}: needs '${need}', which is no room of src/LAYERS")
      endif()
    endforeach()
    list(APPEND rooms ${needs})
  endforeach()
  set(${out} ${rooms} PARENT_SCOPE)
endfunction()

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/LAYERS)
file(STRINGS ${CMAKE_SOURCE_DIR}/src/LAYERS tn_layer_lines REGEX "^[a-z]")
foreach(line IN LISTS tn_layer_lines)
  string(REGEX MATCH "^([a-z]+):(.*)$" ok "${line}")
  if(NOT ok)
    message(FATAL_ERROR "src/LAYERS: cannot read '${line}'")
  endif()
  set(room ${CMAKE_MATCH_1})
  separate_arguments(sees UNIX_COMMAND "${CMAKE_MATCH_2}")
  list(APPEND TN_ROOMS ${room})
  tn_add_room(${room} "${sees}")
endforeach()
