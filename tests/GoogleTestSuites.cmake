# Writes the ctest tests of a GoogleTest program, one a suite; run after each build of the program:
#   cmake -DPROGRAM=F -DNAME=GROUP -DOUT=F -DTIMES=DIR -DMETERED=F -DPROPERTIES="NAME VALUE..." -P GoogleTestSuites.cmake
# A suite with parameters is one test, whatever the number of its instances.
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n[^ \n]+\\." lines "\n${listed}")
set(suites)
foreach(line ${lines})
  # Values/Suite. and Suite/0.
  string(REGEX REPLACE "^\n([^/]+/)?([A-Za-z_][A-Za-z_0-9]*)(/[0-9]+)?\\.$" "\\2" suite "${line}")
  list(APPEND suites ${suite})
endforeach()
list(REMOVE_DUPLICATES suites)
set(text)
foreach(suite ${suites})
  set(test ${NAME}.${suite})
  string(APPEND text "add_test(${test} \"${METERED}\" \"${TIMES}/${test}\" \"${PROGRAM}\" --gtest_filter=${suite}.*:*/${suite}.*:${suite}/*:*/${suite}/*)\n"
         "set_tests_properties(${test} PROPERTIES ${PROPERTIES})\n")
endforeach()
file(WRITE ${OUT} "${text}")
