#!/bin/sh
# Writes the CSVs of this folder: simulate.sh LAYERPIPE
set -eu

layerpipe=$1
folder=$(dirname "$0")

for spec in "$folder"/*.yaml; do
  echo "$spec" >&2
  "$layerpipe" sweep "$spec" --output "${spec%.yaml}.csv" --resume
done
"$layerpipe" profile three-32x32 sample4 --format csv --output "$folder/sample-profile.csv"
for network in vgg16 resnet50; do
  for array in 32x32 64x64 128x128 256x256; do
    for split in channels batch; do
      "$layerpipe" profile eight-32x32 $network --array $array --split $split --batch 32 \
        --format csv --output "$folder/$network-$array-$split.csv"
    done
  done
done
