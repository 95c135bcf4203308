#!/bin/sh
# Writes all shipped platforms, with the layerpipe program, to a folder:
#   platforms/regenerate.sh build/release/sim/layerpipe platforms
set -eu
program=$1
folder=$2

# A crossbar and a chain: NUMBER-IN-WORDS PROCESSORS ROWS-AND-COLUMNS
generate() {
  for topology in crossbar chain; do
    name=$1-$3x$3
    [ "$topology" = crossbar ] || name=$name-$topology
    "$program" platform --processors "$2" --array "$3x$3" --topology "$topology" \
      --output "$folder/$name.xml"
  done
}

for extent in 32 64 128 256; do
  generate two 2 $extent
  generate four 4 $extent
  generate eight 8 $extent
  generate twelve 12 $extent
  generate sixteen 16 $extent
done
generate three 3 32
