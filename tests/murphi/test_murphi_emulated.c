/* Cases of Murphi, and symmetric ones in XML, on an emulated GPU; cases.sh has the interpreter and compiled code. */
#include "tests/gpu/device/emulated_suite.h"

#include "tests/api/cases.h"

START_TEST(on_the_emulated_gpu) { compare_cases("murphi", ".m", 7, FLOE_ENGINE_GPU, at_length() ? 1 : 3); }
END_TEST

START_TEST(with_symmetry) {
  case_symmetry = FLOE_SYMMETRY_ON;
  compare_cases("murphi/symmetric", ".m", 6, FLOE_ENGINE_GPU, at_length() ? 1 : 3);
  compare_cases("model/symmetric", ".xml", 3, FLOE_ENGINE_GPU, 1);
  case_symmetry = FLOE_SYMMETRY_OFF;
}
END_TEST

int main(void) {
  const int lacks = emulated_lacks();
  if (lacks)
    return lacks;
  TCase *test = tcase_create("murphi");
  tcase_set_timeout(test, 0);
  add_tests(test, on_the_emulated_gpu, with_symmetry);
  return emulated_run("Murphi, emulated GPU", test);
}
