#include "ldap/result_code.h"

#include <array>
#include <cstdio>

namespace kauri::ldap {
namespace {

struct NamedCode {
  ResultCode code;
  std::string_view name;
};
constexpr NamedCode kNames[] = {
    {ResultCode::kSuccess, "success"},
    {ResultCode::kOperationsError, "operationsError"},
    {ResultCode::kProtocolError, "protocolError"},
    {ResultCode::kTimeLimitExceeded, "timeLimitExceeded"},
    {ResultCode::kSizeLimitExceeded, "sizeLimitExceeded"},
    {ResultCode::kCompareFalse, "compareFalse"},
    {ResultCode::kCompareTrue, "compareTrue"},
    {ResultCode::kAuthMethodNotSupported, "authMethodNotSupported"},
    {ResultCode::kStrongerAuthRequired, "strongerAuthRequired"},
    {ResultCode::kReferral, "referral"},
    {ResultCode::kAdminLimitExceeded, "adminLimitExceeded"},
    {ResultCode::kUnavailableCriticalExtension, "unavailableCriticalExtension"},
    {ResultCode::kConfidentialityRequired, "confidentialityRequired"},
    {ResultCode::kSaslBindInProgress, "saslBindInProgress"},
    {ResultCode::kNoSuchAttribute, "noSuchAttribute"},
    {ResultCode::kUndefinedAttributeType, "undefinedAttributeType"},
    {ResultCode::kInappropriateMatching, "inappropriateMatching"},
    {ResultCode::kConstraintViolation, "constraintViolation"},
    {ResultCode::kAttributeOrValueExists, "attributeOrValueExists"},
    {ResultCode::kInvalidAttributeSyntax, "invalidAttributeSyntax"},
    {ResultCode::kNoSuchObject, "noSuchObject"},
    {ResultCode::kAliasProblem, "aliasProblem"},
    {ResultCode::kInvalidDnSyntax, "invalidDNSyntax"},
    {ResultCode::kAliasDereferencingProblem, "aliasDereferencingProblem"},
    {ResultCode::kInappropriateAuthentication, "inappropriateAuthentication"},
    {ResultCode::kInvalidCredentials, "invalidCredentials"},
    {ResultCode::kInsufficientAccessRights, "insufficientAccessRights"},
    {ResultCode::kBusy, "busy"},
    {ResultCode::kUnavailable, "unavailable"},
    {ResultCode::kUnwillingToPerform, "unwillingToPerform"},
    {ResultCode::kLoopDetect, "loopDetect"},
    {ResultCode::kNamingViolation, "namingViolation"},
    {ResultCode::kObjectClassViolation, "objectClassViolation"},
    {ResultCode::kNotAllowedOnNonLeaf, "notAllowedOnNonLeaf"},
    {ResultCode::kNotAllowedOnRdn, "notAllowedOnRDN"},
    {ResultCode::kEntryAlreadyExists, "entryAlreadyExists"},
    {ResultCode::kObjectClassModsProhibited, "objectClassModsProhibited"},
    {ResultCode::kAffectsMultipleDsas, "affectsMultipleDSAs"},
    {ResultCode::kOther, "other"},
    {ResultCode::kCanceled, "canceled"},
    {ResultCode::kNoSuchOperation, "noSuchOperation"},
    {ResultCode::kTooLate, "tooLate"},
    {ResultCode::kCannotCancel, "cannotCancel"},
    {ResultCode::kAssertionFailed, "assertionFailed"},
    {ResultCode::kAuthorizationDenied, "authorizationDenied"},
};

constexpr std::size_t kCodesEnd = 124;  // past the largest code that has a name

// The names by their code.
constexpr std::array<std::string_view, kCodesEnd> kNameByCode = [] {
  std::array<std::string_view, kCodesEnd> names = {};
  for (const NamedCode& named : kNames) names[static_cast<std::size_t>(named.code)] = named.name;
  return names;
}();

}  // namespace

std::string_view to_string(ResultCode code) {
  const auto number = static_cast<std::size_t>(code);
  if (number < kCodesEnd && !kNameByCode[number].empty()) return kNameByCode[number];
  thread_local char text[24];
  const int size = std::snprintf(text, sizeof(text), "result code %u", static_cast<unsigned>(code));
  return {text, static_cast<std::size_t>(size)};
}

}  // namespace kauri::ldap
