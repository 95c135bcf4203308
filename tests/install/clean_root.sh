#!/bin/sh
# Installs a Debian package of layerpipe in a new Debian 12 with nothing else in it, and runs the
# program there: clean_root.sh PACKAGE. Needs root, debootstrap and a Debian mirror.
set -eu
package=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

debootstrap --variant=minbase bookworm "$root"
cp "$package" "$root/tmp/layerpipe.deb"
chroot "$root" apt-get update
chroot "$root" apt-get install -y --no-install-recommends /tmp/layerpipe.deb
chroot "$root" sh -c 'layerpipe --version &&
  layerpipe list &&
  layerpipe compare three-32x32 sample4 &&
  apt-get remove -y layerpipe && test ! -e /usr/share/layerpipe'
echo "installs, runs and can be removed: $package"
