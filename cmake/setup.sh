# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Makes the tree ready to use: Debian packages, configured and built presets.
# Sourced by ./run and ./test (POSIX sh), which set `root` to the project's top folder.
#
#   install_packages FILE…     what the lists name and dpkg does not have, with apt
#   build PRESET [TARGET…]     build/PRESET, configured only when it has to be
#
# Everything is told on stderr: stdout belongs to the program that runs afterwards.
# Exit status 4: something the machine has to give is missing (packages, apt, root's rights).

root=${root:?the project folder}

say() { printf '%s\n' "$*" >&2; }

die() {
  status=$1
  shift
  say "${0##*/}: $*"
  exit "$status"
}

# Package names of the lists, one to a line.
listed_packages() { sed -e 's/#.*//' "$@" | tr -s '[:space:]' '\n' | sed -e '/^$/d' | sort -u; }

# Of the names on stdin, those that dpkg does not call installed.
missing_packages() {
  while read -r package; do
    state=$(dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | head -n 1)
    [ "$state" = installed ] || printf '%s ' "$package"
  done
}

# Prints how to become root: nothing for root, else "sudo". Fails if there is no way.
root_command() {
  [ "$(id -u)" -eq 0 ] && return 0
  command -v sudo >/dev/null 2>&1 || return 1
  if [ ! -t 0 ]; then sudo -n true 2>/dev/null || return 1; fi
  echo sudo
}

apt_install() { # ROOT_COMMAND PACKAGE…
  as_root=$1
  shift
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
    -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 install "$@"
}

apt_update() { # ROOT_COMMAND
  $1 env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 update
}

install_packages() {
  if [ -n "${TIDEMARK_SKIP_PACKAGES:-}" ]; then return 0; fi
  hint="(TIDEMARK_SKIP_PACKAGES=1 leaves this check out)"
  if ! command -v dpkg-query >/dev/null 2>&1; then
    die 4 "no dpkg here, so these packages can't be looked for:" \
      "$(listed_packages "$@" | tr '\n' ' ')$hint"
  fi
  missing=$(listed_packages "$@" | missing_packages)
  if [ -z "$missing" ]; then return 0; fi
  if ! command -v apt-get >/dev/null 2>&1; then
    die 4 "packages are missing and there is no apt-get: $missing$hint"
  fi
  if ! as_root=$(root_command); then
    die 4 "packages are missing and installing them needs root or sudo: $missing$hint"
  fi
  mkdir -p "$root/build"
  log=$root/build/packages.log
  say "Installing $missing"
  # shellcheck disable=SC2086  # a list of words
  if apt_install "$as_root" $missing >"$log" 2>&1; then return 0; fi
  # The usual reason is that the package lists are absent or old.
  # shellcheck disable=SC2086
  if apt_update "$as_root" >>"$log" 2>&1 && apt_install "$as_root" $missing >>"$log" 2>&1; then
    return 0
  fi
  tail -n 5 "$log" >&2
  die 4 "apt-get could not install: $missing(its output is in build/packages.log)"
}

# A build folder is usable when CMake finished in it, for this place, after the presets changed.
is_configured() { # PRESET
  folder=$root/build/$1
  [ -f "$folder/build.ninja" ] &&
    [ -z "$(find "$root/CMakePresets.json" -newer "$folder/build.ninja")" ] &&
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"
}

configure() { # PRESET
  if is_configured "$1"; then return 0; fi
  say "Configuring build/$1"
  mkdir -p "$root/build/$1"
  log=$root/build/$1/configure.log
  if (cd "$root" && cmake --fresh --preset "$1") >"$log" 2>&1; then return 0; fi
  cat "$log" >&2
  die 1 "configuring build/$1 failed"
}

# Compilers' results are kept for the next fresh tree, where ccache is installed. They do not depend
# on the tree's place.
use_ccache() {
  command -v ccache >/dev/null 2>&1 || return 0
  export CMAKE_C_COMPILER_LAUNCHER="${CMAKE_C_COMPILER_LAUNCHER-ccache}"
  export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER-ccache}"
  export CCACHE_BASEDIR="${CCACHE_BASEDIR-$root}" CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR-1}"
}

build() { # PRESET [TARGET…]
  preset=$1
  shift
  use_ccache
  configure "$preset"
  if [ -t 2 ]; then
    NINJA_STATUS="[%f/%t $preset] " ninja -C "$root/build/$preset" "$@" >&2 ||
      die 1 "building build/$preset failed"
    return 0
  fi
  # Not a terminal: only what the compiler has to say.
  [ -f "$root/build/$preset/.ninja_log" ] || say "Building build/$preset, which takes a while"
  ninja --quiet -C "$root/build/$preset" "$@" >"$root/build/$preset/build.log" 2>&1 || {
    cat "$root/build/$preset/build.log" >&2
    die 1 "building build/$preset failed"
  }
  grep -v -e '^ninja: no work to do' -e '^-- ' "$root/build/$preset/build.log" >&2 || true
}
