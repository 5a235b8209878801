// Reads a floating-point number as `strtod` does in the C locale, correctly rounded (IEEE 754 roundTiesToEven).
//
// Short numbers are exact in doubles. For the others the decimal digits are a large integer, which is multiplied or divided
// by a power of ten until 64 bits of the result and the knowledge whether anything follows are enough to round.
#include <stddef.h>
#include <stdint.h>

// 800 digits decide any rounding (a double's half-way points have at most 767); more only say that something follows.
// 800 digits and a divisor of 10^1142 have fewer than 6500 bits together.
enum { digits_max = 800, words_max = 208, exponent_max = 100000 };

typedef struct {
  uint32_t count;
  uint32_t words[words_max];
} large;

static void multiply_add(large *n, uint32_t factor, uint32_t more) {
  uint64_t carry = more;
  for (uint32_t i = 0; i < n->count; i++) {
    carry += (uint64_t)n->words[i] * factor;
    n->words[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry) n->words[n->count++] = (uint32_t)carry;
}

static void multiply_power_of_ten(large *n, int power) {
  for (; power >= 9; power -= 9) multiply_add(n, 1000000000, 0);
  for (; power > 0; power--) multiply_add(n, 10, 0);
}

static int bits_of(const large *n) {
  return n->count ? (int)n->count * 32 - __builtin_clz(n->words[n->count - 1]) : 0;
}

static void shift_left(large *n, int bits) {
  if (!n->count) return;
  int words = bits / 32, rest = bits % 32;
  uint32_t carry = 0;
  for (uint32_t i = 0; i < n->count && rest; i++) {
    uint32_t word = n->words[i];
    n->words[i] = word << rest | carry;
    carry = word >> (32 - rest);
  }
  if (carry) n->words[n->count++] = carry;
  for (uint32_t i = n->count; i-- > 0 && words;) n->words[i + (uint32_t)words] = n->words[i];
  for (int i = 0; i < words; i++) n->words[i] = 0;
  n->count += (uint32_t)words;
}

static int compare(const large *a, const large *b) {
  if (a->count != b->count) return a->count < b->count ? -1 : 1;
  for (uint32_t i = a->count; i-- > 0;) {
    if (a->words[i] != b->words[i]) return a->words[i] < b->words[i] ? -1 : 1;
  }
  return 0;
}

// a - b, where a is not smaller.
static void subtract(large *a, const large *b) {
  uint64_t borrow = 0;
  for (uint32_t i = 0; i < a->count; i++) {
    uint64_t taken = (i < b->count ? b->words[i] : 0) + borrow;
    borrow = a->words[i] < taken;
    a->words[i] = (uint32_t)(a->words[i] - taken);
  }
  while (a->count && !a->words[a->count - 1]) a->count--;
}

// The double nearest to `top` × 2^power, where more follows below the bits of `top` when `rest` is set; top has its
// highest bit set.
static double rounded(uint64_t top, int power, int rest) {
  // top × 2^power = 1.… × 2^(power + 63); a normal number has 53 bits, one below 2^-1022 as many as are above 2^-1074.
  int exponent = power + 63;
  int dropped = exponent < -1022 ? 11 + (-1022 - exponent) : 11;
  uint64_t kept;
  if (dropped > 64) {
    kept = 0;
  } else {
    uint64_t below = dropped == 64 ? top : top & ((1ull << dropped) - 1);
    uint64_t half = 1ull << (dropped - 1);
    kept = dropped == 64 ? 0 : top >> dropped;
    if (below > half || (below == half && (rest || (kept & 1)))) kept++;
  }
  uint64_t bits;
  if (exponent < -1022) {
    bits = kept;  // One that was rounded up to 2^-1022 has the bits of a normal number.
  } else {
    if (kept >> 53) {
      kept >>= 1;
      exponent++;
    }
    bits = exponent > 1023 ? 0x7FFull << 52 : (uint64_t)(exponent + 1023) << 52 | (kept & ((1ull << 52) - 1));
  }
  double value;
  __builtin_memcpy(&value, &bits, 8);
  return value;
}

// The 64 highest bits of an integer, its power of two, and whether more follows.
static double round_integer(const large *n, int power, int rest) {
  int bits = bits_of(n), shift = bits - 64;
  uint64_t top = 0;
  for (int bit = bits - 1; bit >= 0 && bit >= bits - 64; bit--) {
    top = top << 1 | (n->words[bit / 32] >> (bit % 32) & 1);
  }
  if (shift < 0) top <<= -shift;
  for (int bit = 0; bit < shift && !rest; bit++) rest = (int)(n->words[bit / 32] >> (bit % 32) & 1);
  return rounded(top, power + shift, rest);
}

static double from_digits(const unsigned char *digits, int count, int exponent, int rest) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (!count) return 0;
  if (count <= 15 && exponent >= -22 && exponent <= 22) {
    uint64_t value = 0;
    for (int i = 0; i < count; i++) value = value * 10 + digits[i];
    return exponent < 0 ? (double)value / powers[-exponent] : (double)value * powers[exponent];
  }
  if (count + exponent > 310) return __builtin_inf();
  if (count + exponent < -330) return 0;
  large n = {0, {0}};
  for (int i = 0; i < count; i++) multiply_add(&n, 10, digits[i]);
  if (exponent >= 0) {
    multiply_power_of_ten(&n, exponent);
    return round_integer(&n, 0, rest);
  }
  large divisor = {1, {1}};
  multiply_power_of_ten(&divisor, -exponent);
  // A quotient of 64 or 65 bits, one bit after the other.
  int power = bits_of(&n) - bits_of(&divisor) - 64;
  if (power < 0) shift_left(&n, -power);
  if (power > 0) shift_left(&divisor, power);
  large quotient = {0, {0}};
  shift_left(&divisor, 64);
  for (int bit = 0; bit <= 64; bit++) {
    int fits = compare(&n, &divisor) >= 0;
    if (fits) subtract(&n, &divisor);
    if (fits || quotient.count) multiply_add(&quotient, 2, (uint32_t)fits);
    for (uint32_t i = 0; i < divisor.count; i++) {
      divisor.words[i] >>= 1;
      if (i + 1 < divisor.count) divisor.words[i] |= divisor.words[i + 1] << 31;
    }
    if (divisor.count && !divisor.words[divisor.count - 1]) divisor.count--;
  }
  return round_integer(&quotient, power, rest || n.count != 0);
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

// The length of a word at the start of a text, in any case of its letters; 0 when it is another.
static size_t word_length(const char *text, const char *word) {
  size_t length = 0;
  for (; word[length]; length++) {
    if ((text[length] | 0x20) != word[length]) return 0;
  }
  return length;
}

// The exponent behind `e` or `p`; the text stays where it is when there is none.
static int read_exponent(const char **text, char letter) {
  const char *p = *text;
  if ((*p | 0x20) != letter) return 0;
  p++;
  int is_negative = *p == '-';
  if (*p == '-' || *p == '+') p++;
  if (!is_digit(*p)) return 0;
  int value = 0;
  for (; is_digit(*p); p++) {
    if (value < exponent_max) value = value * 10 + (*p - '0');
  }
  *text = p;
  return is_negative ? -value : value;
}

static int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  char lower = (char)(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static const char *read_hex(const char *p, double *value) {
  uint64_t top = 0;
  int power = 0, rest = 0, has_point = 0, has_digits = 0;
  for (;; p++) {
    if (*p == '.' && !has_point) {
      has_point = 1;
      continue;
    }
    int digit = hex_value(*p);
    if (digit < 0) break;
    has_digits = 1;
    if (top >> 60) {
      rest |= digit != 0;
      if (!has_point && power < exponent_max) power += 4;
    } else {
      top = top << 4 | (uint64_t)digit;
      if (has_point && power > -exponent_max) power -= 4;
    }
  }
  if (!has_digits) return NULL;
  power += read_exponent(&p, 'p');
  if (!top) {
    *value = 0;
    return p;
  }
  int shift = __builtin_clzll(top);
  *value = rounded(top << shift, power - shift, rest);
  return p;
}

static const char *read_decimal(const char *p, double *value) {
  unsigned char digits[digits_max];
  int count = 0, exponent = 0, rest = 0, has_point = 0, has_digits = 0;
  for (;; p++) {
    if (*p == '.' && !has_point) {
      has_point = 1;
      continue;
    }
    if (!is_digit(*p)) break;
    has_digits = 1;
    if (count < digits_max) {
      if (count || *p != '0') digits[count++] = (unsigned char)(*p - '0');
      if (has_point && exponent > -exponent_max) exponent--;
    } else {
      rest |= *p != '0';
      if (!has_point && exponent < exponent_max) exponent++;
    }
  }
  if (!has_digits) return NULL;
  exponent += read_exponent(&p, 'e');
  while (count && !digits[count - 1] && !rest) {
    count--;
    exponent++;
  }
  *value = from_digits(digits, count, exponent, rest);
  return p;
}

// The end of the number in `text`, whose value is stored; NULL when there is no number.
const char *_swift_stdlib_strtod_clocale(const char *text, double *result) {
  const char *p = text;
  int is_negative = *p == '-';
  if (*p == '-' || *p == '+') p++;
  double value = 0;
  size_t length;
  if ((length = word_length(p, "infinity")) || (length = word_length(p, "inf"))) {
    value = __builtin_inf();
    p += length;
  } else if ((length = word_length(p, "nan"))) {
    value = __builtin_nan("");
    p += length;
  } else if (p[0] == '0' && (p[1] | 0x20) == 'x') {
    const char *end = read_hex(p + 2, &value);
    p = end ? end : p + 1;
  } else {
    p = read_decimal(p, &value);
    if (!p) return NULL;
  }
  *result = is_negative ? -value : value;
  return p;
}
