#!/bin/sh
# Installs a Debian package of layerpipe in a new root of the Debian suite that it was made on, with
# nothing else in it, and runs the program there: clean_root.sh SUITE PACKAGE. Environment:
# DEBIAN_MIRROR (default: Debian's own). Needs root, debootstrap and the mirror.
set -eu
suite=$1
package=$2
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

debootstrap --variant=minbase "$suite" "$root" "$mirror"
cp "$package" "$root/tmp/layerpipe.deb"
chroot "$root" apt-get update
chroot "$root" apt-get install -y --no-install-recommends /tmp/layerpipe.deb
chroot "$root" sh -c 'layerpipe --version &&
  layerpipe list &&
  layerpipe compare three-32x32 sample4 &&
  apt-get remove -y layerpipe && test ! -e /usr/share/layerpipe'
echo "installs, runs and can be removed on $suite: $package"
