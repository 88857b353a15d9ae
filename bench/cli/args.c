/* SPDX-License-Identifier: MIT */
#include "bench/cli/args.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/complain.h"
#include "bench/cli/nearest.h"

#define TEXT_COLUMN 30u
#define LINE_COLUMNS 88u

/* ---- Values ---------------------------------------------------------------------------- */

static bool suffix_factor(const char *suffix, bool is_bytes, uint64_t *factor) {
  static const char letters[] = "KMGT";
  *factor = 1;
  if (suffix[0] == '\0') return true;
  const char *letter = strchr(letters, suffix[0]);
  if (!letter) return false;
  for (const char *l = letters; l <= letter; l++)
    *factor *= is_bytes ? 1024u : 1000u;
  /* "64MiB" is what people write for sizes. */
  return suffix[1] == '\0' || (is_bytes && (strcmp(suffix + 1, "iB") == 0));
}

/* Digits behind a point, of which the suffix makes a whole number. Moves *text behind them. */
static bool parse_fraction(const char **text, uint64_t *digits, uint64_t *unit) {
  *digits = 0;
  *unit = 1;
  if (**text != '.') return true;
  const char *at = *text + 1;
  for (; *at >= '0' && *at <= '9' && *unit < UINT64_C(1000000000); at++) {
    *digits = *digits * 10 + (uint64_t)(*at - '0');
    *unit *= 10;
  }
  bool any = at > *text + 1;
  *text = at;
  return any;
}

bool td_parse_number(const char *text, bool is_bytes, uint64_t *value) {
  if (text[0] < '0' || text[0] > '9') return false; /* strtoull would take blanks and signs */
  char *end;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  const char *rest = end;
  uint64_t factor, digits, unit, part;
  if (errno != 0 || !parse_fraction(&rest, &digits, &unit)) return false;
  if (!suffix_factor(rest, is_bytes, &factor) || __builtin_mul_overflow(digits, factor, &part))
    return false;
  if (part % unit != 0) return false;
  return !__builtin_mul_overflow((uint64_t)number, factor, value) &&
         !__builtin_add_overflow(*value, part / unit, value);
}

static bool parse_real(const char *text, double *value) {
  if ((text[0] < '0' || text[0] > '9') && text[0] != '.') return false;
  char *end;
  *value = strtod(text, &end);
  return *end == '\0' && isfinite(*value);
}

/* "64M" for what can be said so: the largest suffix without a rest. */
static void write_number(double value, bool is_bytes, char *text, size_t bytes) {
  static const char suffixes[] = " KMGT";
  double factor = is_bytes ? 1024 : 1000;
  size_t suffix = 0;
  while (value >= factor && fmod(value, factor) == 0 && suffixes[suffix + 1]) {
    value /= factor;
    suffix++;
  }
  snprintf(text, bytes, suffix ? "%.15g%c" : "%.15g", value, suffixes[suffix]);
}

static int wrong_number(const struct td_usage *usage, const struct td_option *option,
                        const char *text) {
  char least[32], most[32];
  write_number(option->min, option->is_bytes, least, sizeof least);
  write_number(option->max, option->is_bytes, most, sizeof most);
  bool whole = option->number || option->numbers;
  return td_complain(TD_EXIT_USAGE, "%s: --%s: '%s' is not a %snumber from %s to %s",
                     usage->command, option->name, text, whole ? "whole " : "", least, most);
}

static int take_number(const struct td_usage *usage, const struct td_option *option,
                       const char *text, uint64_t *value) {
  if (!td_parse_number(text, option->is_bytes, value) || (double)*value < option->min ||
      (double)*value > option->max)
    return wrong_number(usage, option, text);
  return TD_ARGS_GO_ON;
}

static int take_real(const struct td_usage *usage, const struct td_option *option, const char *text,
                     double *value) {
  if (!parse_real(text, value) || *value < option->min || *value > option->max)
    return wrong_number(usage, option, text);
  return TD_ARGS_GO_ON;
}

static int take_item(const struct td_usage *usage, const struct td_option *option, char *text) {
  size_t *count = option->words     ? &option->words->count
                  : option->numbers ? &option->numbers->count
                                    : &option->reals->count;
  if (*count == TD_LIST_MAX)
    return td_complain(TD_EXIT_USAGE, "%s: --%s: more than %u items", usage->command, option->name,
                       TD_LIST_MAX);
  int status = TD_ARGS_GO_ON;
  if (option->words)
    option->words->at[*count] = text;
  else if (option->numbers)
    status = take_number(usage, option, text, &option->numbers->at[*count]);
  else
    status = take_real(usage, option, text, &option->reals->at[*count]);
  *count += 1;
  return status;
}

static int take_list(const struct td_usage *usage, const struct td_option *option, char *text) {
  char separator[] = {option->separator ? option->separator : ',', '\0'};
  for (char *rest = text; rest;) {
    char *item = strsep(&rest, separator);
    if (item[0] == '\0')
      return td_complain(TD_EXIT_USAGE, "%s: --%s: an item of the list is empty", usage->command,
                         option->name);
    int status = take_item(usage, option, item);
    if (status != TD_ARGS_GO_ON) return status;
  }
  return TD_ARGS_GO_ON;
}

static int take_value(const struct td_usage *usage, const struct td_option *option, char *text) {
  if (option->number) return take_number(usage, option, text, option->number);
  if (option->real) return take_real(usage, option, text, option->real);
  if (!option->word) return take_list(usage, option, text);
  if (text[0] == '\0')
    return td_complain(TD_EXIT_USAGE, "%s: --%s: the value is empty", usage->command, option->name);
  *option->word = text;
  return TD_ARGS_GO_ON;
}

int td_args_no_such(const char *command, const char *what, const char *name,
                    const char *(*name_at)(size_t index)) {
  char known[1024] = "";
  size_t used = 0;
  struct td_nearest nearest = {.word = name};
  for (size_t i = 0; name_at(i) && used < sizeof known; i++) {
    used += (size_t)snprintf(known + used, sizeof known - used, " %s", name_at(i));
    td_nearest_offer(&nearest, name_at(i));
  }
  return td_complain(TD_EXIT_USAGE, "%s: no %s '%s'%s; there are:%s", command, what, name,
                     td_nearest_question(&nearest), known);
}

/* ---- Help ------------------------------------------------------------------------------ */

static size_t columns_of(const char *text, size_t bytes) {
  size_t columns = 0;
  for (size_t i = 0; i < bytes; i++)
    columns += ((unsigned char)text[i] >> 6) != 2; /* bytes that begin a character */
  return columns;
}

/* Prints words from column TEXT_COLUMN on, in lines of at most LINE_COLUMNS. */
static void print_wrapped(const char *text) {
  size_t column = TEXT_COLUMN;
  while (*text) {
    size_t bytes = strcspn(text, " "), columns = columns_of(text, bytes);
    bool first = column == TEXT_COLUMN;
    if (!first && column + 1 + columns > LINE_COLUMNS) {
      printf("\n%*s", (int)TEXT_COLUMN, "");
      column = TEXT_COLUMN;
      first = true;
    }
    printf("%s%.*s", first ? "" : " ", (int)bytes, text);
    column += columns + !first;
    text += bytes;
    text += *text == ' ';
  }
  putchar('\n');
}

static void print_option(const char *name, const char *argument, const char *text) {
  printf("  --%s%s%s", name, argument ? " " : "", argument ? argument : "");
  size_t column = 4 + strlen(name) + (argument ? 1 + columns_of(argument, strlen(argument)) : 0);
  if (column + 2 > TEXT_COLUMN) {
    putchar('\n');
    column = 0;
  }
  printf("%*s", (int)(TEXT_COLUMN - column), "");
  print_wrapped(text);
}

/* The value that a number has before the options are read is its default. */
static void print_described(const struct td_option *option) {
  double fallback = option->number ? (double)*option->number : option->real ? *option->real : 0;
  char number[32], text[400];
  write_number(fallback, option->is_bytes, number, sizeof number);
  snprintf(text, sizeof text, fallback != 0 ? "%s (default: %s)" : "%s", option->text, number);
  print_option(option->name, option->argument, text);
}

/* An argument such as N[,N…] tells of a list. */
static bool takes_lists(const struct td_usage *usage) {
  for (size_t i = 0; i < usage->option_count; i++)
    if (usage->options[i].argument && strchr(usage->options[i].argument, '[')) return true;
  return false;
}

/* What stands between "tidemark" and the command. */
static char joint(const struct td_usage *usage) {
  return usage->own_program ? '-' : ' ';
}

static void print_help(const struct td_usage *usage) {
  printf("Usage: tidemark%c%s%s%s%s\n\n%s\n\nOptions:\n", joint(usage), usage->command,
         usage->positional ? " " : "", usage->positional ? usage->positional : "",
         usage->option_count ? " [OPTION…]" : "", usage->summary);
  for (size_t i = 0; i < usage->option_count; i++)
    print_described(&usage->options[i]);
  print_option("help", NULL, "this text");
  if (takes_lists(usage))
    puts("\nAn option that takes a list may be given again: the lists are joined.");
  if (usage->details) printf("\n%s\n", usage->details);
  if (usage->print_details) {
    putchar('\n');
    usage->print_details(stdout);
  }
}

/* ---- Parsing --------------------------------------------------------------------------- */

static const char *long_name(const char *argument) {
  if (strcmp(argument, "-h") == 0) return "help";
  if (strcmp(argument, "-o") == 0) return "output";
  if (strcmp(argument, "-q") == 0) return "quiet";
  return strncmp(argument, "--", 2) == 0 ? argument + 2 : NULL;
}

static const struct td_option *find_option(const struct td_usage *usage, const char *name,
                                           size_t length) {
  for (size_t i = 0; i < usage->option_count; i++)
    if (strlen(usage->options[i].name) == length &&
        strncmp(usage->options[i].name, name, length) == 0)
      return &usage->options[i];
  return NULL;
}

static int take_positional(const struct td_usage *usage, const char *text) {
  if (!usage->words || usage->words->count >= usage->words_max ||
      usage->words->count >= TD_LIST_MAX)
    return td_complain(TD_EXIT_USAGE, "%s: unexpected '%s'; see tidemark%c%s --help",
                       usage->command, text, joint(usage), usage->command);
  usage->words->at[usage->words->count++] = text;
  return TD_ARGS_GO_ON;
}

static int no_option(const struct td_usage *usage, const char *argument, const char *name,
                     size_t length) {
  char word[32] = "";
  struct td_nearest nearest = {.word = word};
  if (length < sizeof word) memcpy(word, name ? name : "", length);
  for (size_t i = 0; i < usage->option_count; i++)
    td_nearest_offer(&nearest, usage->options[i].name);
  return td_complain(TD_EXIT_USAGE, "%s: no option '%.*s'%s; see tidemark%c%s --help",
                     usage->command, (int)strcspn(argument, "="), argument,
                     td_nearest_question(&nearest), joint(usage), usage->command);
}

/* Handles argv[*index] and, where the value is the next word, that as well. */
static int take_argument(const struct td_usage *usage, int argc, char **argv, int *index) {
  char *argument = argv[*index];
  const char *name = long_name(argument);
  if (!name && (argument[0] != '-' || argument[1] == '\0')) return take_positional(usage, argument);
  size_t length = name ? strcspn(name, "=") : 0;
  const struct td_option *option = name ? find_option(usage, name, length) : NULL;
  if (!option) return no_option(usage, argument, name, length);
  bool inline_value = name[length] == '=';
  if (option->flag) {
    if (inline_value)
      return td_complain(TD_EXIT_USAGE, "%s: --%s takes no value", usage->command, option->name);
    *option->flag = true;
    return TD_ARGS_GO_ON;
  }
  if (inline_value) return take_value(usage, option, strchr(argument, '=') + 1);
  if (*index + 1 >= argc)
    return td_complain(TD_EXIT_USAGE, "%s: --%s needs a value: %s", usage->command, option->name,
                       option->argument);
  *index += 1;
  return take_value(usage, option, argv[*index]);
}

int td_args_parse(const struct td_usage *usage, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      print_help(usage);
      return TD_EXIT_OK;
    }
  }
  for (int i = 1; i < argc; i++) {
    int status = take_argument(usage, argc, argv, &i);
    if (status != TD_ARGS_GO_ON) return status;
  }
  if (usage->words && usage->words->count < usage->words_min)
    return td_complain(TD_EXIT_USAGE, "%s: %s is missing; see tidemark%c%s --help", usage->command,
                       usage->positional, joint(usage), usage->command);
  return TD_ARGS_GO_ON;
}
