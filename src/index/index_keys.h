// Index keys: attribute number, kind, normal value, escaped so that keys sort as the values do and
// no list's key is a prefix of another's (docs/formats/index.md). Thread safety: immutable
// functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "entry/dictionary.h"
#include "entry/entry.h"
#include "index/index_catalog.h"

namespace kauri::index {

// What a list is about; the octet behind the attribute number. Persisted, never renumber.
enum class KeyKind : std::uint8_t {
  kPresence = 1,
  kEquality = 2,
  kGram = 3,
  // Entries with a value longer than kGramValueMax, whose trigrams are not indexed: they belong to
  // the answer of every substring look-up.
  kGramless = 4,
  // Entries with a value that cannot be normalised: only with them the equality keys are complete
  // for presence.
  kUnnormalized = 5,
};
// Octets of a normal value past which no trigrams of it are kept, so that one value cannot make
// more index records than this.
inline constexpr std::size_t kGramValueMax = 4096;

std::string presence_key(AttributeNumber number);
std::string gramless_key(AttributeNumber number);
std::string unnormalized_key(AttributeNumber number);
// Values past limits::kKeyValueMax (octets after escaping) keep their head and a digest: equality
// stays exact, order among such values does not.
std::string equality_key(AttributeNumber number, std::string_view normal_value);
bool is_truncated(std::string_view normal_value);
// The same into a buffer that the caller keeps; what it had is replaced.
void equality_key(AttributeNumber number, std::string_view normal_value, std::string& out);
std::string gram_key(AttributeNumber number, std::string_view gram);

// Half-open range of equality keys: values >= low (empty = from the first), <= high, or with a
// prefix. Exact unless the asserted value is_truncated(): then a few values beside it are in too.
struct KeyRange {
  std::string first;
  std::string last;
};
KeyRange all_equality_keys(AttributeNumber number);
KeyRange equality_keys_from(AttributeNumber number, std::string_view low_normal);
KeyRange equality_keys_through(AttributeNumber number, std::string_view high_normal);
KeyRange equality_keys_with_prefix(AttributeNumber number, std::string_view normal_prefix);
// All gram keys that begin with 1 or 2 octets.
KeyRange gram_keys_with_prefix(AttributeNumber number, std::string_view head);

// The trigrams of a normal value: 0x02 value 0x03 0x03, every 3 octets, without duplicates.
std::vector<std::string> grams_of(std::string_view normal_value);

// The key value of an objectClass value: the normal form of the class's OID, so that an asserted
// class meets its index key whatever name either was written with; of an unknown class, its own
// normal form. False when it has none.
bool normal_object_class(const schema::Schema& schema, std::string_view value, std::string& out);

// All index keys of an entry under the catalog's definitions, sorted, without duplicates. Values
// under options and subtypes with their own definition are indexed under their own type's number.
// Values that cannot be normalised have presence and kUnnormalized keys only. A value of
// objectClass is indexed under its class and all superclasses of that, as entries belong to them
// all (RFC 4512 section 2.4).
std::vector<std::string> keys_of_entry(const entry::Entry& entry, const IndexCatalog& catalog,
                                       const schema::Schema& schema);
// The keys of one attribute's values only (for changes of large attributes value by value).
std::vector<std::string> keys_of_values(const schema::AttributeDescription& description,
                                        std::span<const std::string> values,
                                        const IndexCatalog& catalog, const schema::Schema& schema);
// Those of them that are for substrings: trigrams, and kGramless.
std::vector<std::string> gram_keys_of_values(const schema::AttributeDescription& description,
                                             std::span<const std::string> values,
                                             const IndexCatalog& catalog,
                                             const schema::Schema& schema);
bool is_gram_key(std::string_view key);

}  // namespace kauri::index
