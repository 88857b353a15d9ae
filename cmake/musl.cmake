# Debian's musl, static. It comes without headers of the kernel and without C++. For ./test --matrix.
set(CMAKE_C_COMPILER musl-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
