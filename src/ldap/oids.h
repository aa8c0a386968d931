// Object identifiers of controls, extended operations, features and responses: the protocol's names
// in one table.
//
// Which of them a server announces is decided where they are served (operation/), not here. Thread
// safety: immutable constants.
#pragma once

#include <string_view>

namespace kauri::ldap::oids {

// --- Controls ---
inline constexpr std::string_view kManageDsaIt = "2.16.840.1.113730.3.4.2";            // RFC 3296
inline constexpr std::string_view kPagedResults = "1.2.840.113556.1.4.319";            // RFC 2696
inline constexpr std::string_view kSortRequest = "1.2.840.113556.1.4.473";             // RFC 2891
inline constexpr std::string_view kSortResponse = "1.2.840.113556.1.4.474";            // RFC 2891
inline constexpr std::string_view kVlvRequest = "2.16.840.1.113730.3.4.9";             // VLV draft
inline constexpr std::string_view kVlvResponse = "2.16.840.1.113730.3.4.10";           // VLV draft
inline constexpr std::string_view kAssertion = "1.3.6.1.1.12";                         // RFC 4528
inline constexpr std::string_view kPreRead = "1.3.6.1.1.13.1";                         // RFC 4527
inline constexpr std::string_view kPostRead = "1.3.6.1.1.13.2";                        // RFC 4527
inline constexpr std::string_view kMatchedValues = "1.2.826.0.1.3344810.2.3";          // RFC 3876
inline constexpr std::string_view kProxiedAuthorization = "2.16.840.1.113730.3.4.18";  // RFC 4370
inline constexpr std::string_view kAuthorizationIdRequest = "2.16.840.1.113730.3.4.16";  // RFC 3829
inline constexpr std::string_view kAuthorizationIdResponse =
    "2.16.840.1.113730.3.4.15";                                                   // RFC 3829
inline constexpr std::string_view kSubentries = "1.3.6.1.4.1.4203.1.10.1";        // RFC 3672
inline constexpr std::string_view kPermissiveModify = "1.2.840.113556.1.4.1413";  // MS-ADTS
inline constexpr std::string_view kTreeDelete = "1.2.840.113556.1.4.805";         // MS-ADTS
inline constexpr std::string_view kNoOp = "1.3.6.1.4.1.4203.666.5.2";  // as OpenLDAP names it
inline constexpr std::string_view kNoOpRegistered = "1.3.6.1.4.1.4203.1.10.2";    // no-op draft
inline constexpr std::string_view kRelaxRules = "1.3.6.1.4.1.4203.666.5.12";      // relax draft
inline constexpr std::string_view kDontUseCopy = "1.3.6.1.1.22";                  // RFC 6171
inline constexpr std::string_view kPasswordPolicy = "1.3.6.1.4.1.42.2.27.8.5.1";  // behera draft
inline constexpr std::string_view kPasswordExpired = "2.16.840.1.113730.3.4.4";   // vchu draft
inline constexpr std::string_view kPasswordExpiring = "2.16.840.1.113730.3.4.5";  // vchu draft
inline constexpr std::string_view kDereference = "1.3.6.1.4.1.4203.666.5.16";     // masarati draft
inline constexpr std::string_view kSyncRequest = "1.3.6.1.4.1.4203.1.9.1.1";      // RFC 4533
inline constexpr std::string_view kSyncState = "1.3.6.1.4.1.4203.1.9.1.2";        // RFC 4533
inline constexpr std::string_view kSyncDone = "1.3.6.1.4.1.4203.1.9.1.3";         // RFC 4533
inline constexpr std::string_view kTransactionSpecification = "1.3.6.1.1.21.2";   // RFC 5805
// Our own, of UUID 8457a3f9-bfdc-4d70-a20b-998cb1ff2b6d (docs/reference/explain.md).
inline constexpr std::string_view kExplain = "2.25.175913151090257252757207088383519566701";

// --- Extended operations ---
inline constexpr std::string_view kStartTls = "1.3.6.1.4.1.1466.20037";         // RFC 4511
inline constexpr std::string_view kPasswordModify = "1.3.6.1.4.1.4203.1.11.1";  // RFC 3062
inline constexpr std::string_view kWhoAmI = "1.3.6.1.4.1.4203.1.11.3";          // RFC 4532
inline constexpr std::string_view kCancel = "1.3.6.1.1.8";                      // RFC 3909
inline constexpr std::string_view kTurn = "1.3.6.1.1.19";                       // RFC 4531
inline constexpr std::string_view kRefresh = "1.3.6.1.4.1.1466.101.119.1";      // RFC 2589
inline constexpr std::string_view kTransactionStart = "1.3.6.1.1.21.1";         // RFC 5805
inline constexpr std::string_view kTransactionEnd = "1.3.6.1.1.21.3";           // RFC 5805

// --- Responses without a request, and intermediate ones ---
inline constexpr std::string_view kNoticeOfDisconnection = "1.3.6.1.4.1.1466.20036";  // RFC 4511
inline constexpr std::string_view kTransactionAborted = "1.3.6.1.1.21.4";             // RFC 5805
inline constexpr std::string_view kSyncInfo = "1.3.6.1.4.1.4203.1.9.1.4";             // RFC 4533

// --- Features (supportedFeatures) ---
inline constexpr std::string_view kAllOperationalAttributes = "1.3.6.1.4.1.4203.1.5.1";  // RFC 3673
inline constexpr std::string_view kObjectClassAttributes = "1.3.6.1.4.1.4203.1.5.2";     // RFC 4529
inline constexpr std::string_view kTrueFalseFilters = "1.3.6.1.4.1.4203.1.5.3";          // RFC 4526
inline constexpr std::string_view kLanguageTags = "1.3.6.1.4.1.4203.1.5.4";              // RFC 3866
inline constexpr std::string_view kLanguageRanges = "1.3.6.1.4.1.4203.1.5.5";            // RFC 3866
inline constexpr std::string_view kModifyIncrement = "1.3.6.1.1.14";                     // RFC 4525

}  // namespace kauri::ldap::oids
