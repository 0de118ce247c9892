/* Test vectors of FIPS 180-4 (as published by NIST) and of lengths around a block. */
#include "core/sha256.h"
#include "suite.h"

#include <string.h>

static void hash_to(const char *text, size_t length, size_t piece, char hex[SHA256_HEX]) {
  struct sha256 hash;
  unsigned char digest[SHA256_BYTES];
  sha256_init(&hash);
  for (size_t i = 0; i < length; i += piece)
    sha256_add(&hash, text + i, length - i < piece ? length - i : piece);
  sha256_finish(&hash, digest);
  sha256_hex(digest, hex);
}

START_TEST(vectors) {
  static const struct {
    const char *text, *hex;
  } cases[] = {{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
               {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
               {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
               {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
                "lmnopqrsmnopqrstnopqrstu",
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char hex[SHA256_HEX];
    hash_to(cases[i].text, strlen(cases[i].text), 1000, hex);
    ck_assert_str_eq(hex, cases[i].hex);
  }
}
END_TEST

START_TEST(a_million) {
  enum { N = 1000000 };
  char hex[SHA256_HEX], *text = malloc(N);
  memset(text, 'a', N);
  hash_to(text, N, 977, hex);
  free(text);
  ck_assert_str_eq(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
END_TEST

/* However the bytes are cut, and whether or not the length fills the last block. */
START_TEST(pieces) {
  char text[200], whole[SHA256_HEX], cut[SHA256_HEX];
  for (size_t i = 0; i < sizeof text; i++)
    text[i] = (char)(i * 7);
  for (size_t length = 0; length <= sizeof text; length++)
    for (size_t piece = 1; piece < 70; piece += 13) {
      hash_to(text, length, sizeof text, whole);
      hash_to(text, length, piece, cut);
      ck_assert_str_eq(whole, cut);
    }
}
END_TEST

int main(void) {
  const TTest *const tests[] = {vectors, a_million, pieces};
  return run_suite("sha256", tests, sizeof tests / sizeof *tests);
}
