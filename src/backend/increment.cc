#include "backend/increment.h"

#include <algorithm>

namespace kauri::backend {
namespace {

struct Integer {
  bool negative = false;
  std::string digits;  // without leading zeros; "0" for zero
};

std::optional<Integer> parse(std::string_view text) {
  Integer number;
  if (text.starts_with('-')) {
    number.negative = true;
    text.remove_prefix(1);
  }
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size() - 1));
  number.digits = text;
  if (number.digits == "0") number.negative = false;
  return number;
}

bool is_smaller(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

std::string add_digits(const std::string& a, const std::string& b) {
  std::string out;
  int carry = 0;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()) || carry != 0; ++i) {
    int sum = carry;
    if (i < a.size()) sum += a[a.size() - 1 - i] - '0';
    if (i < b.size()) sum += b[b.size() - 1 - i] - '0';
    out.push_back(static_cast<char>('0' + sum % 10));
    carry = sum / 10;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// REQUIRES: a >= b.
std::string subtract_digits(const std::string& a, const std::string& b) {
  std::string out;
  int borrow = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    int digit = a[a.size() - 1 - i] - '0' - borrow;
    if (i < b.size()) digit -= b[b.size() - 1 - i] - '0';
    borrow = digit < 0 ? 1 : 0;
    out.push_back(static_cast<char>('0' + digit + borrow * 10));
  }
  while (out.size() > 1 && out.back() == '0') out.pop_back();
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace

std::optional<std::string> add_integers(std::string_view a, std::string_view b) {
  const std::optional<Integer> x = parse(a);
  const std::optional<Integer> y = parse(b);
  if (!x || !y) return std::nullopt;
  if (x->negative == y->negative)
    return (x->negative ? "-" : "") + add_digits(x->digits, y->digits);
  const Integer& larger = is_smaller(x->digits, y->digits) ? *y : *x;
  const Integer& smaller = is_smaller(x->digits, y->digits) ? *x : *y;
  std::string digits = subtract_digits(larger.digits, smaller.digits);
  return (larger.negative && digits != "0" ? "-" : "") + digits;
}

}  // namespace kauri::backend
