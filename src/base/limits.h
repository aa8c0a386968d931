// Every limit of the server in one table: name, unit, default. Each comment says what a client sees
// past it.
//
// Thread safety: immutable constants. Limits that the configuration can change take these as their
// defaults
// ([limits] in config/options).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/units.h"

namespace kauri::limits {
using namespace kauri::literals;

// --- Wire (RFC 4511) ---
// One LDAPMessage on a connection that has not authenticated; Notice of Disconnection
// (protocolError), close.
inline constexpr std::size_t kMessageSizeAnonymousMax = 256_KiB;
// One LDAPMessage on an authenticated connection; the same.
inline constexpr std::size_t kMessageSizeMax = 16_MiB;
// Nesting of BER elements inside a message; protocolError.
inline constexpr std::size_t kBerDepthMax = 160;
// Nesting of and/or/not in a filter; protocolError.
inline constexpr std::size_t kFilterDepthMax = 64;
// Nodes of one filter; adminLimitExceeded.
inline constexpr std::size_t kFilterNodesMax = 4096;
// Parts of one substrings assertion; adminLimitExceeded.
inline constexpr std::size_t kSubstringPartsMax = 64;
// Octets of the assertion values of one filter, or of one compare. What is beyond ASCII has to go
// through Unicode's tables and counts more (text/weight.h); adminLimitExceeded.
inline constexpr std::size_t kAssertionOctetsMax = 4_MiB;
// Work of one filter on one entry, in steps of about a nanosecond: query/filter_work.h has the
// prices; adminLimitExceeded.
inline constexpr std::uint64_t kFilterWorkMax = 40'000'000;
// Attribute descriptions in one search request; adminLimitExceeded.
inline constexpr std::size_t kRequestedAttributesMax = 1000;
// Controls on one request; unwillingToPerform.
inline constexpr std::size_t kControlsMax = 10;
// Changes in one modify request; adminLimitExceeded.
inline constexpr std::size_t kChangesMax = 10'000;
// Values in one add or modify request; adminLimitExceeded.
inline constexpr std::size_t kRequestValuesMax = 500'000;

// --- Names (RFC 4514) ---
// Octets of one DN; invalidDNSyntax.
inline constexpr std::size_t kDnSizeMax = 8_KiB;
// RDNs of one DN; invalidDNSyntax.
inline constexpr std::size_t kDnRdnsMax = 128;
// Attribute-value assertions of one RDN; invalidDNSyntax.
inline constexpr std::size_t kRdnAvasMax = 16;

// --- Values ---
// Combining marks in a row inside a string that is prepared (RFC 4518); invalidAttributeSyntax for
// a value, invalidDNSyntax for a name, and an assertion of a filter is Undefined. Real text has
// fewer than ten (UAX #15 calls 30 stream-safe), and ordering them costs the square of their
// number.
inline constexpr std::size_t kCombiningMarksMax = 30;
// Octets of the values of one add or modify request that are prepared for matching (binary values
// are not), beyond ASCII counting more (text/weight.h); adminLimitExceeded.
inline constexpr std::size_t kPreparedOctetsMax = 24_MiB;
// Attributes of one entry, an attribute with each set of options being one of its own;
// adminLimitExceeded.
inline constexpr std::size_t kEntryAttributesMax = 1'000;
// Octets of one attribute description with its options; adminLimitExceeded.
inline constexpr std::size_t kDescriptionSizeMax = 1'024;

// --- Authentication ---
// Octets of a clear-text password offered for a bind or a change; invalidCredentials /
// constraintViolation.
inline constexpr std::size_t kPasswordSizeMax = 4_KiB;
// Seconds from accept to the first successful bind or operation, when the peer sends nothing whole;
// close.
inline constexpr std::uint32_t kFirstRequestSecondsMax = 10;
// Jobs waiting for the hash pool; busy.
inline constexpr std::size_t kHashQueueMax = 1024;

// --- Connections ---
// Operations in flight on an authenticated connection; then the connection is not read until one
// ends.
inline constexpr std::size_t kOperationsInFlightMax = 1000;
// The same before authentication.
inline constexpr std::size_t kOperationsInFlightAnonymousMax = 16;
// Octets that the requests in flight on an authenticated connection hold; then the connection is
// not read until one ends. Two requests may always be in flight.
inline constexpr std::size_t kOperationsMemoryMax = 16_MiB;
// The same before authentication.
inline constexpr std::size_t kOperationsMemoryAnonymousMax = 1_MiB;
// Seconds that a started message may take to arrive whole; close.
inline constexpr std::uint32_t kMessageSecondsMax = 30;
// Octets waiting to be sent; the connection's searches pause and it is not read until it drains.
inline constexpr std::size_t kOutputQueueMax = 1_MiB;
// Seconds without progress while output waits; close.
inline constexpr std::uint32_t kOutputStallSecondsMax = 30;
// Octets of answers in the kernel that are not on their way: what a reader that stands still costs
// there.
inline constexpr int kUnsentOctetsMax = 256 * 1024;
// Seconds of silence after which the kernel asks whether the peer is still there, and then between
// five questions; without an answer the connection ends.
inline constexpr int kKeepAliveSeconds = 300;
inline constexpr int kKeepAliveAgainSeconds = 60;
// Octets of all buffers of one worker that are larger than kOutputQueueMax, which only a message of
// that size can make them; the slowest of their clients are disconnected.
inline constexpr std::size_t kLargeBuffersMax = 256_MiB;

// --- Operations ---
// Entries a search returns to others than the administrator, when the request asks for more;
// sizeLimitExceeded.
inline constexpr std::uint32_t kSearchSizeMax = 0;  // 0 = no limit
// Seconds a search may take for others than the administrator; timeLimitExceeded.
inline constexpr std::uint32_t kSearchSecondsMax = 3600;
// Entries examined by one search of others than the administrator; adminLimitExceeded. 0 = no
// limit.
inline constexpr std::uint64_t kLookThroughMax = 0;
// Microseconds of one turn of a long search before it gives the worker back.
inline constexpr std::uint32_t kSearchSliceMicros = 1000;
// Aliases followed for one search base or one entry; aliasDereferencingProblem.
inline constexpr std::size_t kAliasChainMax = 32;

// --- Writing ---
// Operations in one group commit.
inline constexpr std::size_t kCommitOperationsMax = 512;
// Octets of the requests in one group commit.
inline constexpr std::size_t kCommitBytesMax = 32_MiB;
// Write requests waiting for the writer; busy.
inline constexpr std::size_t kWriteQueueMax = 16384;
// Octets of them; the same.
inline constexpr std::size_t kWriteQueueBytesMax = 256_MiB;
// Different trigrams that one add or modify may bring into the indexes for substrings whatever it
// holds, and how many more for each of its values, up to so many in all. Each is a list to be
// changed, at about a microsecond, while other writers wait; adminLimitExceeded.
inline constexpr std::size_t kNewGramsMax = 20'000;
inline constexpr std::size_t kNewGramsOfValueMax = 10;
inline constexpr std::size_t kNewGramsOfAllMax = 250'000;
// Values of one attribute kept inside the entry; more go to the values table.
inline constexpr std::size_t kInlineValuesMax = 200;

// --- Storage ---
// Octets of an LMDB key.
inline constexpr std::size_t kKeySizeMax = 511;
// Octets of a normalised value inside an index or dn key; the rest is a 16-octet hash.
inline constexpr std::size_t kKeyValueMax = 440;
// Records of the change log that are kept; the oldest go first.
inline constexpr std::uint64_t kChangeLogRecordsMax = 1'000'000;

static_assert(kMessageSizeAnonymousMax <= kMessageSizeMax);
static_assert(kFilterDepthMax * 2 < kBerDepthMax);
static_assert(kKeyValueMax + 16 + 32 < kKeySizeMax);

}  // namespace kauri::limits
