# Installs the build in the folder BUILD to PREFIX, where nothing of an earlier installation is left.
file(REMOVE_RECURSE ${PREFIX})
execute_process(
  COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}
  OUTPUT_QUIET
  COMMAND_ERROR_IS_FATAL ANY)
