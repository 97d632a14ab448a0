#!/usr/bin/env bash
# Lets nvcc compile kernels of docs/gpu.md, as_cuda.cu around each, and times them at 4096 on NVIDIA's GPU.
#   examples/as_cuda.sh [naive|09|10|plain|17|18|18-16x8 ...]      all of them, if none is named
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tiles="-D BM=128 -D BN=128 -D TN=8 -D EDGES=0"

# what KERNEL "OPTIONS" "BLOCKS" "THREADS", both along x and y
compile_and_run() {
  local folder=build/cuda/$1
  mkdir -p "$folder"
  # CUDA marks functions, arrays in shared memory (but not pointers to them) and the size of a block in other places.
  sed -E 's/^(float4|void) /__device__ &/; s/__local (float4? [a-z_]+\[)/__shared__ \1/
    s/__attribute__\(\(reqd_work_group_size\((\w+), 1, 1\)\)\)/__launch_bounds__(\1)/' "$2" >"$folder/kernel.cu"
  [ "$1" != naive ] || sed -i -E 's/\b(ulong|size_t)\b/int/g' "$folder/kernel.cu"
  # shellcheck disable=SC2086 # several options, several numbers
  nvcc -O3 -arch=native -I "$folder" $3 examples/as_cuda.cu -o "$folder/as_cuda"
  printf '%-9s' "$1"
  # shellcheck disable=SC2086
  "$folder/as_cuda" $4 $5 4096 | paste -s -
}

[ $# -gt 0 ] || set -- naive 09 10 plain 17 18 18-16x8
for what; do
  case $what in
    naive) place=(08-matmul-naive/kernel.cl "" "128 128" "32 32") ;;
    09) place=(09-matmul-tiled/kernel.cl "-D TILE=16" "256 256" "16 16") ;;
    10) place=(10-matmul-wpt/kernel.cl "-D TILE=32 -D WPT=8" "128 128" "32 4") ;;
    plain) place=(examples/register_tile.cl "$tiles -D BK=16 -D TM=8" "1024 1" "256 1") ;;
    17) place=(17-matmul-register-tiled/kernel.cl "$tiles -D BK=16 -D TM=8" "1024 1" "256 1") ;;
    18) place=(18-matmul-double-buffered/kernel.cl "$tiles -D BK=16 -D TM=8" "1024 1" "256 1") ;;
    18-16x8) place=(18-matmul-double-buffered/kernel.cl "$tiles -D BK=8 -D TM=16" "1024 1" "128 1") ;;
    *) echo "no such kernel: $what" >&2 && exit 2 ;;
  esac
  compile_and_run "$what" "${place[@]}"
done
