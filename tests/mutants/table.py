"""The mutants: for each chapter, deliberate defects of its kernel and of its host program.

A mutant is (name, [(old text, new text), ...]) with two optional marks behind it: TYPICAL, it is
among those that --thorough tries; and EQUIVALENT("why"), it changes nothing that can be
observed. Each old text must stand in the file exactly once, so that a mutant cannot get lost when
the file changes.
"""
TYPICAL = "typical"


class EQUIVALENT(str):
    """Why a mutant changes nothing observable."""


def change(name, old, new, *marks):
    return (name, [(old, new)], *marks)


FIRST_BARRIER = "  barrier(CLK_LOCAL_MEM_FENCE); // every sum is written before any is read\n"
STEP_BARRIER = "    barrier(CLK_LOCAL_MEM_FENCE); // outside the if: every work-item has to reach it\n"
ADD = "    if (l < active)\n      sums[l] += sums[l + active];\n"

# The tree of chapters 06, 07, 11 and 12.
TREE = [
    change("barrier before the tree removed", FIRST_BARRIER, "", TYPICAL),
    change("barrier in the tree removed", STEP_BARRIER, "", TYPICAL),
    ("both barriers removed", [(FIRST_BARRIER, ""), (STEP_BARRIER, "")]),
    change("barrier inside the if", ADD + STEP_BARRIER,
           "    if (l < active) {\n      sums[l] += sums[l + active];\n      barrier(CLK_LOCAL_MEM_FENCE);\n    }\n", TYPICAL),
    change("tree: l < active becomes <=", "if (l < active)", "if (l <= active)"),
    change("tree: += becomes =", "sums[l] += sums[l + active]", "sums[l] = sums[l + active]"),
    change("tree: neighbour one off", "sums[l + active];", "sums[l + active - 1];"),
    change("tree: stride quartered", "active /= 2", "active /= 4"),
    change("tree: starts at the local size", "active = get_local_size(0) / 2", "active = get_local_size(0)"),
    change("tree: starts at a quarter", "active = get_local_size(0) / 2", "active = get_local_size(0) / 4"),
    change("tree: last step missing", "active > 0;", "active > 1;", TYPICAL),
    change("result: written by another work-item", "if (l == 0)\n    partial_sums", "if (l == 1)\n    partial_sums",
           EQUIVALENT("after the last barrier all of them see the total, and any one may write it")),
    change("result: written by nobody", "if (l == 0)\n    partial_sums", "if (l == get_local_size(0))\n    partial_sums"),
    change("result: written by every work-item", "if (l == 0)\n    partial_sums", "if (l >= 0)\n    partial_sums"),
    change("result: one element off", "= sums[0];", "= sums[1];"),
    change("result: all groups to the same place", "partial_sums[get_group_id(0)]", "partial_sums[0]"),
    change("result: work-item's number for the group's", "partial_sums[get_group_id(0)]", "partial_sums[get_global_id(0)]"),
]


def grid(line, wrong_line):
    """The grid-stride loop with the body `line`: of chapters 05, 06, 07, 11 and 12."""
    head = "for (size_t i = get_global_id(0); i < n; i += get_global_size(0))\n    "
    return [
        change("loop: i < n becomes <=", head + line, head.replace("i < n", "i <= n") + line, TYPICAL),
        change("loop: last element missing", head + line, head.replace("i < n", "i + 1 < n") + line),
        change("loop: steps by the local size", head + line, head.replace("get_global_size", "get_local_size") + line, TYPICAL),
        change("loop: starts at the local number", head + line, head.replace("get_global_id", "get_local_id") + line),
        change("loop: steps by 1", head + line, head.replace("i += get_global_size(0)", "i++") + line),
        change("loop: no loop, one element each", head + line,
               f"const size_t i = get_global_id(0);\n  if (i < n)\n    {line}"),
        change("loop: wrong term", head + line, head + wrong_line),
    ]


DOT_SUM = grid("sum += a[i] * b[i];", "sum += a[i] * a[i];") + [
    change("loop: += becomes =", "sum += a[i] * b[i]", "sum = a[i] * b[i]", TYPICAL),
    change("loop: first factor only at 0", "sum += a[i] * b[i]", "sum += a[0] * b[i]"),
    change("loop: starts at 1", "float sum = 0.0f", "float sum = 1.0f"),
]
DOT_NAIVE = grid("products[i] = a[i] * b[i];", "products[i] = a[i] + b[i];") + [
    change("product: second factor only at 0", "products[i] = a[i] * b[i]", "products[i] = a[i] * b[0]"),
]
SUM = grid("sum += x[i];", "sum += x[0];") + [
    change("loop: += becomes =", "sum += x[i]", "sum = x[i]", TYPICAL),
    change("loop: starts at 1", "float sum = 0.0f;\n  for (size_t i", "float sum = 1.0f;\n  for (size_t i"),
]

TILES_READY = "    barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete before any work-item reads them\n"
TILES_DONE = "    barrier(CLK_LOCAL_MEM_FENCE); // everyone has read them before anyone brings the next ones\n"

TILES = [
    change("barrier after bringing removed", TILES_READY, "", TYPICAL),
    change("barrier before the next tiles removed", TILES_DONE, "", TYPICAL),
    ("both barriers removed", [(TILES_READY, ""), (TILES_DONE, "")]),
    change("barriers are only fences", TILES_READY, "    mem_fence(CLK_LOCAL_MEM_FENCE);\n"),
    change("last tile missing", "first < K;", "first + TILE <= K;", TYPICAL),
    change("tiles overlap", "first += TILE", "first += TILE / 2"),
    change("one product of each tile missing", "k < TILE;", "k + 1 < TILE;"),
    change("k < TILE becomes <=", "k < TILE;", "k <= TILE;"),
    change("column from the group, not the launch", "col = get_global_id(0)", "col = get_local_id(0)"),
    change("local indices swapped", "tile_col = get_local_id(0)", "tile_col = get_local_id(1)"),
    change("a tile's column one off", "a_col = first + tile_col", "a_col = first + tile_row"),
    change("b tile's row one off", "b_row = first + tile_row", "b_row = first + tile_col"),
]

KERNELS = {
    "01-vector-add": [
        change("i < n becomes <=", "i < n", "i <= n", TYPICAL),
        change("bounds guard dropped", "if (i < n)", "if (1)", TYPICAL),
        change("last element missing", "i < n", "i + 1 < n"),
        change("+ becomes -", "a[i] + b[i]", "a[i] - b[i]"),
        change("second term missing", "a[i] + b[i]", "a[i]"),
        change("second term always the first element's", "a[i] + b[i]", "a[i] + b[0]"),
        change("= becomes +=", "c[i] = a", "c[i] += a", TYPICAL),
        change("number within the group", "get_global_id(0)", "get_local_id(0)"),
        change("every second element", "get_global_id(0)", "2 * get_global_id(0)"),
        change("one element off", "c[i] = a[i]", "c[i] = a[i + 1]"),
        change("loads an element twice", "a[i] + b[i]", "a[i] + b[i] + 0 * a[(i + 1) % n]"),
    ],
    "03-launch-geometry": [
        change("i < n becomes <=", "  if (i < n) // the guard", "  if (i <= n) // the guard", TYPICAL),
        change("bounds guard dropped", "  if (i < n) // the guard", "  if (1) // the guard", TYPICAL),
        change("last element missing", "  if (i < n) // the guard", "  if (i + 1 < n) // the guard"),
        change("group's number left out", "get_group_id(0) * get_local_size(0) + get_local_id(0)", "get_local_id(0)"),
        change("group's number not multiplied", "get_group_id(0) * get_local_size(0)", "get_group_id(0)"),
        change("loop: i < n becomes <=", "i < n; i +=", "i <= n; i +="),
        change("loop: last element missing", "i < n; i +=", "i + 1 < n; i +="),
        change("loop: steps by the local size", "get_global_size(0)", "get_local_size(0)", TYPICAL),
        change("loop: number within the group", "owner[i] = get_global_id(0)", "owner[i] = get_local_id(0)"),
    ],
    "04-host-device-memory": [
        change("i < n becomes <=", "i < n", "i <= n", TYPICAL),
        change("bounds guard dropped", "if (i < n)", "if (1)", TYPICAL),
        change("last element missing", "i < n", "i + 1 < n"),
        change("one left out", " + 1.0f", ""),
        change("= becomes +=", "y[i] = ", "y[i] += "),
        change("one element off", "x[i] + 1.0f", "x[i + 1] + 1.0f"),
        change("number within the group", "get_global_id(0)", "get_local_id(0)"),
    ],
    "05-dot-product-naive": DOT_NAIVE,
    "06-dot-product-reduction": DOT_SUM + TREE,
    "07-dot-product-profiling": DOT_NAIVE + DOT_SUM + TREE,
    "08-matmul-naive": [
        # Only the costs notice this one: it is the first, which --thorough tries.
        change("loads the matrices twice", "c[row * N + col] = sum;",
               "for (size_t k = 0; k < K; k++)\n    sum += 0.0f * a[row * K + k] * b[k * N + col];\n  c[row * N + col] = sum;", TYPICAL),
        change("computes A[0]*B[0]", "c[row * N + col] = sum;", "c[row * N + col] = a[0] * b[0];", TYPICAL),
        change("row guard dropped", "row >= M || ", ""),
        change("column guard dropped", " || col >= N", "", TYPICAL),
        change("both guards dropped", "row >= M || col >= N", "0", TYPICAL),
        change("guard: || becomes &&", "row >= M || col >= N", "row >= M && col >= N"),
        change("guard: >= becomes >", "col >= N", "col > N"),
        change("guards swapped", "row >= M || col >= N", "row >= N || col >= M"),
        change("k < K becomes <=", "k < K", "k <= K"),
        change("last product missing", "k < K", "k + 1 < K"),
        change("+= becomes =", "sum += a", "sum = a", TYPICAL),
        change("A read with the stride of B", "row * K + k", "row * N + k"),
        change("A transposed", "row * K + k", "k * M + row"),
        change("B read with the stride of A", "k * N + col", "k * K + col"),
        change("B transposed", "k * N + col", "col * K + k"),
        change("C transposed", "c[row * N + col]", "c[col * M + row]", TYPICAL),
        change("C written with a wrong stride", "c[row * N + col]", "c[row * M + col]"),
        ("row and column swapped", [("col = get_global_id(0)", "col = get_global_id(1)"),
                                    ("row = get_global_id(1)", "row = get_global_id(0)")]),
        change("sums up in C itself", "c[row * N + col] = sum;", "c[row * N + col] += sum;"),
    ],
    "09-matmul-tiled": TILES + [
        change("row guard of A dropped", "row < M && a_col < K ?", "a_col < K ?", TYPICAL),
        change("column guard of A dropped", "row < M && a_col < K ?", "row < M ?"),
        change("row guard of B dropped", "b_row < K && col < N ?", "col < N ?"),
        change("column guard of B dropped", "b_row < K && col < N ?", "b_row < K ?"),
        change("outside A counts as 1", "a[row * K + a_col] : 0.0f", "a[row * K + a_col] : 1.0f",
               EQUIVALENT("beyond K it meets a 0 of B's tile, and beyond M its sums are never written")),
        change("outside B counts as 1", "b[b_row * N + col] : 0.0f", "b[b_row * N + col] : 1.0f",
               EQUIVALENT("beyond K it meets a 0 of A's tile, and beyond N its sums are never written")),
        ("outside both counts as 1", [("a[row * K + a_col] : 0.0f", "a[row * K + a_col] : 1.0f"),
                                      ("b[b_row * N + col] : 0.0f", "b[b_row * N + col] : 1.0f")]),
        change("A's tile transposed", "a_tile[tile_row][k]", "a_tile[k][tile_row]"),
        change("B's tile transposed", "b_tile[k][tile_col]", "b_tile[tile_col][k]"),
        change("+= becomes =", "sum += a_tile", "sum = a_tile"),
        change("row guard of C dropped", "if (row < M && col < N)", "if (col < N)"),
        change("column guard of C dropped", "if (row < M && col < N)", "if (row < M)"),
        change("C transposed", "c[row * N + col] = sum", "c[col * M + row] = sum"),
        change("returns before the barriers", "  float sum = 0.0f;\n", "  if (row >= M || col >= N)\n    return;\n  float sum = 0.0f;\n", TYPICAL),
        change("no tiles, everything from global memory", "sum += a_tile[tile_row][k] * b_tile[k][tile_col];",
               "sum += row < M && col < N && first + k < K ? a[row * K + first + k] * b[(first + k) * N + col] : 0.0f;"),
    ],
    "10-matmul-wpt": TILES + [
        change("row guard of A dropped", "row + step < M && a_col < K ?", "a_col < K ?"),
        change("row guard of A without the step", "row + step < M && a_col < K ?", "row < M && a_col < K ?", TYPICAL),
        change("column guard of A dropped", "row + step < M && a_col < K ?", "row + step < M ?"),
        change("row guard of B without the step", "b_row + step < K && col < N ?", "b_row < K && col < N ?"),
        change("column guard of B dropped", "b_row + step < K && col < N ?", "b_row + step < K ?"),
        change("A brought without the step", "a[(row + step) * K + a_col]", "a[row * K + a_col]"),
        change("B brought without the step", "b[(b_row + step) * N + col]", "b[b_row * N + col]"),
        change("rows of a work-item one apart", "#define STEP (TILE / WPT)", "#define STEP 1"),
        change("brings one element too few", "for (size_t w = 0; w < WPT; w++) {", "for (size_t w = 0; w + 1 < WPT; w++) {", TYPICAL),
        change("adds for one element too few", "for (size_t w = 0; w < WPT; w++)\n        sums",
               "for (size_t w = 0; w + 1 < WPT; w++)\n        sums"),
        change("+= becomes =", "sums[w] += a_tile", "sums[w] = a_tile"),
        change("all elements from the same row of the tile", "a_tile[tile_row + w * STEP][k]", "a_tile[tile_row][k]"),
        change("B's tile transposed", "b_tile[k][tile_col]", "b_tile[tile_col][k]"),
        change("writes one element too few", "for (size_t w = 0; w < WPT; w++)\n    if (row",
               "for (size_t w = 0; w + 1 < WPT; w++)\n    if (row"),
        change("row guard of C without the step", "if (row + w * STEP < M &&", "if (row < M &&"),
        change("column guard of C dropped", "STEP < M && col < N) //", "STEP < M) //"),
        change("row of the group without its tile", "get_group_id(1) * TILE", "get_group_id(1) * STEP"),
        change("B read again for each element", "const float b_value = b_tile[k][tile_col];", "#define b_value b_tile[k][tile_col]",
               EQUIVALENT("the compiler reads it once in either case, since the loop writes to no tile")),
    ],
    "11-sum-reduction": SUM + TREE,
    "12-sum-unrolled": [
        change("left-over elements missing", "for (size_t j = stride * UF; j < n; j++)", "for (size_t j = n; j < n; j++)", TYPICAL),
        change("last left-over element missing", "j = stride * UF; j < n;", "j = stride * UF; j + 1 < n;"),
        change("left-over elements: one too many", "j = stride * UF; j < n;", "j = stride * UF; j <= n;"),
        change("left-over elements added by everyone", "  if (i == 0)\n    for", "  if (1)\n    for"),
        change("left-over elements added by nobody", "  if (i == 0)\n    for", "  if (i == n)\n    for"),
        change("stride rounded up", "stride = n / UF;", "stride = (n + UF - 1) / UF;", TYPICAL),
        change("one element too few", "k < UF;", "k + 1 < UF;"),
        change("one element too many", "k < UF;", "k <= UF;"),
        change("neighbours instead of a stride", "data[i + k * stride]", "data[i * UF + k]", TYPICAL),
        change("+= becomes =", "sum += data[i + k", "sum = data[i + k"),
        change("guard: one work-item too many", "if (i >= stride && i > 0)", "if (i > stride && i > 0)"),
        change("guard: stops when n < UF", "if (i >= stride && i > 0)", "if (i >= stride)"),
        change("guard dropped", "  if (i >= stride && i > 0)\n    return;\n", ""),
        change("adds to what is there", "  data[i] = sum;", "  data[i] += sum;"),
        change("every sum to the first place", "  data[i] = sum;", "  data[0] = sum;"),
        change("stride guard dropped", "  if (i < stride)\n    for", "    for"),
    ] + SUM + TREE,
    "15-device-ceilings": [
        change("copy: i < n becomes <=", "i < n; i +=", "i <= n; i +=", TYPICAL),
        change("copy: last vector missing", "i < n; i +=", "i + 1 < n; i +="),
        change("copy: always the first vector", "to[i] = from[i]", "to[i] = from[0]", TYPICAL),
        change("copy: steps by the local size", "get_global_size(0)", "get_local_size(0)"),
        change("multiply-adds: the last one missing", "sum += fma(x[chain], f, s);", "sum += x[chain];", TYPICAL),
        change("multiply-adds: one chain too few", "chain < CHAINS; chain++)\n    sum", "chain + 1 < CHAINS; chain++)\n    sum"),
        change("multiply-adds: result one element off", "results[get_global_id(0)]", "results[get_global_id(0) + 1]"),
    ],
    "16-dot-product-vectorized": [
        change("left-over floats missing", "j = num_vectors * WIDTH; j < n;", "j = n; j < n;", TYPICAL),
        change("left-over floats: one too many", "j = num_vectors * WIDTH; j < n;", "j = num_vectors * WIDTH; j <= n;"),
        change("left-over floats: added by everyone", "if (get_global_id(0) == 0)", "if (1)"),
        change("left-over vectors missing", "for (; i < end; i += step)", "for (; i + step < end; i += step)"),
        change("unrolled loop: one step too far", "i + (UNROLL - 1) * step < end", "i < end", TYPICAL),
        change("unrolled loop: += becomes =", "vector_sums[u] += a[i", "vector_sums[u] = a[i"),
        change("sums: the first counted twice", "vector_sums[0] += vector_sums[u];", "vector_sums[0] += vector_sums[0];"),
        change("lanes: the last one missing", "lane < WIDTH;", "lane + 1 < WIDTH;"),
        change("stretch: shares rounded down", "(num_vectors + get_global_size(0) - 1) / get_global_size(0)", "num_vectors / get_global_size(0)"),
        change("stretch: not cut off at the end", "min(i + share, num_vectors)", "i + share", TYPICAL),
        change("second launch: a partial sum missing", "i < num_sums;", "i + 1 < num_sums;"),
        change("first barrier removed", FIRST_BARRIER, ""),
        change("second barrier removed", STEP_BARRIER, ""),
        change("tree: starts at a quarter", "active = get_local_size(0) / 2", "active = get_local_size(0) / 4"),
        change("turns: each takes the next vector", "const size_t step = get_global_size(0);", "const size_t step = 1;"),
    ],
    "17-matmul-register-tiled": [
        change("store to C: not cut off at the last column", "if (col + 3 < cols)\n      x[col + 3] = v.w;", "x[col + 3] = v.w;", TYPICAL),
        change("store to C: not cut off at the last row", "void store4(__global float *restrict x, const uint row, const uint col, const uint rows,\n            const uint cols, const float4 v) {\n#if EDGES\n  if (row >= rows || col >= cols)",
               "void store4(__global float *restrict x, const uint row, const uint col, const uint rows,\n            const uint cols, const float4 v) {\n#if EDGES\n  if (col >= cols)"),
        change("load: not cut off at the last column", "if (col + 3 < cols)\n      v.w = x[col + 3];", "v.w = x[col + 3];"),
        change("load: a row of odd length in fours", "if (cols % 4 != 0) { // rows", "if (cols % 4 == 9) { // rows"),
        change("columns of B swapped", "to[A_STRIDE] = v.y;", "to[A_STRIDE] = v.z;"),
        change("A's tile: not turned", "col * A_STRIDE + row;", "row * A_STRIDE + col;"),
        change("barrier after loading removed", "    barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete before any work-item reads them\n", ""),
        change("barrier after use removed", "    barrier(CLK_LOCAL_MEM_FENCE); // everyone has read them before anyone brings the next ones\n", ""),
        change("+= becomes =", "sums[4 * i][j] += a_part[i].x * b_part[j];", "sums[4 * i][j] = a_part[i].x * b_part[j];"),
        change("second row adds the first's", "sums[4 * i + 1][j] += a_part[i].y", "sums[4 * i + 1][j] += a_part[i].x"),
        change("steps of half the depth", "k0 += BK)", "k0 += BK / 2)"),
        change("rows of C: fours counted one by one", "(i / 4 * ROWS + item_row) * 4 + i % 4", "(i / 4 * ROWS + item_row) * 4 + i"),
        change("tiles: rows and columns swapped", "const uint item_row = item / COLS;", "const uint item_row = item % ROWS;"),
    ],
    "20-matmul-autotuned": [
        change("place: a short band counted as a whole one", "in_band / rows);", "in_band / BAND);", TYPICAL),
        change("place: never the second part of a row", "in_band / rows);", "0);"),
        # tiles
        change("load: not cut off at the last column", "if (cols > 3)\n      v.w = x[3];", "v.w = x[3];"),
        change("store to C: not cut off at the last column", "if (cols > 3)\n      x[3] = v.w;", "x[3] = v.w;"),
        change("columns of A swapped", "a_to[A_STRIDE] = a_next[l].y;", "a_to[A_STRIDE] = a_next[l].z;"),
        change("tiles: first barrier removed", "a_tiles, b_tiles, a_next, b_next);\n  barrier(CLK_LOCAL_MEM_FENCE);\n", "a_tiles, b_tiles, a_next, b_next);\n"),
        change("tiles: barrier of a step removed", "    barrier(CLK_LOCAL_MEM_FENCE); // one barrier a step: the other half is complete\n", ""),
        change("tiles: one half of local memory for both", "now = 1 - now;", ""),
        change("tiles: the next step's operands at once", "b_tile, k);\n      // Two", "b_tile, k + 1);\n      // Two"),
        change("tiles: never back across", "i % 2 ? TN / 4 - 1 - across : across", "across",
               EQUIVALENT("the order of the sums does not change them; it is there for speed")),
        change("tiles: the way back begins one too far", "TN / 4 - 1 - across", "TN / 4 - across"),
        change("tiles: the same two rows of A twice", "i % 2 ? a_part[i / 2].zw : a_part[i / 2].xy", "a_part[i / 2].xy"),
        change("tiles: += becomes =", "sums[2 * i][j] += a_pair.x", "sums[2 * i][j] = a_pair.x"),
        change("tiles: A's pointer stays", "      a_from += BK;\n", ""),
        change("tiles: rows of C one by one", "i / 4 * (ROWS * 4) + i % 4", "i / 4 * (ROWS * 4) + i"),
        # panels
        change("pack_a: rows below the last one", "if (row + i < M && k + KS <= K)", "if (k + KS <= K)"),
        change("pack_a: columns behind the last one", "row + i < M && k + j < K ? from[j]", "row + i < M ? from[j]"),
        change("pack_a: next row taken from M", "i++, from += K)", "i++, from += M)"),
        change("pack_b: rows below the last one", "k + i < K && col + j < N ? from[j]", "col + j < N ? from[j]"),
        change("pack_b: columns behind the last one", "if (k + i < K && col + TN <= N)", "if (k + i < K)"),
        change("pack_b: panels interleaved", "(get_global_id(0) * get_global_size(1) + get_global_id(1)) * KS * TN", "(get_global_id(0) + get_global_id(1) * get_global_size(0)) * KS * TN"),
        change("panels: every step writes to C", "STORE(k0 > 0 ? LOAD(j, to) + sums[i][j] : sums[i][j], j, to);", "STORE(sums[i][j], j, to);"),
        change("panels: at the edge, every step writes", "to[j] = k0 > 0 ? to[j] + edge[i * TN + j]", "to[j] = k0 > K ? to[j] + edge[i * TN + j]"),
        change("panels: rows of C not cut off", "i < min((uint)TM, M - row)", "i < (uint)TM"),
        change("panels: columns of C not cut off", "j < min((uint)TN, N - col)", "j < (uint)TN"),
        change("panels: the last step not cut off", "s < min(k0 + BK, padded)", "s < k0 + BK"),
        change("panels: one step of A is left out", "s += KS, a_part += TM * KS", "s += KS, a_part += TN * KS"),
        change("panels: B loaded once for each row of sums", "fma(a_value, b_values[j], sums[i][j])", "fma(a_value, LOAD(j, b_part), sums[i][j])"),
        change("panels: first row of sums only once", "sums[i][j] = fma(a_value, b_values[j], sums[i][j]);", "sums[i][j] = a_value * b_values[j];"),
    ],
}

LEAKS = [
    change("status of a release not looked at", "clerr_chk(clReleaseKernel(kernel));", "clReleaseKernel(kernel);", TYPICAL),
    change("status of a launch not looked at", "clerr_chk(clEnqueueNDRangeKernel(queue, kernel,", "(void)(clEnqueueNDRangeKernel(queue, kernel,"),
    change("program never released", "clerr_chk(clReleaseProgram(program));", "", TYPICAL),
    change("queue never released", "clerr_chk(clReleaseCommandQueue(queue));", ""),
]


def dot_host(result):
    """The launch of chapters 05 and 06; `result` is the vector that the kernel fills."""
    buffer = "products_buffer" if result == "products" else "sums_buffer"
    return [
        change("one group too few", "global_size = num_groups * local_size", "global_size = (num_groups - 1) * local_size"),
        change("one group too many", "global_size = num_groups * local_size", "global_size = (num_groups + 1) * local_size",
               *([EQUIVALENT("any number of work-items does the same work, see kernel.cl")] if result == "products" else [TYPICAL])),
        change("groups rounded down", "(n + local_size - 1) / local_size", "n / local_size",
               *([] if result == "products" else [TYPICAL])),
        change("n one too small", "n_arg = n;", "n_arg = n - 1;"),
        change("n one too large", "n_arg = n;", "n_arg = n + 1;"),
        change("both vectors the same", "clSetKernelArg(kernel, 1, sizeof(cl_mem), &b_buffer)", "clSetKernelArg(kernel, 1, sizeof(cl_mem), &a_buffer)"),
        ("vectors swapped", [("clSetKernelArg(kernel, 0, sizeof(cl_mem), &a_buffer)", "clSetKernelArg(kernel, 0, sizeof(cl_mem), &b_buffer)"),
                             ("clSetKernelArg(kernel, 1, sizeof(cl_mem), &b_buffer)", "clSetKernelArg(kernel, 1, sizeof(cl_mem), &a_buffer)")],
         EQUIVALENT("a dot product is the same either way")),
        change("launch left out", "  clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0, nullptr,\n"
               "                                   nullptr));\n", "  (void)global_size;\n"),
        change("read-back does not wait", f"{buffer}, CL_TRUE", f"{buffer}, CL_FALSE", TYPICAL),
        change("host starts at 1", "float result = 0.0f", "float result = 1.0f"),
    ] + LEAKS


MATMUL_HOST = [
    change("groups rounded down in dimension 0", "(n + tile - 1) / tile,", "n / tile,"),
    change("groups rounded down in dimension 1", "(m + tile - 1) / tile}", "m / tile}"),
    change("dimensions swapped", "{(n + tile - 1) / tile, (m + tile - 1) / tile}", "{(m + tile - 1) / tile, (n + tile - 1) / tile}", TYPICAL),
    change("M for N", "n_arg = n;", "n_arg = m;"),
    change("K one too small", "k_arg = k;", "k_arg = k - 1;"),
    change("matrices swapped", "clSetKernelArg(kernel, 0, sizeof(cl_mem), &a_buffer)", "clSetKernelArg(kernel, 0, sizeof(cl_mem), &b_buffer)"),
    change("read-back one element short", "CL_TRUE, 0, c.size() * sizeof(float), c.data()", "CL_TRUE, 0, (c.size() - 1) * sizeof(float), c.data()"),
    change("read-back does not wait", "c_buffer, CL_TRUE", "c_buffer, CL_FALSE"),
    change("event never released", "clerr_chk(clReleaseEvent(event));", ""),
    change("verdict not from the check", "return verdict(ok);", "return verdict(ok || m == 17);",
           EQUIVALENT("with a right kernel the check says yes anyway; the tests with wrong kernels need it")),
] + LEAKS

HOSTS = {
    "01-vector-add": [
        change("work-items rounded down", "(n + local_size - 1) / local_size * local_size", "n / local_size * local_size", TYPICAL),
        change("n one too small", "n_arg = n;", "n_arg = n - 1;"),
        change("n one too large", "n_arg = n;", "n_arg = n + 1;"),
        change("both vectors the same", "clSetKernelArg(kernel, 1, sizeof(cl_mem), &b_buffer)", "clSetKernelArg(kernel, 1, sizeof(cl_mem), &a_buffer)"),
        change("read-back one element short", "CL_TRUE, 0, bytes, c.data()", "CL_TRUE, 0, bytes - 4, c.data()"),
        change("a status not looked at", '  check(status, "clEnqueueReadBuffer", __LINE__);', "", TYPICAL),
        change("a buffer never released", 'check(clReleaseMemObject(b_buffer), "clReleaseMemObject", __LINE__);', "", TYPICAL),
        change("an error without file and line", '"%s:%d: %s: %s (%d): %s\\n", __FILE__, line, call', '"%s: %s (%d): %s\\n", call'),
        change("an error without a word", '  fprintf(stderr, "%s:%d: ', '  if (false)\n    fprintf(stderr, "%s:%d: '),
    ],
    "05-dot-product-naive": dot_host("products"),
    "06-dot-product-reduction": dot_host("partial_sums") + [
        change("local memory too small", "local_size * sizeof(float), nullptr", "local_size / 2 * sizeof(float), nullptr", TYPICAL),
        change("local size no power of two", "local_size = 64", "local_size = 48"),
    ],
    "07-dot-product-profiling": [
        change("one group too many", "global_size = num_groups * local_size", "global_size = (num_groups + 1) * local_size", TYPICAL),
        change("one group too few", "global_size = num_groups * local_size", "global_size = (num_groups - 1) * local_size"),
        change("local memory too small", "local_size * sizeof(float), nullptr", "local_size / 2 * sizeof(float), nullptr"),
        change("only the last check counts", "expected) && ok;", "expected);", EQUIVALENT("both checks say yes; the mutants of the first kernel need it")),
        change("event never released", "clerr_chk(clReleaseEvent(event));", "", TYPICAL),
    ],
    "08-matmul-naive": MATMUL_HOST,
    "09-matmul-tiled": MATMUL_HOST + [
        change("TILE smaller than the group", '"-D TILE=" + std::to_string(tile)', '"-D TILE=" + std::to_string(tile / 2)', TYPICAL),
        change("TILE larger than the group", '"-D TILE=" + std::to_string(tile)', '"-D TILE=" + std::to_string(tile * 2)'),
    ],
    "10-matmul-wpt": MATMUL_HOST + [
        change("WPT smaller than the launch says", 'std::to_string(wpt)', 'std::to_string(wpt / 2)', TYPICAL),
        change("group higher than its tile", "{tile, tile / wpt}", "{tile, tile}"),
    ],
    "11-sum-reduction": [
        change("one group too many", "global_size = num_groups[shape] * local_size", "global_size = (num_groups[shape] + 1) * local_size", TYPICAL),
        change("one group too few", "global_size = num_groups[shape] * local_size", "global_size = (num_groups[shape] - 1) * local_size"),
        change("local memory too small", "local_size * sizeof(float), nullptr", "local_size / 2 * sizeof(float), nullptr"),
        change("n one too small", "n_arg = n;", "n_arg = n - 1;"),
        change("event never released", "clerr_chk(clReleaseEvent(event));", "", TYPICAL),
    ],
    "12-sum-unrolled": [
        change("work-items rounded down", "(items + 63) / 64 * 64", "std::max<size_t>(64, items / 64 * 64)", TYPICAL),
        change("levels stop one early", "left > 1; left", "left > uf; left"),
        change("level's length one too small", "left_arg = left;", "left_arg = left - 1;"),
        change("length of the first level at all levels", "left_arg = left;", "left_arg = n;"),
        change("input not copied anew", "clEnqueueCopyBuffer(queue, x_buffer, data_buffer, 0, 0, bytes,", "clEnqueueCopyBuffer(queue, x_buffer, data_buffer, 0, 0, 4,"),
        change("UF one off", 'std::to_string(uf) + "ul"', 'std::to_string(uf + 1) + "ul"'),
    ],
    "15-device-ceilings": [
        change("the copy's read-back does not wait", "to_buffer, CL_TRUE", "to_buffer, CL_FALSE"),
        change("N vectors in place of floats", "n_arg = n / width", "n_arg = n"),
        change("status of a release not looked at", "clerr_chk(clReleaseMemObject(to_buffer));", "clReleaseMemObject(to_buffer);", TYPICAL),
        change("event never released", "        times.push_back(kernel_ms(event));\n        clerr_chk(clReleaseEvent(event));", "        times.push_back(kernel_ms(event));"),
        change("queue never released", "clerr_chk(clReleaseCommandQueue(queue));", ""),
    ],
    "16-dot-product-vectorized": [
        change("n one too small", "n_arg = n;", "n_arg = n - 1;"),
        change("n one too large", "n_arg = n;", "n_arg = n + 1;"),
        change("partial sums: one too few", "num_sums_arg = num_groups;", "num_sums_arg = num_groups - 1;"),
        change("second launch left out", "    clerr_chk(clEnqueueNDRangeKernel(queue, last_kernel, 1, nullptr, &last_size, &last_size, 0,\n"
               "                                     nullptr, &events[1]));", "    events[1] = events[0];\n    clerr_chk(clRetainEvent(events[0]));"),
        change("read-back does not wait", "result_buffer, CL_TRUE", "result_buffer, CL_FALSE"),
        change("event never released", "clerr_chk(clReleaseEvent(events[1]));", ""),
    ] + LEAKS,
    "17-matmul-register-tiled": [
        change("groups rounded down in rows", "(m + bm - 1) / bm", "m / bm"),
        change("groups rounded down in columns", "(n + bn - 1) / bn", "n / bn"),
        change("EDGES never set", "m % bm != 0 || n % bn != 0 || k % bk != 0", "false", TYPICAL),
        change("EDGES without K", "n % bn != 0 || k % bk != 0", "n % bn != 0"),
        change("M for N", "n_arg = static_cast<cl_uint>(n);", "n_arg = static_cast<cl_uint>(m);"),
        change("K one too small", "k_arg = static_cast<cl_uint>(k);", "k_arg = static_cast<cl_uint>(k - 1);"),
        change("matrices swapped", "clSetKernelArg(kernel, 0, sizeof(cl_mem), &a_buffer)", "clSetKernelArg(kernel, 0, sizeof(cl_mem), &b_buffer)"),
        change("read-back does not wait", "c_buffer, CL_TRUE", "c_buffer, CL_FALSE"),
        change("event never released", "clerr_chk(clReleaseEvent(event));", ""),
    ] + LEAKS,
    "20-matmul-autotuned": [
        change("read-back does not wait", "clEnqueueReadBuffer(queue, buf.c, CL_TRUE", "clEnqueueReadBuffer(queue, buf.c, CL_FALSE"),
        change("panels of A never released", "clerr_chk(clReleaseMemObject(buf.a_panels));", ""),
        change("the winner never released", "  release(one);", "  (void)one;"),
        change("panels of B too small", "cpu ? (n + 64) * (k + panel_step)", "cpu ? n * k"),
    ],
}

# Defects of a chapter's own headers.
HEADERS = {
    "20-matmul-autotuned": {
        "search.h": [
            change("pack: the last step left out", "(k + panel_step - 1) / panel_step", "k / panel_step"),
            change("pack: the last panel of A left out", "(m + s.tm - 1) / s.tm", "m / s.tm"),
            change("pack: the last panel of B left out", "(n + s.tn - 1) / s.tn", "n / s.tn"),
            change("groups rounded down in rows", "(m + s.bm - 1) / s.bm", "m / s.bm"),
            change("M for N", "{m, n, k}, {nullptr, 1,", "{m, m, k}, {nullptr, 1,"),
            change("EDGES never set", "m % s.bm != 0 || n % s.bn != 0 || k % s.bk != 0", "false"),
            change("EDGES without K", "n % s.bn != 0 || k % s.bk != 0", "n % s.bn != 0"),
            change("event never released", "    clerr_chk(clReleaseEvent(event));", "    (void)event;"),
            change("kernel never released", "    clerr_chk(clReleaseKernel(l.kernel));", "    (void)l;"),
            change("candidates never released", "    release(e.one);", "    (void)e;"),
        ],
    },
}
