// Compares the reader of numbers with the C library's strtod on random texts, bit for bit: decimal_test [SEED] [COUNT]
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *_swift_stdlib_strtod_clocale(const char *text, double *result);

static uint64_t state;

static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static uint32_t random_below(uint32_t limit) { return (uint32_t)(next() >> 33) % limit; }

static void check(const char *text) {
  char *end;
  double expected = strtod(text, &end), found = 0;
  const char *found_end = _swift_stdlib_strtod_clocale(text, &found);
  if (end == text) {
    if (found_end) fprintf(stderr, "%s: no number, read %a\n", text, found), exit(1);
    return;
  }
  int is_same = !memcmp(&expected, &found, 8) || (expected != expected && found != found);
  if (!found_end || found_end != end || !is_same) {
    fprintf(stderr, "%s: %a, read %a, %d bytes\n", text, expected, found, found_end ? (int)(found_end - text) : -1);
    exit(1);
  }
}

static void digits(char **p, uint32_t count) {
  while (count--) *(*p)++ = (char)('0' + random_below(10));
}

static void random_decimal(char *p) {
  if (random_below(4) == 0) *p++ = '-';
  digits(&p, random_below(3) == 0 ? random_below(900) + 1 : random_below(25) + 1);
  if (random_below(2)) {
    *p++ = '.';
    digits(&p, random_below(4) == 0 ? random_below(900) : random_below(25));
  }
  if (random_below(3)) p += sprintf(p, "e%d", (int)random_below(700) - 350);
  *p = 0;
}

// The shortest and the exact text of any double, and the exact text of the middle between it and the next one.
static void around_a_double(char *p) {
  uint64_t bits = next() & ~(1ull << 63);
  if (random_below(3) == 0) bits &= (1ull << 53) - 1;
  double value;
  memcpy(&value, &bits, 8);
  if (value - value != 0) value = 1;
  switch (random_below(3)) {
    case 0: sprintf(p, "%.17g", value); break;
    case 1: sprintf(p, "%.1100g", value); break;
    default: {
      long double middle = (long double)value;
      memcpy(&bits, &value, 8);
      bits++;
      memcpy(&value, &bits, 8);
      middle = (middle + (long double)value) / 2;
      sprintf(p, "%.1100Lg", middle);
      if (random_below(2)) strcat(p, strchr(p, 'e') ? "" : strchr(p, '.') ? "0000000001" : ".0000001");
    }
  }
}

int main(int count, char **arguments) {
  static const char *const fixed[] = {
      "", "-", "+", ".", "e5", "0", "-0", "0.0e99999999999", "1e-99999999999", "1e99999999999", "1.", ".5", "+.5e1", "1e",
      "1e+", "inf", "-Infinity", "infin", "nan", "NAN", "0x", "0x1", "0x.8p1", "0x1p-1074", "0x1p-1075", "0x1.8p-1075",
      "0x1.fffffffffffff8p1023", "0x1.fffffffffffff7fffp1023", "0x0.0000000000000000000001p-1000", "4.9e-324",
      "2.4703282292062327e-324", "2.4703282292062328e-324", "1.7976931348623157e308", "1.7976931348623159e308",
      "2.2250738585072011e-308", "2.2250738585072014e-308", "9007199254740993", "9007199254740993.0000000000000000000001",
      "123456789012345678901234567890", "  1", "1 ", "1x", "100000000000000000000000e-400",
  };
  static char text[4096];
  state = count > 1 ? strtoull(arguments[1], NULL, 10) * 2 + 1 : 1;
  int rounds = count > 2 ? atoi(arguments[2]) : 300000;
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
    if (fixed[i][0] != ' ') check(fixed[i]);  // The C library skips blanks; Swift does not pass any.
  }
  for (int round = 0; round < rounds; round++) {
    if (random_below(2)) random_decimal(text);
    else around_a_double(text);
    check(text);
  }
  return 0;
}
