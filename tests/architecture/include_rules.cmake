# Who may include whom: the arrows between the layers, and one library, one door.
#
#   cmake -P tests/architecture/include_rules.cmake                 checks the checkout
#   cmake -DROOT=<folder> -P ...                                    checks another tree
#   cmake -DSELF_TEST=ON -P ...                                     plants violations, finds each
#
# Project files are included in quotes, from the root of the repository; all else in angle brackets.
# Limits: it reads the #include lines only, so an include made by a macro is not seen.
cmake_minimum_required(VERSION 3.25)

# Layers: a folder with its subfolders, and the other layers it may include. A folder may include
# itself; models is the exception, see model_rule.
set(layers sim/base sim/config sim/stats sim/kernel sim/platform models sim/scenario sim/run
           results sim/app calibration tests)
set(sim/base_sees)
set(sim/config_sees sim/base)
set(sim/stats_sees sim/base)
set(sim/kernel_sees sim/base sim/stats)
set(sim/platform_sees sim/base sim/config sim/stats)
set(models_sees sim/base sim/config sim/stats sim/kernel sim/platform/platform.hpp)
set(sim/scenario_sees sim/base sim/config models)
set(sim/run_sees sim/base sim/config sim/stats sim/kernel sim/platform models sim/scenario)
set(results_sees sim/base sim/stats sim/run sim/scenario/capacity.hpp)
set(sim/app_sees ${layers})
list(REMOVE_ITEM sim/app_sees tests)
set(calibration_sees sim/base sim/config sim/stats models sim/run)
set(tests_sees ${layers})

# Doors: the headers of a library, and the only files that may include them (regular expressions).
# The test of a door (tests/<door>_test.cpp) may look behind it; fmt may be used anywhere.
set(libraries yaml-cpp Eigen SimGrid HDF5 CLI11 Ceres nlohmann-json Catch2 compression fmt)
set(yaml-cpp_headers "^yaml-cpp/")
set(yaml-cpp_door "^sim/config/yaml_node\\.cpp$")
set(Eigen_headers "^(unsupported/)?Eigen/")
set(Eigen_door "^(sim/stats/operational_laws\\.cpp$|calibration/)")
set(SimGrid_headers "^(simgrid|xbt|smpi)(/|\\.h)")
set(SimGrid_door "^sim/platform/simgrid_[^/]*$")
set(HDF5_headers "^(hdf5|H5)[A-Za-z_]*\\.h")
set(HDF5_door "^results/results_file\\.cpp$")
set(CLI11_headers "^CLI/")
set(CLI11_door "^sim/app/")
set(Ceres_headers "^(ceres|glog)/")
set(Ceres_door "^calibration/")
set(nlohmann-json_headers "^nlohmann/")
set(nlohmann-json_door "^(results/[^/]*json[^/]*$|calibration/fio_import\\.|sim/app/|tests/)")
set(Catch2_headers "^catch2/")
set(Catch2_door "^tests/")
set(compression_headers "^(zlib|zstd)\\.h")
set(compression_door "stream_reader\\.cpp$")
set(fmt_headers "^fmt/")
set(fmt_door ".")

# layer_of(<path> <out>): the layer a file belongs to, or an empty string.
function(layer_of path out)
  set(found "")
  foreach(layer IN LISTS layers)
    if("${path}" MATCHES "^${layer}/")
      set(found ${layer})
    endif()
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# model_rule(<file> <header> <out>): one header of models/ in another file of models/. Models do not
# know each other, so that each can be read, tested and replaced alone: a file sees its own header
# (raid_layout.cpp sees raid.hpp), the parts of its own model (all of ssd*), the two concepts, the
# shared physics of disks (disk_*.hpp), which has no data sheet of its own, and the geometry of RAID
# sets (raid_*.hpp). The catalog lists all of them.
function(model_rule file header out)
  get_filename_component(stem "${file}" NAME_WE)
  get_filename_component(included "${header}" NAME_WE)
  string(REGEX REPLACE "_.*" "" family "${stem}")
  set(rule "")
  if(NOT stem STREQUAL "catalog"
     AND NOT included MATCHES "^(drive|raid(_[a-z]+)*|disk_[a-z]+)$"
     AND NOT "${stem}_" MATCHES "^${included}_"
     AND NOT "${included}_" MATCHES "^${family}_")
    set(rule "a model includes no other model, only drive.hpp, raid.hpp, raid_*.hpp, disk_*.hpp")
  endif()
  set(${out} "${rule}" PARENT_SCOPE)
endfunction()

# project_rule(<file> <header> <out>): the rule that including this project file breaks, or nothing.
function(project_rule file header out)
  layer_of("${file}" from)
  layer_of("${header}" to)
  set(rule "")
  if(from STREQUAL "models" AND to STREQUAL "models")
    model_rule("${file}" "${header}" rule)
  elseif(NOT from STREQUAL to AND NOT to IN_LIST ${from}_sees
         AND NOT header IN_LIST ${from}_sees)
    list(JOIN ${from}_sees ", " seen)
    set(rule "${from} may include only itself and: ${seen}")
  endif()
  set(${out} "${rule}" PARENT_SCOPE)
endfunction()

# library_rule(<file> <header> <out>): the same for a header from outside the project. Standard
# headers have neither a folder nor a door; of folders, the system's sys/ needs none.
function(library_rule file header out)
  string(REGEX REPLACE "^tests/(.*)_test\\.cpp$" "\\1.cpp" tested "${file}")
  set(rule "")
  if("${header}" MATCHES "/" AND NOT "${header}" MATCHES "^sys/")
    set(rule "this library has no door (give it one in include_rules.cmake)")
  endif()
  foreach(library IN LISTS libraries)
    if("${header}" MATCHES "${${library}_headers}")
      set(rule "")
      if(NOT "${file}" MATCHES "${${library}_door}"
         AND NOT "${tested}" MATCHES "${${library}_door}")
        set(rule "${library} is let in only by files that match ${${library}_door}")
      endif()
    endif()
  endforeach()
  set(${out} "${rule}" PARENT_SCOPE)
endfunction()

# include_rule(<root> <file> <include> <out>): the rule that one include, written as "x" or <x>,
# breaks in this file, or nothing.
function(include_rule root file include out)
  string(REGEX REPLACE "[<>\"]" "" header "${include}")
  set(quoted FALSE)
  if("${include}" MATCHES "\"")
    set(quoted TRUE)
  endif()
  set(rule "")
  layer_of("${header}" layer)
  library_rule("${file}" "${header}" foreign)
  if(layer STREQUAL "" AND foreign)
    set(rule "${foreign}")
  elseif(quoted AND ("${header}" MATCHES "\\.\\./" OR NOT EXISTS "${root}/${header}"))
    set(rule "in quotes stand only files of the project, from its root")
  elseif(NOT layer STREQUAL "" AND NOT quoted)
    set(rule "files of the project are included in quotes")
  elseif(quoted)
    project_rule("${file}" "${header}" rule)
  endif()
  set(${out} "${rule}" PARENT_SCOPE)
endfunction()

# check_file(<root> <file> <out>): appends "file:line: include: rule" for each violation.
function(check_file root file out)
  set(violations ${${out}})
  layer_of("${file}" layer)
  if(layer STREQUAL "")
    list(APPEND violations "${file}:1: this folder is no layer (add it to include_rules.cmake)")
    set(${out} ${violations} PARENT_SCOPE)
    return()
  endif()
  file(READ "${root}/${file}" text)
  string(PREPEND text "\n")
  set(directive "\n[ \t]*#[ \t]*include[ \t]*[<\"][^>\"\n]*[>\"]")
  string(REGEX MATCHALL "${directive}" directives "${text}")
  foreach(found IN LISTS directives)
    string(REGEX MATCH "[<\"].*$" include "${found}")
    include_rule("${root}" "${file}" "${include}" rule)
    if(rule)
      string(FIND "${text}" "${found}" position)
      string(SUBSTRING "${text}" 0 ${position} before)
      string(REGEX MATCHALL "\n" newlines "${before}\n")
      list(LENGTH newlines line)
      list(APPEND violations "${file}:${line}: ${include}: ${rule}")
    endif()
  endforeach()
  set(${out} ${violations} PARENT_SCOPE)
endfunction()

# check_tree(<root> <out>): all violations below the source folders.
function(check_tree root out)
  set(violations)
  foreach(folder sim models results calibration tests)
    file(GLOB_RECURSE files RELATIVE "${root}" "${root}/${folder}/*.hpp" "${root}/${folder}/*.cpp")
    foreach(file IN LISTS files)
      check_file("${root}" "${file}" violations)
    endforeach()
  endforeach()
  set(${out} ${violations} PARENT_SCOPE)
endfunction()

# The self-test: each line of `planted` breaks one rule, each line of `allowed` none. Every include
# goes into line 3 of a file of its own below the layer.
function(self_test)
  set(planted
    "sim/base/a.hpp <sim/base/units.hpp>"              # brackets for a project file
    "sim/base/b.hpp \"units.hpp\""                     # not from the root
    "sim/base/c.hpp \"sim/base/../base/units.hpp\""
    "sim/base/d.hpp \"fmt/format.h\""                  # quotes for a library
    "sim/base/e.cpp \"sim/stats/histogram.hpp\""       # the arrows, one per layer
    "sim/config/a.cpp \"sim/stats/histogram.hpp\""
    "sim/stats/a.cpp \"sim/config/schema.hpp\""
    "sim/kernel/a.cpp \"sim/config/schema.hpp\""
    "sim/platform/a.cpp \"sim/kernel/io.hpp\""
    "models/ssd.cpp \"sim/platform/simgrid_platform.hpp\""
    "models/hdd.cpp \"sim/scenario/scenario.hpp\""
    "sim/scenario/a.cpp \"sim/platform/platform.hpp\""
    "sim/run/a.cpp \"results/results_file.hpp\""
    "results/a.cpp \"models/ssd.hpp\""
    "sim/app/a.cpp \"tests/support/under_test.hpp\""
    "calibration/a.cpp \"sim/kernel/io.hpp\""
    "sim/run/b.cpp \"sim/app/commands.hpp\""
    "models/cache.hpp \"models/ssd.hpp\""              # models among themselves
    "models/raid_layout.cpp \"models/catalog.hpp\""
    "sim/config/schema.cpp <yaml-cpp/yaml.h>"          # the doors, one per library
    "sim/stats/analysis.cpp <Eigen/Dense>"
    "sim/platform/platform.cpp <simgrid/s4u.hpp>"
    "sim/run/c.cpp <xbt/log.h>"
    "results/report.cpp <hdf5.h>"
    "tests/sim/run/d_test.cpp <H5Cpp.h>"
    "sim/run/e.cpp <CLI/CLI.hpp>"
    "models/fit.cpp <ceres/ceres.h>"
    "sim/base/f.cpp <nlohmann/json.hpp>"
    "results/g.cpp <catch2/catch.hpp>"
    "sim/app/h.cpp <zlib.h>"
    "sim/base/i.cpp <boost/optional.hpp>"              # a library nobody knows
    "sim/other/j.cpp <vector>")                        # a folder that is no layer
  set(allowed
    "sim/base/k.cpp <vector>" "sim/base/l.cpp <sys/stat.h>" "sim/base/m.cpp <fmt/format.h>"
    "sim/base/n.cpp \"sim/base/units.hpp\"" "sim/config/yaml_node.cpp <yaml-cpp/yaml.h>"
    "sim/stats/operational_laws.cpp <Eigen/Dense>"
    "sim/platform/simgrid_cosim.cpp <simgrid/s4u.hpp>"
    "tests/sim/platform/simgrid_cosim_test.cpp <simgrid/s4u.hpp>"
    "models/ssd_collection.cpp \"models/ssd.hpp\"" "models/ssd.hpp \"models/ssd_schema.hpp\""
    "models/parity_raid.hpp \"models/raid.hpp\""
    "models/catalog.cpp \"models/ssd.hpp\"" "models/fabric.cpp \"sim/platform/platform.hpp\""
    "sim/run/o.cpp \"sim/platform/simgrid_platform.hpp\"" "results/results_file.cpp <hdf5.h>"
    "results/fio_json.cpp <nlohmann/json.hpp>" "sim/app/main.cpp <CLI/CLI.hpp>"
    "sim/app/p.cpp \"results/results_file.hpp\"" "calibration/q.cpp \"models/ssd.hpp\""
    "calibration/fitter.cpp <ceres/ceres.h>" "tests/main.cpp <catch2/catch.hpp>"
    "tests/models/ssd_test.cpp \"tests/support/under_test.hpp\"")
  set(tree "${CMAKE_CURRENT_LIST_DIR}/../../build/include_rules_self_test")
  file(REMOVE_RECURSE "${tree}")
  foreach(header sim/base/units sim/stats/histogram sim/config/schema sim/kernel/io
          sim/platform/platform sim/platform/simgrid_platform sim/scenario/scenario
          sim/app/commands results/results_file models/ssd models/ssd_schema models/raid models/catalog
          tests/support/under_test)
    file(WRITE "${tree}/${header}.hpp" "#pragma once\n")
  endforeach()
  foreach(plant IN LISTS planted allowed)
    string(REGEX MATCH "^([^ ]+) (.*)$" matched "${plant}")
    file(WRITE "${tree}/${CMAKE_MATCH_1}" "// a [line; of text\n\n  # include ${CMAKE_MATCH_2}\n")
  endforeach()
  check_tree("${tree}" violations)
  file(REMOVE_RECURSE "${tree}")
  compare_with_planted("${planted}" "${violations}")
endfunction()

# compare_with_planted(<planted> <violations>): each planted one found at its line, and no other.
function(compare_with_planted planted violations)
  set(wrong 0)
  foreach(plant IN LISTS planted)
    string(REGEX MATCH "^([^ ]+) (.*)$" matched "${plant}")
    set(file "${CMAKE_MATCH_1}")
    set(expected "${file}:3: ${CMAKE_MATCH_2}: ")
    if("${file}" MATCHES "^sim/other/")  # the file itself is wrong, not its include
      set(expected "${file}:1: ")
    endif()
    set(rest ${violations})
    foreach(violation IN LISTS violations)
      string(FIND "${violation}" "${expected}" position)
      if(position EQUAL 0)
        list(REMOVE_ITEM rest "${violation}")
      endif()
    endforeach()
    if(rest STREQUAL violations)
      message(NOTICE "not found: ${plant}")
      math(EXPR wrong "${wrong} + 1")
    endif()
    set(violations ${rest})
  endforeach()
  foreach(violation IN LISTS violations)
    message(NOTICE "found, but allowed: ${violation}")
    math(EXPR wrong "${wrong} + 1")
  endforeach()
  list(LENGTH planted count)
  if(wrong)
    message(FATAL_ERROR "the include rules are wrong in ${wrong} cases")
  endif()
  message(NOTICE "${count} planted violations, all found")
endfunction()

if(SELF_TEST)
  self_test()
else()
  if(NOT ROOT)
    set(ROOT "${CMAKE_CURRENT_LIST_DIR}/../..")
  endif()
  check_tree("${ROOT}" violations)
  foreach(violation IN LISTS violations)
    message(NOTICE "${violation}")
  endforeach()
  if(violations)
    list(LENGTH violations count)
    message(FATAL_ERROR "${count} violations of the include rules")
  endif()
endif()
