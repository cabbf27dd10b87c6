# SPDX-License-Identifier: MIT
# Steps with a log and a time each, where a failure does not end the rest; sourced by .ci/run and .ci/nightly.
# shellcheck shell=bash
#
# The caller has sourced tools/setup.sh, which sets `build`.
# shellcheck disable=SC2154

failed=()
# step NAME COMMAND…: runs it, with its output also in build/ci-NAME.log.
step() {
  local name=$1 start=$SECONDS
  shift
  echo "== $name"
  "$@" 2>&1 | tee "$build/ci-$name.log"
  ((PIPESTATUS[0] == 0)) || failed+=("$name")
  echo "== $name: $((SECONDS - start)) s"
}

# Repeats the failures at the end, where readers of a long log look.
show_failed() {
  local name
  for name in "${failed[@]}"; do
    echo "== failed: $name"
    grep -iE 'error|warning|fail|fault|\*\*\*' "$build/ci-$name.log" | tail -n 20
  done
}
