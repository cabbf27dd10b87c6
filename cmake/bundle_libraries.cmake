# Puts the shared libraries of `programs` into lib/dermis, and their licences into `documents`; run by install.
#
# Not those of the compiler and of libc: every Debian 12 has them, and a libc of another system does not work.
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} RESOLVED_DEPENDENCIES_VAR libraries
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)[.]so")
set(prefix $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX})
foreach(library ${libraries})
  # The real file under the name that programs ask for: an archive needs no links.
  get_filename_component(name ${library} NAME)
  file(REAL_PATH ${library} real)
  configure_file(${real} ${prefix}/lib/dermis/${name} COPYONLY)
  # Debian's package of the library holds its licence. Found by name: a package may say /lib where the file is in /usr/lib.
  get_filename_component(real_name ${real} NAME)
  execute_process(COMMAND dpkg-query --search */${real_name} OUTPUT_VARIABLE found RESULT_VARIABLE failed ERROR_QUIET)
  string(REGEX MATCH "^[^:,]+" package "${found}")
  if(failed OR NOT EXISTS /usr/share/doc/${package}/copyright)
    message(FATAL_ERROR "${real} is in no Debian package that says its licence; build the archive on Debian")
  endif()
  configure_file(/usr/share/doc/${package}/copyright ${prefix}/${documents}/licences/${package} COPYONLY)
  # Texts that it only names. The GPL is that of packaging scripts and examples, which are not here.
  file(READ /usr/share/doc/${package}/copyright text)
  string(REGEX MATCHALL "/usr/share/common-licenses/[A-Za-z0-9]+(-[0-9.]*[0-9])?" licences "${text}")
  list(FILTER licences EXCLUDE REGEX GPL)
  foreach(licence ${licences})
    get_filename_component(name ${licence} NAME)
    configure_file(${licence} ${prefix}/${documents}/licences/${name} COPYONLY)
  endforeach()
endforeach()
