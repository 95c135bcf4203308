# What `cpack` packages: a Debian package of the component `program`.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "layerpipe")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME layerpipe)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
  "Simulates the training of a neural network that is cut into pipeline stages,
each on a systolic array of its own: how fast it trains, where it stalls and
why, what it sends. Machines are SimGrid platforms, networks are YAML files;
some of both come with it.")
include(CPack)
