# SPDX-License-Identifier: MIT
# A minimal Debian 12 in a folder, and commands run in it; sourced by tools/fresh_debian and tools/check_package.
# shellcheck shell=bash
#
# Needs root and debootstrap. The new root inherits the host's name resolution, certificates and proxy settings,
# and nothing else. FRESH_MIRROR names the Debian mirror (default: http://deb.debian.org/debian).

# Under a name of its own: Debian's ca-certificates, once installed, writes its own bundle.
host_certificates=/etc/ssl/host-certificates.crt

# make_root PLACE: debootstrap, unless a Debian is there already.
make_root() {
  local place=$1 file
  if [[ ! -e $place/etc/debian_version ]]; then
    echo "== debootstrap --variant=minbase bookworm"
    debootstrap --variant=minbase bookworm "$place" "${FRESH_MIRROR:-http://deb.debian.org/debian}" >"$place.log" 2>&1 ||
      { tail "$place.log" >&2; return 1; }
    rm -f -- "$place.log"
  fi
  for file in /etc/resolv.conf /etc/hosts /etc/apt/apt.conf.d/*proxy*; do
    if [[ -e $file ]]; then install -D -m 644 "$file" "$place$file"; fi
  done
  if [[ -e /etc/ssl/certs/ca-certificates.crt ]]; then
    install -D -m 644 /etc/ssl/certs/ca-certificates.crt "$place$host_certificates"
  fi
}

# open_root PLACE, close_root PLACE: what programs expect to be mounted. Whatever is still mounted must go before
# anything is removed: /dev is the host's.
open_root() {
  mountpoint -q "$1/proc" || mount -t proc proc "$1/proc"
  mountpoint -q "$1/dev" || mount --bind /dev "$1/dev"
}
close_root() {
  local mount
  for mount in proc dev; do
    if mountpoint -q "$1/$mount"; then umount -l "$1/$mount"; fi
  done
}

# remove_root PLACE: only when nothing of the host is mounted in it.
remove_root() {
  if ! mountpoint -q "$1/dev"; then rm -rf --one-file-system -- "$1"; fi
}

# run_in_root PLACE COMMAND: with an environment as after a login.
run_in_root() {
  local keep=() name
  if [[ -e $1$host_certificates ]]; then keep+=("NODE_EXTRA_CA_CERTS=$host_certificates"); fi
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    if [[ -n ${!name:-} ]]; then keep+=("$name=${!name}"); fi
  done
  env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "${keep[@]}" \
    chroot "$1" bash -c "$2"
}
