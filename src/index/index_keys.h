// Index keys: attribute number, kind, normal value (escaped so that no key is a prefix of another
// list's records). Thread safety: immutable functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "entry/dictionary.h"
#include "entry/entry.h"
#include "index/index_catalog.h"

namespace kauri::index {

std::string presence_key(AttributeNumber number);
// Values past limits::kKeyValueMax keep their head and a digest: equality stays exact, order among
// such values does not.
std::string equality_key(AttributeNumber number, std::string_view normal_value);
bool is_truncated(std::string_view normal_value);
std::string gram_key(AttributeNumber number, std::string_view gram);

// Half-open range of equality keys: values >= low (empty = from the first), < or <= high, or with a
// prefix.
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

// All index keys of an entry under the catalog's definitions, sorted, without duplicates. Values
// under options and subtypes with their own definition are indexed under their own type's number.
// Values that cannot be normalised have presence keys only.
std::vector<std::string> keys_of_entry(const entry::Entry& entry, const IndexCatalog& catalog,
                                       const schema::Schema& schema);
// The keys of one attribute's values only (for changes of large attributes value by value).
std::vector<std::string> keys_of_values(const schema::AttributeDescription& description,
                                        const std::vector<std::string>& values,
                                        const IndexCatalog& catalog, const schema::Schema& schema);

}  // namespace kauri::index
