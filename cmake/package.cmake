# What `cpack` makes: dermis_VERSION_ARCH.deb, which depends on Debian's libraries, and dermis-VERSION-linux-ARCH.tar.gz, which
# brings them along. tools/package calls it, tools/check_package tries both on a Debian without a compiler.
include(GNUInstallDirs)

# ---- Programs ----
# The archive's libraries are in lib/dermis. DT_RPATH, not DT_RUNPATH: the libraries find each other by it too. After the
# .deb is installed the folder does not exist, and the system's libraries are found.
foreach(program dermis_cli dermis_import dermis_bench)
  if(NOT TARGET ${program})
    message(STATUS "No packages: ${program} is not built here")
    return()
  endif()
  set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/dermis")
  target_link_options(${program} PRIVATE LINKER:--disable-new-dtags)
endforeach()

# ---- Documents ----
# Where links between them hold.
set(documents ${CMAKE_INSTALL_DATADIR}/doc/dermis)
install(FILES LICENSE DESTINATION ${documents} RENAME copyright COMPONENT program)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${documents} COMPONENT program)
install(DIRECTORY docs DESTINATION ${documents} COMPONENT program
  FILES_MATCHING REGEX "[.](md|json|png|svg)$")

# ---- Libraries beside the programs, in the archive alone ----
install(CODE "set(programs $<TARGET_FILE:dermis_cli> $<TARGET_FILE:dermis_import> $<TARGET_FILE:dermis_bench>)
set(documents ${documents})" COMPONENT libraries EXCLUDE_FROM_ALL)
install(SCRIPT cmake/bundle_libraries.cmake COMPONENT libraries EXCLUDE_FROM_ALL)

# ---- Packages ----
string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME dermis)
set(CPACK_PACKAGE_VENDOR "The dermis authors")
set(CPACK_PACKAGE_CONTACT "dermis maintainers <maintainers@dermis.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "character skinning: rigs, binds, poses, draws and converts characters")
set(CPACK_PACKAGE_DESCRIPTION "A mesh goes in, a moving character comes out. dermis reads glTF, FBX, Collada, OBJ, BVH
and many more, finds a skeleton in a bare mesh, binds it and moves it, says what is wrong with a file
and mends it, and writes glTF back without losing what it did not understand.")
set(CPACK_PACKAGE_FILE_NAME dermis-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
# Which parts go into which package: asked when cpack runs, once for each.
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package_parts.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS ffmpeg)
include(CPack)
