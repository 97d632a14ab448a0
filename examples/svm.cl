// The sum of a list: its nodes point to each other, and the host made them.
typedef struct node {
  float value;
  __global const struct node *next;
} node;

// first  in   the first node; the last one's next is 0
// sum    out  one float
// A single work-item: a list has no other way in.
__kernel void sum_list(__global const node *first, __global float *sum) {
  float total = 0.0f;
  for (; first != 0; first = first->next)
    total += first->value;
  *sum = total;
}
