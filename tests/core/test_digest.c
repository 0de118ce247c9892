/* Test vectors of FIPS 180-4 (as published by NIST): names of cached code and of models must never change. */
#include "core/system/digest.h"
#include "tests/suite.h"

#include <string.h>

static void hash_to(const char *text, size_t length, size_t piece, char hex[DIGEST_HEX]) {
  struct digest digest;
  unsigned char bytes[DIGEST_BYTES];
  digest_init(&digest);
  for (size_t i = 0; i < length; i += piece)
    digest_add(&digest, text + i, length - i < piece ? length - i : piece);
  digest_finish(&digest, bytes);
  digest_hex(bytes, hex);
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
    char hex[DIGEST_HEX];
    hash_to(cases[i].text, strlen(cases[i].text), 1000, hex);
    ck_assert_str_eq(hex, cases[i].hex);
  }
}
END_TEST

/* Independent of how the bytes are divided; a string includes its end. */
START_TEST(pieces) {
  char hex[DIGEST_HEX];
  struct digest digest;
  unsigned char bytes[DIGEST_BYTES];
  hash_to("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, 5, hex);
  ck_assert_str_eq(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  digest_init(&digest);
  digest_add_string(&digest, "ab");
  digest_add_string(&digest, "c");
  digest_finish(&digest, bytes);
  digest_hex(bytes, hex);
  ck_assert_str_eq(hex, "629c2f14f654f026086f2aefe1855533d0897f49df86a19073be17b237361b09");
}
END_TEST

int main(void) { return run_tests("digest", CK_NOFORK, vectors, pieces); }
