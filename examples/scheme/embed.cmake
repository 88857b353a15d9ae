# Writes a C file that holds a text file: cmake -DINPUT=… -DOUTPUT=… -DNAME=… -P embed.cmake
file(READ "${INPUT}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}" "#include <stddef.h>\nextern const char ${NAME}[];\nextern const size_t "
     "${NAME}_size;\nconst char ${NAME}[] = {${bytes}0};\n"
     "const size_t ${NAME}_size = sizeof ${NAME} - 1;\n")
