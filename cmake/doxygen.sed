# SPDX-License-Identifier: MIT
# Lets Doxygen read the headers' plain comments. The head of a file, comments before a
# declaration, and comments behind a field or a value.
1s|^/\* \(.*\)$|/** \\file\n * \1|
/^ *\/\* ----/b
/^ *\/\* /s|/\* |/** |
/[;,)0-9a-zA-Z_] *\/\* /s|/\* |/**< |
