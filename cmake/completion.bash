# SPDX-License-Identifier: MIT
# Bash completion for tidemark: commands, options, engines, graphs and files.
# shellcheck shell=bash
#
# Names come from the program itself (--help, engines), so they are those of the version installed.

# The options of a command, one to a line.
_tidemark_options() {
  "$1" "$2" --help 2>/dev/null | sed -n 's/^  \(--[a-z-]*\).*/\1/p'
}

# The words that stand at the beginning of lines after a heading, up to the next line that begins
# otherwise.
_tidemark_listed() {
  "$1" "$2" --help 2>/dev/null |
    sed -n "/^$3/,/^[^ ]/ s/^  \([a-z][a-z-]*\) .*/\1/p" | sort -u
}

_tidemark_commands() {
  "$1" --help 2>/dev/null | sed -n '/^Commands:/,/^$/ s/^  \([a-z-]*\) .*/\1/p'
}

# The names that an option takes, or nothing if it takes something else.
_tidemark_values() {
  case "$3" in
    --engine)
      "$1" engines 2>/dev/null | sed -n '2,$ s/^\([a-z-]*\) .*/\1/p'
      if [ "$2" = queue ]; then echo tbb; fi ;;
    --graph) _tidemark_graphs "$1" ;;
    --experiment) printf '%s\n' single stolen pool interference forkjoin ;;
    --pattern) printf '%s\n' fill-drain gc-predictable gc-random steals sizes store-1-line \
      store-64-lines add-1-line add-64-lines ;;
    --objects) printf '%s\n' precise conservative ;;
    --policy) printf '%s\n' random sequential last best-of-two best-of-many numa random+prob \
      numa+prob ;;
    --workload) _tidemark_listed "$1" gcbench Workloads: ;;
    --collector) _tidemark_listed "$1" gcbench Collectors: ;;
  esac
}

# Graphs end in the colon that their keys follow.
_tidemark_graphs() {
  _tidemark_listed "$1" graph Graphs | sed 's/$/:/'
  echo file:
}

# Sets COMPREPLY to the words of $1, a line each, that continue the last item of the list $2 whose
# items end in $3. What stands before the last break of the word is not repeated: Bash keeps it.
_tidemark_reply() {
  local before="" item="$2" word
  if [[ -n $3 && $item == *"$3"* ]]; then
    before="${item%"$3"*}$3"
    item="${item##*"$3"}"
  fi
  while IFS= read -r word; do
    [[ -n $word && $word == "$item"* ]] || continue
    word="$before$word"
    COMPREPLY+=("${word:_tidemark_kept}")
  done <<<"$1"
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace 2>/dev/null
  return 0
}

# Files whose names begin as $1 does; with $2, those that end so, and folders. $3 goes before them.
_tidemark_files() {
  local name
  while IFS= read -r name; do
    if [[ -d $name ]]; then
      COMPREPLY+=("$3$name/")
    elif [[ -z $2 || $name == *"$2" ]]; then
      COMPREPLY+=("$3$name")
    fi
  done < <(compgen -f -- "$1")
  compopt -o filenames 2>/dev/null
  return 0
}

# A value of the option $3, of which $4 is there already.
_tidemark_value() {
  local separator=,
  case "$3" in
    --json | --plot | --report | --trace | --output | -o) _tidemark_files "$4" ;;
    --graph)
      separator=';'
      if [[ ${4##*;} == file:* ]]; then
        # Bash keeps what stands before the colon, unless the word is quoted.
        local before="${4%"${4##*file:}"}"
        _tidemark_files "${4##*file:}" .thg "${before:_tidemark_kept}"
      else
        _tidemark_reply "$(_tidemark_values "$1" "$2" "$3")" "$4" "$separator"
      fi
      ;;
    *) _tidemark_reply "$(_tidemark_values "$1" "$2" "$3")" "$4" "$separator" ;;
  esac
}

_tidemark() {
  local program="$1" line="${COMP_LINE:0:COMP_POINT}" words current previous command
  # Bash breaks words at colons and equal signs, which specs are full of: break at blanks only.
  read -ra words <<<"$line"
  current=""
  [[ $line == *[[:space:]] ]] || current="${words[-1]}"
  [[ -z $current ]] || unset 'words[-1]'
  local quoted=""
  [[ $current != [\"\']* ]] || quoted=yes
  current="${current#[\"\']}"
  previous=""
  [[ ${#words[@]} -lt 2 ]] || previous="${words[-1]}"
  command="${words[1]:-}"
  # How much of the word Bash keeps: all up to its last break, unless the word is quoted.
  local head="${current%"${current##*[:=]}"}"
  [[ -z $quoted ]] || head=""
  local _tidemark_kept=${#head}
  COMPREPLY=()
  if [[ ${#words[@]} -le 1 || ( $command == help && ${#words[@]} -eq 2 ) ]]; then
    _tidemark_reply "$(_tidemark_commands "$program"; printf '%s\n' help --help --version)" \
      "$current" ""
  elif [[ $current == --*=* ]]; then
    local option="${current%%=*}"
    current="${current#*=}"
    head="${current%"${current##*[:=]}"}"
    _tidemark_kept=${#head}
    _tidemark_value "$program" "$command" "$option" "$current"
  elif [[ $previous == -* && -n $(_tidemark_takes_value "$program" "$command" "$previous") ]]; then
    _tidemark_value "$program" "$command" "$previous" "$current"
  elif [[ $current == -* ]]; then
    _tidemark_reply "$(_tidemark_options "$program" "$command")" "$current" ""
  elif [[ $command == graph || $command == mark || $command == compare ]]; then
    _tidemark_value "$program" "$command" --graph "$current"
  elif [[ $command == import ]]; then
    _tidemark_files "$current"
  fi
}

# Prints something if the option of the command is followed by a value.
_tidemark_takes_value() {
  [[ $3 == -o ]] && echo yes
  "$1" "$2" --help 2>/dev/null | sed -n "s/^  $3 \([A-Z]\).*/\1/p"
}

complete -F _tidemark tidemark
