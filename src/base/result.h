// Result<T>: a value or an Error. The project's only way to report a failure of ours (not an LDAP
// outcome).
//
// Thread safety: thread-compatible. An LDAP outcome that the protocol expects (noSuchObject,
// compareFalse, ...) is a value (ldap::OperationResult), never an Error; absence is std::optional.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace kauri {

// Closed set of our own failures. Not persisted.
enum class ErrorCode : unsigned char {
  kInvalid,  // bytes or text from outside break their grammar or a rule; message says where and why
  kLimit,    // a limit of base/limits.h was exceeded; message has name, value and limit
  kNotFound,    // something that the configuration or an operator named does not exist
  kExists,      // something to be made exists already
  kBusy,        // another process or thread holds the resource; retry may succeed
  kNoSpace,     // disk or map is full
  kIo,          // the operating system refused; message has path and errno text
  kCorruption,  // stored bytes fail their checksum or structure; message names table, key and what
                // failed
  kInternal,    // a bug of ours that was contained
};

std::string_view to_string(ErrorCode code);

// Never null after construction; one pointer wide, so that Result<T> stays small and success costs
// nothing.
class Error {
 public:
  Error(ErrorCode code, std::string message)
      : body_(std::make_unique<Body>(Body{code, std::move(message)})) {}
  Error(const Error& other) : body_(std::make_unique<Body>(*other.body_)) {}
  Error& operator=(const Error& other) {
    body_ = std::make_unique<Body>(*other.body_);
    return *this;
  }
  Error(Error&&) noexcept = default;
  Error& operator=(Error&&) noexcept = default;

  ErrorCode code() const { return body_->code; }
  // A full sentence with the offending value and, where there is one, the limit.
  const std::string& message() const { return body_->message; }
  // The same error with `context` and ": " in front of its message.
  Error with_context(std::string_view context) const {
    return Error(code(), std::string(context) + ": " + message());
  }

 private:
  struct Body {
    ErrorCode code;
    std::string message;
  };
  std::unique_ptr<Body> body_;
};

template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  Result(Error error)
      : tl::expected<T, Error>(tl::unexpected<Error>(std::move(error))) {}           // NOLINT
  Result(tl::unexpected<Error> error) : tl::expected<T, Error>(std::move(error)) {}  // NOLINT
};

template <>
class [[nodiscard]] Result<void> : public tl::expected<void, Error> {
 public:
  using tl::expected<void, Error>::expected;
  Result() = default;
  Result(Error error)
      : tl::expected<void, Error>(tl::unexpected<Error>(std::move(error))) {}           // NOLINT
  Result(tl::unexpected<Error> error) : tl::expected<void, Error>(std::move(error)) {}  // NOLINT
};

inline Error invalid(std::string message) {
  return {ErrorCode::kInvalid, std::move(message)};
}
inline Error limit_exceeded(std::string message) {
  return {ErrorCode::kLimit, std::move(message)};
}
inline Error corruption(std::string message) {
  return {ErrorCode::kCorruption, std::move(message)};
}

}  // namespace kauri

#define KAURI_CONCAT_INNER(a, b) a##b
#define KAURI_CONCAT(a, b) KAURI_CONCAT_INNER(a, b)
#define KAURI_TRY_IMPL(result, declaration, expression) \
  auto result = (expression);                           \
  if (!result) [[unlikely]]                             \
    return std::move(result).error();                   \
  declaration = std::move(*result)  // NOLINT(bugprone-macro-parentheses)
// KAURI_TRY(auto x, f()): x is the value, or the enclosing function returns the error.
#define KAURI_TRY(declaration, expression) \
  KAURI_TRY_IMPL(KAURI_CONCAT(kauri_try_, __LINE__), declaration, expression)
// KAURI_CHECK(f()): for Result<void>; the enclosing function returns the error.
#define KAURI_CHECK(expression)                                                   \
  do {                                                                            \
    if (auto kauri_check_result = (expression); !kauri_check_result) [[unlikely]] \
      return std::move(kauri_check_result).error();                               \
  } while (false)
