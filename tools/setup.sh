# SPDX-License-Identifier: MIT
# Installs missing packages and builds a preset; sourced by ./dermis, ./test, .ci/run and tools/fuzz.
# shellcheck shell=bash
#
# The caller sets `root`, the checkout, with as few processes as possible: every ./dermis call pays for them.
# Everything here prints to stderr only: stdout belongs to the command that runs afterwards.

# shellcheck disable=SC2154
build=$root/build

say() { printf 'dermis: %s\n' "$*" >&2; }
die() {
  say "$@"
  exit 1
}

# ---- Caches ---------------------------------------------------------------------------------------------

# can_hold FOLDER: it can be written, or could be created.
can_hold() {
  local folder=$1
  while [[ ! -e $folder && $folder == */* ]]; do folder=${folder%/*}; done
  [[ -d ${folder:-/} && -w ${folder:-/} ]]
}

# The compiler's, the linter's and npm's caches are in the home folder, for all clones. Without one that can be written
# they are in build/.
place_caches() {
  can_hold "${XDG_CACHE_HOME:-${HOME:-/dev/null}/.cache}" && return
  export CCACHE_DIR=${CCACHE_DIR:-$build/ccache} DERMIS_LINT_CACHE=${DERMIS_LINT_CACHE:-$build/lint-cache}
  export npm_config_cache=${npm_config_cache:-$build/npm}
}
place_caches

# ---- What is up to date ---------------------------------------------------------------------------------

# is_fresh STAMP PATH…: nothing under the paths changed since STAMP. Directories count too, so deleted files
# are noticed; -cnewer uses the inode's change time, which `cp -p` and `mv` cannot set back.
is_fresh() {
  local stamp=$1 path paths=()
  shift
  [[ -e $stamp ]] || return 1
  for path; do
    [[ -e $root/$path ]] && paths+=("$root/$path")
  done
  [[ -z $(find "${paths[@]}" -cnewer "$stamp" -print -quit) ]]
}

# The inputs of every program.
common_inputs=(src include cmake rooms.txt CMakeLists.txt CMakePresets.json tools/packages.txt)
# inputs_of TARGET: stores the inputs of that program in `inputs`.
inputs_of() {
  case $1 in
    dermis_cli) inputs=("${common_inputs[@]}" cli) ;;
    dermis_import) inputs=("${common_inputs[@]}" import) ;;
    dermis_bench) inputs=("${common_inputs[@]}" bench) ;;
  esac
}

# ---- One at a time --------------------------------------------------------------------------------------

lock() {
  mkdir -p "$build"
  exec 9>"$build/.lock"
  if ! flock -n 9; then
    say "another build is running; waiting for it"
    flock 9
  fi
}
unlock() { exec 9>&-; }

# ---- Packages -------------------------------------------------------------------------------------------

has_header() {
  local folder
  for folder in /usr/include /usr/local/include /opt/homebrew/include /usr/include/eigen3/..; do
    [[ -e $folder/$1 ]] && return 0
  done
  return 1
}

is_debian() { command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; }

# is_met PACKAGE NEED: a command may come from anywhere (node from its own site); dpkg decides about the rest.
is_met() {
  local package=$1 need=$2
  case $need in
    command:*) command -v "${need#command:}" >/dev/null ;;
    *)
      if is_debian; then
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]]
      elif [[ $need == header:* ]]; then
        has_header "${need#header:}"
      else
        [[ -e ${need#data:} ]]
      fi
      ;;
  esac
}

# Prints a line for each unmet need of the group: package, then need.
unmet() {
  local group package need
  while read -r group package need; do
    [[ $group == "$1" ]] || continue
    is_met "$package" "$need" || echo "$package $need"
  done < <(sed 's/#.*//' "$root/tools/packages.txt")
}

apt_install() {
  local as_root=() log=$build/apt.log
  if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null ||
      die "these Debian packages are missing: $*; install them as root (apt-get install $*) and try again"
    as_root=(sudo)
  fi
  say "installing Debian packages: $*"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -q)
  : >"$log"
  # A fresh container has no package lists, and old lists name versions the mirror no longer has.
  if [[ -z $(find /var/lib/apt/lists -name '*Packages*' -print -quit 2>/dev/null) ]]; then
    "${apt[@]}" update >>"$log" 2>&1 || true
  fi
  "${apt[@]}" install --no-install-recommends "$@" >>"$log" 2>&1 && return
  { "${apt[@]}" update && "${apt[@]}" install --no-install-recommends "$@"; } >>"$log" 2>&1 && return
  tail -n 20 "$log" >&2
  die "apt-get could not install: $*; the lines above say why (full log: $log)"
}

# ensure_packages GROUP…: checks once, then remembers the result in build/ until tools/packages.txt changes.
ensure_packages() {
  local group lines=() packages=()
  for group; do
    [[ $build/.packages-$group -nt $root/tools/packages.txt ]] || mapfile -t -O ${#lines[@]} lines < <(unmet "$group")
  done
  if ((${#lines[@]})); then
    if ! is_debian; then
      say "this is not a Debian system, so nothing was installed. Missing, by Debian name:"
      printf '  %s\n' "${lines[@]/ / for }" >&2
      exit 1
    fi
    mapfile -t packages < <(printf '%s\n' "${lines[@]%% *}" | sort -u)
    apt_install "${packages[@]}"
  fi
  mkdir -p "$build"
  for group; do touch "$build/.packages-$group"; done
}

# ---- Building -------------------------------------------------------------------------------------------

# Waits without keeping our stderr open: a reader of it would wait for an orphaned sleep.
pause() { sleep "$1" >/dev/null 2>&1; }

# "37 of 62 (59 %), about 80 s left", from what Ninja wrote to LOG in SECONDS; nothing before the first step.
progress_of() {
  local log=$1 seconds=$2 step all
  IFS=/ read -r step all < <(grep -o '^\[[0-9]*/[0-9]*\]' "$log" | tail -n 1 | tr -d '[]')
  [[ -n ${all:-} && $step -gt 0 ]] || return 0
  printf '%d of %d (%d %%), about %d s left' "$step" "$all" $((100 * step / all)) $((seconds * (all - step) / step))
}

# show_progress LOG WHAT: one line on stderr during a long build; ends when it is killed, or with us. On a
# terminal the line is redrawn each second; elsewhere a new one is printed each half minute.
show_progress() {
  local start=$SECONDS told=0 words
  pause 2
  say "building $2; a first build takes a few minutes"
  while kill -0 $$ 2>/dev/null; do
    words=$(progress_of "$1" $((SECONDS - start)))
    if [[ -t 2 ]]; then
      printf '\r%s\033[K' "$words" >&2
    elif ((SECONDS - start >= told + 30)); then
      told=$((SECONDS - start))
      [[ -n $words ]] && say "$words"
    fi
    pause 1
  done
}

# logged LOG WHAT COMMAND…: runs it with its output in LOG.
logged() {
  local log=$1 what=$2 watcher status=0
  shift 2
  : >"$log"
  show_progress "$log" "$what" >/dev/null 9>&- &
  watcher=$!
  "$@" >"$log" 2>&1 </dev/null || status=$?
  { kill "$watcher" && wait "$watcher"; } 2>/dev/null || true
  [[ -t 2 ]] && printf '\r\033[K' >&2
  return $status
}

# build_preset PRESET TARGET [CMAKE_ARGUMENT…]: configures unless already done with these arguments, then
# builds the target. Call it under lock.
build_preset() {
  local preset=$1 target=$2 dir=$build/$1 log=$build/$1.log
  shift 2
  local arguments="$root $*"
  # Objects of debug builds contain the checkout's path; those of Release are the same in every clone.
  export CCACHE_BASEDIR=$root CCACHE_SLOPPINESS=pch_defines,time_macros
  if [[ $(cat "$dir/.configured" 2>/dev/null) != "$arguments" || ! -e $dir/build.ninja ||
    $root/CMakePresets.json -nt $dir/.configured ]]; then
    # A moved checkout cannot use the cache of its old location.
    grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$dir/CMakeCache.txt" || rm -rf -- "$dir"
    mkdir -p "$dir"
    logged "$log" "$preset" cmake -S "$root" --preset "$preset" "$@" || build_failed "$log"
    echo "$arguments" >"$dir/.configured"
  fi
  logged "$log" "$target ($preset)" ninja -C "$dir" -j "${DERMIS_JOBS:-$(nproc)}" "$target" || build_failed "$log"
}

# Shows the first error; the next call checks again that every package is installed.
build_failed() {
  rm -f -- "$build"/.packages-*
  awk '/FAILED:|CMake Error|ninja: error/ { on = 1 } on && n++ < 60' "$1" >&2
  die "the build failed; the full log is $1"
}

# ensure_built TARGET: builds dermis_cli, dermis_import or dermis_bench from the current sources.
ensure_built() {
  local target=$1 inputs stamp=$build/release/.built-$1
  inputs_of "$target"
  is_fresh "$stamp" "${inputs[@]}" && return
  lock
  if ! is_fresh "$stamp" "${inputs[@]}"; then
    ensure_packages build
    # The stamp is as old as the start of the build: changes made meanwhile count.
    touch "$build/.built-$target"
    build_preset release "$target" "$(tests_option)"
    mv "$build/.built-$target" "$stamp"
  fi
  unlock
}

# Whether the Release tree has tests: never changed here, so that ./dermis and ./test do not undo each other.
tests_option() {
  grep -qs -- '-DDERMIS_TESTS=ON' "$build/release/.configured" && echo -DDERMIS_TESTS=ON || echo -DDERMIS_TESTS=OFF
}
