# Script: puts the objects that the generator left in FOLDER into ARCHIVE with AR. Their number is known only to the
# generator.
file(GLOB objects "${FOLDER}/*.o" "${FOLDER}/*.obj")
if(NOT objects)
    message(FATAL_ERROR "the generator left no object in ${FOLDER}")
endif()
file(REMOVE "${ARCHIVE}")
# D: without times and users, so that one input gives one archive; not every `ar` knows it.
execute_process(COMMAND "${AR}" qcsD "${ARCHIVE}" ${objects} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
if(failed)
    file(REMOVE "${ARCHIVE}")
    execute_process(COMMAND "${AR}" qcs "${ARCHIVE}" ${objects} RESULT_VARIABLE failed)
endif()
if(failed)
    message(FATAL_ERROR "${AR} failed")
endif()
