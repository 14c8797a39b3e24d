# What `cmake --install` puts where, and the Debian package that `cpack` makes of it.
include(GNUInstallDirs)

install(TARGETS lore RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS lore_shared EXPORT loreTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(EXPORT loreTargets NAMESPACE lore:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/lore)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/loreConfig.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/lore)
configure_file(${PROJECT_SOURCE_DIR}/packaging/lore.pc.in ${PROJECT_BINARY_DIR}/lore.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/lore.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/lore.service DESTINATION lib/systemd/user)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/guides DESTINATION ${CMAKE_INSTALL_DOCDIR})
# What fetches models, for people who have no source.
set(fetcher ${CMAKE_INSTALL_DATADIR}/lore)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/get-models.sh DESTINATION ${fetcher})
install(FILES ${PROJECT_SOURCE_DIR}/scripts/get_models.py ${PROJECT_SOURCE_DIR}/scripts/models.json
              ${PROJECT_SOURCE_DIR}/scripts/packages.sh DESTINATION ${fetcher})
install(CODE "
  file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  file(CREATE_LINK ../${fetcher}/get-models.sh
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/lore-get-models\" SYMBOLIC)")
# Manual pages and completions are the command's own words.
install(CODE "
  set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share\")
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/packaging/make_shell_files.sh
                  $<TARGET_FILE:lore> \"\${share}\" COMMAND_ERROR_IS_FATAL ANY)")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lore)
set(CPACK_PACKAGE_CONTACT "The lore authors <lore@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS poppler-data)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS evince)
include(CPack)
