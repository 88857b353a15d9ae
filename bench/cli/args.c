#include "bench/cli/args.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/complain.h"

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

bool td_parse_number(const char *text, bool is_bytes, uint64_t *value) {
  if (text[0] < '0' || text[0] > '9') return false; /* strtoull would take blanks and signs */
  char *end;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  uint64_t factor;
  if (errno != 0 || !suffix_factor(end, is_bytes, &factor)) return false;
  return !__builtin_mul_overflow((uint64_t)number, factor, value);
}

static bool parse_real(const char *text, double *value) {
  if ((text[0] < '0' || text[0] > '9') && text[0] != '.') return false;
  char *end;
  *value = strtod(text, &end);
  return *end == '\0' && isfinite(*value);
}

static int wrong_number(const struct td_usage *usage, const struct td_option *option,
                        const char *text) {
  return td_complain(TD_EXIT_USAGE, "%s: --%s: '%s' is not a number from %.15g to %.15g",
                     usage->command, option->name, text, option->min, option->max);
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

/* ---- Help ------------------------------------------------------------------------------ */

static void print_option(const char *name, const char *argument, const char *text) {
  int width = printf("  --%s%s%s", name, argument ? " " : "", argument ? argument : "");
  /* "…" is three bytes and one column. */
  for (const char *c = argument ? argument : ""; *c; c++)
    width -= ((unsigned char)*c >> 6) == 2;
  if (width > 29) {
    putchar('\n');
    width = 0;
  }
  printf("%*s", 30 - width, "");
  for (const char *c = text; *c; c++) {
    putchar(*c);
    if (*c == '\n') printf("%30s", "");
  }
  putchar('\n');
}

static void print_help(const struct td_usage *usage) {
  printf("Usage: tidemark %s%s%s%s\n\n%s\n\nOptions:\n", usage->command,
         usage->positional ? " " : "", usage->positional ? usage->positional : "",
         usage->option_count ? " [OPTION…]" : "", usage->summary);
  for (size_t i = 0; i < usage->option_count; i++)
    print_option(usage->options[i].name, usage->options[i].argument, usage->options[i].text);
  print_option("help", NULL, "this text");
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
    return td_complain(TD_EXIT_USAGE, "%s: unexpected '%s'; see tidemark %s --help", usage->command,
                       text, usage->command);
  usage->words->at[usage->words->count++] = text;
  return TD_ARGS_GO_ON;
}

/* Handles argv[*index] and, where the value is the next word, that as well. */
static int take_argument(const struct td_usage *usage, int argc, char **argv, int *index) {
  char *argument = argv[*index];
  const char *name = long_name(argument);
  if (!name && (argument[0] != '-' || argument[1] == '\0')) return take_positional(usage, argument);
  size_t length = name ? strcspn(name, "=") : 0;
  const struct td_option *option = name ? find_option(usage, name, length) : NULL;
  if (!option)
    return td_complain(TD_EXIT_USAGE, "%s: no option '%.*s'; see tidemark %s --help",
                       usage->command, (int)strcspn(argument, "="), argument, usage->command);
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
    return td_complain(TD_EXIT_USAGE, "%s: %s is missing; see tidemark %s --help", usage->command,
                       usage->positional, usage->command);
  return TD_ARGS_GO_ON;
}
