# SPDX-License-Identifier: MIT
# Debian's musl, static. It comes without headers of the kernel and without C++. For ./test --matrix.
set(CMAKE_C_COMPILER musl-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
# Headers in /usr/include are of the other C library.
set(CMAKE_FIND_ROOT_PATH /usr/lib/x86_64-linux-musl)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
