// LDAP result codes (RFC 4511 section 4.1.9 and appendix A) and the outcome of an operation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kauri::ldap {

enum class ResultCode : std::uint16_t {
  kSuccess = 0,
  kOperationsError = 1,
  kProtocolError = 2,
  kTimeLimitExceeded = 3,
  kSizeLimitExceeded = 4,
  kCompareFalse = 5,
  kCompareTrue = 6,
  kAuthMethodNotSupported = 7,
  kStrongerAuthRequired = 8,
  kReferral = 10,
  kAdminLimitExceeded = 11,
  kUnavailableCriticalExtension = 12,
  kConfidentialityRequired = 13,
  kSaslBindInProgress = 14,
  kNoSuchAttribute = 16,
  kUndefinedAttributeType = 17,
  kInappropriateMatching = 18,
  kConstraintViolation = 19,
  kAttributeOrValueExists = 20,
  kInvalidAttributeSyntax = 21,
  kNoSuchObject = 32,
  kAliasProblem = 33,
  kInvalidDnSyntax = 34,
  kAliasDereferencingProblem = 36,
  kInappropriateAuthentication = 48,
  kInvalidCredentials = 49,
  kInsufficientAccessRights = 50,
  kBusy = 51,
  kUnavailable = 52,
  kUnwillingToPerform = 53,
  kLoopDetect = 54,
  kNamingViolation = 64,
  kObjectClassViolation = 65,
  kNotAllowedOnNonLeaf = 66,
  kNotAllowedOnRdn = 67,
  kEntryAlreadyExists = 68,
  kObjectClassModsProhibited = 69,
  kAffectsMultipleDsas = 71,
  kOther = 80,
  kCanceled = 118,
  kNoSuchOperation = 119,
  kTooLate = 120,
  kCannotCancel = 121,
  kAssertionFailed = 122,
  kAuthorizationDenied = 123,
};

// The name as RFC 4511 writes it ("noSuchObject"); "result code N" for others.
// VALID UNTIL: for ever for a named code; for others until this thread asks for another unnamed
// one.
std::string_view to_string(ResultCode code);

// The outcome of one operation. Thread safety: thread-compatible. Empty strings are sent as such.
struct OperationResult {
  ResultCode code = ResultCode::kSuccess;
  std::string matched_dn;
  std::string diagnostic;  // a full sentence: the cause, the offending value, the limit, what to do
  std::vector<std::string> referrals;

  bool ok() const { return code == ResultCode::kSuccess; }
};

inline OperationResult failure(ResultCode code, std::string diagnostic,
                               std::string matched_dn = {}) {
  return {code, std::move(matched_dn), std::move(diagnostic), {}};
}

}  // namespace kauri::ldap
