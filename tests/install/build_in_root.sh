#!/bin/sh
# Builds, tests and packages layerpipe as a user would, in a new root of a Debian suite (bookworm,
# trixie) that has `make` and nothing else, and installs the package in another root of that suite:
#   build_in_root.sh SUITE [ROOT]
# The folder ROOT is kept, and an unfinished or earlier one is gone on with; without it, a temporary
# one is removed. Environment: DEBIAN_MIRROR (default: Debian's own), LAYERPIPE_WARNINGS_AS_ERRORS.
# Needs root, debootstrap and git; takes the mirror, 3 GB and some ten minutes.
set -eu
suite=$1
root=${2:-$(mktemp -d)}
source=$(cd "$(dirname "$0")/../.." && pwd)
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

finish() {
  umount "$root/dev/pts" 2>/dev/null || true
  umount "$root/proc" 2>/dev/null || true
  [ "$keep" = yes ] || rm -rf --one-file-system "$root"
}
keep=${2:+yes}
keep=${keep:-no}
trap finish EXIT

[ -x "$root/usr/bin/make" ] ||
  debootstrap --variant=minbase --include=make "$suite" "$root" "$mirror"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
mountpoint -q "$root/dev/pts" || mount --bind /dev/pts "$root/dev/pts"
mkdir -p "$root/layerpipe"
git -C "$source" ls-files -z | tar -C "$source" --null -T - -c | tar -C "$root/layerpipe" -x

in_root() {
  chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    LAYERPIPE_WARNINGS_AS_ERRORS="${LAYERPIPE_WARNINGS_AS_ERRORS:-}" \
    make -C /layerpipe "$@"
}
in_root run
in_root test
in_root package
"$source/tests/install/clean_root.sh" "$suite" "$root"/layerpipe/build/release/layerpipe_*.deb
echo "builds, passes all tests and can be packaged: $suite"
