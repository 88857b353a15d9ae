/* SPDX-License-Identifier: MIT */
/* Symbols. A table holds the one symbol of each name. */
#include "scheme.h"

value intern(value name) {
  if (globals.symbols == 0) globals.symbols = make_table(true);
  value found = table_ref(globals.symbols, name, FALSE);
  if (found != FALSE) return found;
  struct symbol *symbol = mem_refs(sizeof *symbol);
  *symbol = (struct symbol){make_header(T_SYMBOL, 0), name, UNBOUND, FALSE, FALSE};
  table_put(globals.symbols, name, (value)symbol);
  return (value)symbol;
}

value intern_c(const char *name) {
  return intern(string_from_c(name));
}

EXPRESSION("symbol?", ".", make_bool(is_type(a[0], T_SYMBOL)))
EXPRESSION("symbol->string", "y", symbol_of(a[0])->name)
EXPRESSION("string->symbol", "s", intern(copy_sequence(T_STRING, a[0], 0, size_of(a[0]))))
EXPRESSION("symbol=?", "yy*", compare_all(count, a, 2, order_words))
