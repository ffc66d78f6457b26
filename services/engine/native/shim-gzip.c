// gzip (RFC 1951 and 1952) in its simplest form: blocks that stand alone, matches found by hash, the fixed codes. Logs
// repeat themselves so much that this is enough.
#include "shim.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  BLOCK_BYTES = 64 * 1024,
  HASH_BITS = 15,
  MAX_TRIES = 8, // earlier places that are looked at
  MIN_MATCH = 4,
  MAX_MATCH = 258,
  MAX_DISTANCE = 32768,
  OUT_BYTES = 32 * 1024,
};

struct packer {
  int fd;
  bool failed;
  uint64_t bits;
  unsigned bit_count;
  size_t length;
  unsigned char out[OUT_BYTES];
  unsigned char in[BLOCK_BYTES];
  int32_t newest[1 << HASH_BITS], earlier[BLOCK_BYTES]; // places + 1; 0: none
  uint32_t checksums[256], checksum, total;
};

static void put_byte(struct packer *p, unsigned char byte) {
  p->out[p->length++] = byte;
  if (p->length < OUT_BYTES) return;
  for (size_t done = 0; done < p->length && !p->failed;) {
    ssize_t n = write(p->fd, p->out + done, p->length - done);
    if (n <= 0) p->failed = true;
    else done += (size_t)n;
  }
  p->length = 0;
}

static void put_bits(struct packer *p, uint32_t value, unsigned count) {
  p->bits |= (uint64_t)value << p->bit_count;
  for (p->bit_count += count; p->bit_count >= 8; p->bit_count -= 8, p->bits >>= 8) put_byte(p, (unsigned char)p->bits);
}

// Codes are written from their highest bit on.
static void put_code(struct packer *p, uint32_t code, unsigned count) {
  uint32_t reversed = 0;
  for (unsigned i = 0; i < count; i++) reversed |= (code >> i & 1) << (count - 1 - i);
  put_bits(p, reversed, count);
}

static void put_symbol(struct packer *p, unsigned symbol) {
  if (symbol < 144) put_code(p, 0x30 + symbol, 8);
  else if (symbol < 256) put_code(p, 0x190 + symbol - 144, 9);
  else if (symbol < 280) put_code(p, symbol - 256, 7);
  else put_code(p, 0xc0 + symbol - 280, 8);
}

static void put_match(struct packer *p, unsigned length, unsigned distance) {
  unsigned extra = 0, at = length - 3;
  if (length == MAX_MATCH) put_symbol(p, 285);
  else {
    while (at >> extra >= 8) extra++;
    put_symbol(p, 257 + 4 * extra + (at >> extra));
    put_bits(p, at & ((1u << extra) - 1), extra);
  }
  extra = 0;
  at = distance - 1;
  while (at >> extra >= 4) extra++;
  put_code(p, 2 * extra + (at >> extra), 5);
  put_bits(p, at & ((1u << extra) - 1), extra);
}

static unsigned hash(const unsigned char *at) {
  uint32_t four;
  memcpy(&four, at, sizeof four);
  return four * 2654435761u >> (32 - HASH_BITS);
}

static void remember(struct packer *p, size_t at, size_t size) {
  if (at + MIN_MATCH > size) return;
  unsigned key = hash(p->in + at);
  p->earlier[at] = p->newest[key];
  p->newest[key] = (int32_t)at + 1;
}

static size_t longest_match(struct packer *p, size_t at, size_t size, size_t *distance) {
  size_t best = 0, most = size - at < MAX_MATCH ? size - at : MAX_MATCH;
  if (most < MIN_MATCH) return 0;
  int32_t place = p->newest[hash(p->in + at)];
  for (int tries = 0; place > 0 && tries < MAX_TRIES; tries++, place = p->earlier[place - 1]) {
    size_t from = (size_t)place - 1, same = 0;
    if (at - from > MAX_DISTANCE) break;
    while (same < most && p->in[from + same] == p->in[at + same]) same++;
    if (same <= best) continue;
    best = same;
    *distance = at - from;
  }
  return best >= MIN_MATCH ? best : 0;
}

static void put_block(struct packer *p, size_t size, bool last) {
  memset(p->newest, 0, sizeof p->newest);
  put_bits(p, last, 1);
  put_bits(p, 1, 2);
  for (size_t at = 0, next, distance = 0; at < size; at = next) {
    size_t length = longest_match(p, at, size, &distance);
    if (length > 0) put_match(p, (unsigned)length, (unsigned)distance);
    else put_symbol(p, p->in[at]);
    for (next = at + (length > 0 ? length : 1); at < next; at++) remember(p, at, size);
  }
  put_symbol(p, 256);
}

static void add_checksum(struct packer *p, size_t size) {
  for (size_t i = 0; i < size; i++) p->checksum = p->checksums[(p->checksum ^ p->in[i]) & 255] ^ p->checksum >> 8;
  p->total += (uint32_t)size;
}

static size_t read_block(struct packer *p, int fd) {
  size_t size = 0;
  ssize_t n = 1;
  while (size < BLOCK_BYTES && (n = read(fd, p->in + size, BLOCK_BYTES - size)) > 0) size += (size_t)n;
  if (n < 0) p->failed = true;
  return size;
}

static void prepare(struct packer *p, int to) {
  static const unsigned char header[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
  p->fd = to;
  p->checksum = ~0u;
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; bit++) value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
    p->checksums[i] = value;
  }
  for (size_t i = 0; i < sizeof header; i++) put_byte(p, header[i]);
}

int gzip_file(int from, int to, const atomic_bool *stopping) {
  struct packer *p = calloc(1, sizeof *p);
  if (p == NULL) return -1;
  prepare(p, to);
  size_t size;
  do {
    size = read_block(p, from);
    add_checksum(p, size);
    put_block(p, size, size < BLOCK_BYTES);
  } while (size == BLOCK_BYTES && !p->failed && !*stopping);
  put_bits(p, 0, p->bit_count > 0 ? 8 - p->bit_count : 0);
  put_bits(p, ~p->checksum, 32);
  put_bits(p, p->total, 32);
  bool ok = !p->failed && !*stopping && (p->length == 0 || write(to, p->out, p->length) == (ssize_t)p->length);
  free(p);
  return ok ? 0 : -1;
}
