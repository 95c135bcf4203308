#!/bin/sh
# Installs the Debian packages that building and testing need and that are not there yet.
set -eu

packages="
  cmake g++ ninja-build pkg-config
  libsimgrid-dev libboost-dev libyaml-cpp-dev libpugixml-dev
  libcli11-dev libfmt-dev libmd-dev nlohmann-json3-dev
  libgtest-dev libgmock-dev libbenchmark-dev pajeng dpkg-dev file
  gnuplot-nox python3"

missing=""
for package in $packages; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=""
[ "$(id -u)" -eq 0 ] || as_root="sudo"
echo "installing:$missing" >&2
$as_root apt-get update -qq
# shellcheck disable=SC2086  # a list of words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
