#include "heap.h"

// A block is a header of 8 bytes and its memory. Sizes count the header, are multiples of 16, and have the lowest bit set
// while the block is in use. `before` is the size of the block in front, 0 for the first. The memory of a free block
// begins with the links of its list. Blocks are named by their offset from the base, so that the arithmetic is the same
// for pointers of 32 and 64 bits; offset 0 is no block, as the base begins with 8 unused bytes.
typedef struct {
  uint32_t before;
  uint32_t size;
  uint32_t next;
  uint32_t previous;
} block;

enum { unit = 16, header = 8, used_bit = 1, rows = 28, columns = 8, column_bits = 3 };

static unsigned char *base;
static uint32_t end;  // The offset of the header behind the last block, which is in use and has no memory.
static uint32_t step;
static uint32_t used;
static heap_grow grow;
static uint32_t lists[rows][columns];
static uint32_t row_map;
static uint8_t column_map[rows];

static block *at(uint32_t offset) { return (block *)(base + offset); }
static uint32_t size_of(const block *b) { return b->size & ~(uint32_t)used_bit; }
static int is_used(const block *b) { return b->size & used_bit; }
static uint32_t highest_bit(uint32_t value) { return 31 - (uint32_t)__builtin_clz(value); }

// The list of a size: below 128 bytes one for each multiple of 16, above that eight for each power of two.
static void list_of(uint32_t size, uint32_t *row, uint32_t *column) {
  if (size < unit * columns) {
    *row = 0;
    *column = size / unit;
    return;
  }
  uint32_t bit = highest_bit(size);
  *row = bit - 6;
  *column = (size >> (bit - column_bits)) & (columns - 1);
}

static void insert(uint32_t offset) {
  block *b = at(offset);
  uint32_t row, column;
  list_of(size_of(b), &row, &column);
  b->previous = 0;
  b->next = lists[row][column];
  if (b->next) at(b->next)->previous = offset;
  lists[row][column] = offset;
  row_map |= 1u << row;
  column_map[row] |= (uint8_t)(1u << column);
}

static void remove_block(uint32_t offset) {
  block *b = at(offset);
  if (b->next) at(b->next)->previous = b->previous;
  if (b->previous) {
    at(b->previous)->next = b->next;
    return;
  }
  uint32_t row, column;
  list_of(size_of(b), &row, &column);
  lists[row][column] = b->next;
  if (b->next) return;
  column_map[row] &= (uint8_t)~(1u << column);
  if (!column_map[row]) row_map &= ~(1u << row);
}

static void set_size(uint32_t offset, uint32_t size, uint32_t flag) {
  at(offset)->size = size | flag;
  at(offset + size)->before = size;
}

// The first list whose blocks all have at least `size` bytes; 0 when every such list is empty.
static uint32_t find(uint32_t size) {
  uint32_t row, column;
  if (size >= unit * columns) {
    uint32_t slack = (1u << (highest_bit(size) - column_bits)) - 1;
    if (size > UINT32_MAX - slack) return 0;
    size += slack;
  }
  list_of(size, &row, &column);
  uint32_t found = column_map[row] & (0xFFu << column);
  if (!found) {
    uint32_t above = row + 1 < 32 ? row_map & (~0u << (row + 1)) : 0;
    if (!above) return 0;
    row = (uint32_t)__builtin_ctz(above);
    found = column_map[row];
  }
  return lists[row][__builtin_ctz(found)];
}

// Makes a block of at least `size` free bytes behind the last block, together with a free one that is there.
static uint32_t extend(uint32_t size) {
  uint32_t last = at(end)->before;
  uint32_t free_before = last && !is_used(at(end - last)) ? last : 0;
  uint32_t missing = size > free_before ? size - free_before : 0;
  if (missing > UINT32_MAX - step - end) return 0;
  uint32_t more = (missing + step - 1) / step * step;
  if (!grow(more)) return 0;
  uint32_t start = end;
  end += more;
  at(end)->size = used_bit;
  if (free_before) {
    start -= free_before;
    remove_block(start);
  }
  set_size(start, end - start, 0);
  insert(start);
  return start;
}

// Cuts a free block that is in no list after `size` bytes, if the rest can be a block.
static void cut(uint32_t offset, uint32_t size) {
  uint32_t rest = size_of(at(offset)) - size;
  if (!rest) return;
  set_size(offset, size, 0);
  set_size(offset + size, rest, 0);
  insert(offset + size);
}

void heap_start(unsigned char *memory, uint32_t bytes, heap_grow more) {
  base = memory;
  step = bytes;
  grow = more;
  used = 0;
  row_map = 0;
  for (int row = 0; row < rows; row++) {
    column_map[row] = 0;
    for (int column = 0; column < columns; column++) lists[row][column] = 0;
  }
  // Memory behind a header is aligned to 16 bytes.
  end = grow(step) ? step - header : 0;
  if (!end) return;
  at(header)->before = 0;
  end = (end - header) / unit * unit + header;
  at(end)->size = used_bit;
  set_size(header, end - header, 0);
  insert(header);
}

void *heap_take(size_t alignment, size_t count) {
  if (!end || count > UINT32_MAX / 2 || alignment > UINT32_MAX / 4) return NULL;
  uint32_t size = ((uint32_t)count + header + unit - 1) / unit * unit;
  if (size < unit) size = unit;
  // Room to move to a multiple of a larger alignment.
  uint32_t extra = alignment > unit ? (uint32_t)alignment : 0;
  uint32_t offset = find(size + extra);
  if (!offset && !(offset = extend(size + extra))) return NULL;
  remove_block(offset);
  if (extra) {
    uintptr_t address = (uintptr_t)(base + offset + header);
    uint32_t front = (uint32_t)(-address & (alignment - 1));
    if (front) {
      uint32_t rest = size_of(at(offset)) - front;
      set_size(offset, front, 0);
      insert(offset);
      offset += front;
      set_size(offset, rest, 0);
    }
  }
  cut(offset, size);
  at(offset)->size |= used_bit;
  used += size_of(at(offset));
  return base + offset + header;
}

void heap_give(void *memory) {
  if (!memory) return;
  uint32_t offset = (uint32_t)((unsigned char *)memory - base) - header;
  uint32_t size = size_of(at(offset));
  used -= size;
  uint32_t after = offset + size;
  if (!is_used(at(after))) {
    remove_block(after);
    size += size_of(at(after));
  }
  uint32_t before = at(offset)->before;
  if (before && !is_used(at(offset - before))) {
    offset -= before;
    remove_block(offset);
    size += before;
  }
  set_size(offset, size, 0);
  insert(offset);
}

uint32_t heap_used(void) { return used; }

uint32_t heap_size(void) { return end ? end + header : 0; }

int heap_fault(void) {
  if (!end) return 0;
  uint32_t in_use = 0, free_blocks = 0, listed = 0;
  uint32_t before = 0;
  int was_free = 0;
  for (uint32_t offset = header; offset != end; offset += before) {
    block *b = at(offset);
    if (b->before != before) return 1;
    before = size_of(b);
    if (before < unit || before % unit || offset + before > end) return 2;
    if (is_used(b)) {
      in_use += before;
      was_free = 0;
    } else {
      if (was_free) return 3;
      was_free = 1;
      free_blocks++;
    }
  }
  if (at(end)->before != before || at(end)->size != used_bit) return 4;
  if (in_use != used) return 5;
  for (uint32_t row = 0; row < rows; row++) {
    if (!(row_map >> row & 1) != !column_map[row]) return 6;
    for (uint32_t column = 0; column < columns; column++) {
      uint32_t first = lists[row][column];
      if (!(column_map[row] >> column & 1) != !first) return 7;
      for (uint32_t offset = first, previous = 0; offset; previous = offset, offset = at(offset)->next) {
        uint32_t found_row, found_column;
        list_of(size_of(at(offset)), &found_row, &found_column);
        if (is_used(at(offset)) || at(offset)->previous != previous) return 8;
        if (found_row != row || found_column != column) return 9;
        listed++;
      }
    }
  }
  return listed == free_blocks ? 0 : 10;
}
