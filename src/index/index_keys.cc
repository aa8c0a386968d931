#include "index/index_keys.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/digest.h"
#include "base/endian.h"
#include "base/key_sort.h"
#include "base/limits.h"

namespace kauri::index {
namespace {

// A zero octet of a value becomes 00 FF; 00 00 ends a whole value, 00 01 stands before the digest
// of one that was cut.
constexpr std::string_view kEnd("\0\0", 2);
constexpr std::string_view kCut("\0\1", 2);
constexpr std::string_view kBehindCut("\0\2", 2);

void start_key(std::string& out, AttributeNumber number, KeyKind kind) {
  out.clear();
  append_big_endian<std::uint32_t>(out, number.value());
  out += static_cast<char>(kind);
}

std::string start_key(AttributeNumber number, KeyKind kind) {
  std::string out;
  start_key(out, number, kind);
  return out;
}

std::size_t escaped_size(std::string_view value) {
  return value.size() + static_cast<std::size_t>(std::count(value.begin(), value.end(), '\0'));
}

// Appends as much of the escaped value as fits, whole octets of the value only. RETURNS: whether
// all of it did.
bool append_escaped(std::string& out, std::string_view value) {
  if (value.size() <= limits::kKeyValueMax && value.find('\0') == std::string_view::npos) {
    out.append(value);
    return true;
  }
  std::size_t room = limits::kKeyValueMax;
  for (const char octet : value) {
    const std::size_t size = octet == '\0' ? 2 : 1;
    if (size > room) return false;
    room -= size;
    out += octet;
    if (octet == '\0') out += '\xff';
  }
  return true;
}

// The first key behind all keys that begin with `prefix`. REQUIRES: not only FF octets.
std::string successor(std::string prefix) {
  while (prefix.back() == '\xff') prefix.pop_back();
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

KeyRange all_with_prefix(std::string prefix) {
  std::string last = successor(prefix);
  return {std::move(prefix), std::move(last)};
}

std::string octets_of(std::uint32_t gram) {
  return {static_cast<char>(gram >> 16U), static_cast<char>(gram >> 8U), static_cast<char>(gram)};
}

void add_superclasses(const schema::ObjectClass& object_class,
                      std::vector<const schema::ObjectClass*>& out) {
  for (const schema::ObjectClass* superior : object_class.superiors) {
    if (std::find(out.begin(), out.end(), superior) != out.end()) continue;
    out.push_back(superior);
    add_superclasses(*superior, out);
  }
}

// The trigrams of many values, each once. Many short values have few of them, and a key is dearer
// than a look here.
class GramSet {
 public:
  void add_all(std::string_view normal_value) {
    std::uint32_t gram = kBefore;
    const auto push = [&](unsigned char octet) {
      gram = (gram << 8U | octet) & 0xFFFFFFU;
      if (++seen_octets_ >= 3) add(gram);
    };
    seen_octets_ = 1;
    for (const char octet : normal_value) push(static_cast<unsigned char>(octet));
    push(kBehind);
    push(kBehind);
  }
  // RETURNS: ascending.
  const std::vector<std::uint32_t>& grams() {
    std::sort(grams_.begin(), grams_.end());
    grams_.erase(std::unique(grams_.begin(), grams_.end()), grams_.end());
    return grams_;
  }

 private:
  static constexpr unsigned char kBefore = 2;
  static constexpr unsigned char kBehind = 3;
  // As many are listed, with duplicates, before there is a bit for each possible one: 2 MiB.
  static constexpr std::size_t kListedMax = 1U << 14U;

  void add(std::uint32_t gram) {
    if (bits_.empty()) {
      grams_.push_back(gram);
      if (grams_.size() >= kListedMax) start_bits();
      return;
    }
    std::uint64_t& word = bits_[gram >> 6U];
    const std::uint64_t bit = std::uint64_t{1} << (gram & 63U);
    if ((word & bit) != 0) return;
    word |= bit;
    grams_.push_back(gram);
  }
  void start_bits() {
    bits_.resize(std::size_t{1} << 18U);
    for (const std::uint32_t gram : std::exchange(grams_, {})) add(gram);
  }

  std::vector<std::uint32_t> grams_;
  std::vector<std::uint64_t> bits_;
  std::size_t seen_octets_ = 0;
};

// Collects the keys of one attribute's values.
class KeyMaker {
 public:
  KeyMaker(const IndexDefinition& definition, const schema::Schema& schema,
           std::vector<std::string>& out)
      : definition_(definition),
        schema_(schema),
        out_(out),
        one_form_(definition.kinds.equality && definition.kinds.substring &&
                  agree(*definition.type->equality, *definition.type->substrings) &&
                  definition.type != schema.well_known().object_class) {}

  void add(std::string_view value) {
    const bool normalized = definition_.kinds.equality && add_equality(value);
    if (!definition_.kinds.substring) return;
    if (!one_form_) return add_grams(value);
    if (normalized) add_grams_of_normal();
  }
  void add_grams(std::string_view value) {
    normal_.clear();
    if (definition_.type->substrings->normalize(schema_, value, normal_)) add_grams_of_normal();
  }
  // The keys that values share: after the last one.
  void finish() {
    if (gramless_) out_.push_back(gramless_key(definition_.number));
    for (const std::uint32_t gram : grams_.grams())
      out_.push_back(gram_key(definition_.number, octets_of(gram)));
  }
  void add_presence() {
    if (definition_.kinds.presence) out_.push_back(presence_key(definition_.number));
  }

 private:
  // Whether two rules make one normal form, of the same values. The IA5 rules share it with others,
  // but refuse what is not ASCII.
  static bool agree(const schema::MatchingRule& a, const schema::MatchingRule& b) {
    const auto is_ia5 = [](const schema::MatchingRule& rule) {
      return rule.name().find("IA5") != std::string_view::npos;
    };
    return a.normal_form() == b.normal_form() && is_ia5(a) == is_ia5(b);
  }

  void add_grams_of_normal() {
    if (normal_.size() > kGramValueMax) {
      gramless_ = true;
    } else {
      grams_.add_all(normal_);
    }
  }

  // RETURNS: whether the value has a normal form, which then is in normal_.
  bool add_equality(std::string_view value) {
    const bool is_class = definition_.type == schema_.well_known().object_class;
    normal_.clear();
    const bool done = is_class ? normal_object_class(schema_, value, normal_)
                               : definition_.type->equality->normalize(schema_, value, normal_);
    if (!done) {
      out_.push_back(unnormalized_key(definition_.number));
      return false;
    }
    out_.push_back(equality_key(definition_.number, normal_));
    if (is_class) add_superclass_keys(value);
    return true;
  }

  void add_superclass_keys(std::string_view value) {
    const schema::ObjectClass* object_class = schema_.object_class(value);
    if (object_class == nullptr) return;
    std::vector<const schema::ObjectClass*> superiors;
    add_superclasses(*object_class, superiors);
    for (const schema::ObjectClass* superior : superiors) {
      normal_.clear();
      if (normal_object_class(schema_, superior->oid, normal_))
        out_.push_back(equality_key(definition_.number, normal_));
    }
  }

  const IndexDefinition& definition_;
  const schema::Schema& schema_;
  std::vector<std::string>& out_;
  const bool one_form_;  // for equality and substrings
  std::string normal_;
  GramSet grams_;
  bool gramless_ = false;
};

void sort_unique(std::vector<std::string>& keys) {
  sort_keys(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

void add_keys(const schema::AttributeDescription& description, std::span<const std::string> values,
              const IndexCatalog& catalog, const schema::Schema& schema,
              std::vector<std::string>& out) {
  const IndexDefinition* definition = catalog.find(*description.type);
  if (definition == nullptr || values.empty()) return;
  KeyMaker maker(*definition, schema, out);
  maker.add_presence();
  for (const std::string& value : values) maker.add(value);
  maker.finish();
}

}  // namespace

std::string presence_key(AttributeNumber number) {
  return start_key(number, KeyKind::kPresence);
}
std::string gramless_key(AttributeNumber number) {
  return start_key(number, KeyKind::kGramless);
}
std::string unnormalized_key(AttributeNumber number) {
  return start_key(number, KeyKind::kUnnormalized);
}

bool is_truncated(std::string_view normal_value) {
  return escaped_size(normal_value) > limits::kKeyValueMax;
}

void equality_key(AttributeNumber number, std::string_view normal_value, std::string& out) {
  start_key(out, number, KeyKind::kEquality);
  if (append_escaped(out, normal_value)) {
    out.append(kEnd);
    return;
  }
  out.append(kCut);
  const std::array<char, 16> digest = digest128(normal_value);
  out.append(digest.data(), digest.size());
}

std::string equality_key(AttributeNumber number, std::string_view normal_value) {
  std::string out;
  equality_key(number, normal_value, out);
  return out;
}

std::string gram_key(AttributeNumber number, std::string_view gram) {
  std::string out = start_key(number, KeyKind::kGram);
  append_escaped(out, gram);
  out.append(kEnd);
  return out;
}

KeyRange all_equality_keys(AttributeNumber number) {
  return all_with_prefix(start_key(number, KeyKind::kEquality));
}

KeyRange equality_keys_from(AttributeNumber number, std::string_view low_normal) {
  KeyRange range = all_equality_keys(number);
  if (low_normal.empty()) return range;
  range.first.append(append_escaped(range.first, low_normal) ? kEnd : kCut);
  return range;
}

KeyRange equality_keys_through(AttributeNumber number, std::string_view high_normal) {
  KeyRange range = all_equality_keys(number);
  range.last = range.first;
  // Block records of the last list are behind its key, but a range is of lists.
  if (append_escaped(range.last, high_normal))
    range.last.append(kEnd).push_back('\0');
  else
    range.last.append(kBehindCut);
  return range;
}

KeyRange equality_keys_with_prefix(AttributeNumber number, std::string_view normal_prefix) {
  std::string prefix = start_key(number, KeyKind::kEquality);
  append_escaped(prefix, normal_prefix);
  return all_with_prefix(std::move(prefix));
}

KeyRange gram_keys_with_prefix(AttributeNumber number, std::string_view head) {
  std::string prefix = start_key(number, KeyKind::kGram);
  append_escaped(prefix, head);
  return all_with_prefix(std::move(prefix));
}

std::vector<std::string> grams_of(std::string_view normal_value) {
  GramSet set;
  set.add_all(normal_value);
  std::vector<std::string> grams;
  grams.reserve(set.grams().size());
  for (const std::uint32_t gram : set.grams()) grams.push_back(octets_of(gram));
  return grams;
}

bool normal_object_class(const schema::Schema& schema, std::string_view value, std::string& out) {
  const schema::ObjectClass* object_class = schema.object_class(value);
  const std::string_view name = object_class == nullptr ? value : object_class->oid;
  return schema.well_known().object_class->equality->normalize(schema, name, out);
}

std::vector<std::string> keys_of_entry(const entry::Entry& entry, const IndexCatalog& catalog,
                                       const schema::Schema& schema) {
  std::vector<std::string> keys;
  for (const entry::Attribute& attribute : entry.attributes)
    add_keys(attribute.description, attribute.values, catalog, schema, keys);
  sort_unique(keys);
  return keys;
}

std::vector<std::string> keys_of_values(const schema::AttributeDescription& description,
                                        std::span<const std::string> values,
                                        const IndexCatalog& catalog, const schema::Schema& schema) {
  std::vector<std::string> keys;
  add_keys(description, values, catalog, schema, keys);
  sort_unique(keys);
  return keys;
}

std::vector<std::string> gram_keys_of_values(const schema::AttributeDescription& description,
                                             std::span<const std::string> values,
                                             const IndexCatalog& catalog,
                                             const schema::Schema& schema) {
  std::vector<std::string> keys;
  const IndexDefinition* definition = catalog.find(*description.type);
  if (definition == nullptr || !definition->kinds.substring) return keys;
  KeyMaker maker(*definition, schema, keys);
  for (const std::string& value : values) maker.add_grams(value);
  maker.finish();
  sort_unique(keys);
  return keys;
}

bool is_gram_key(std::string_view key) {
  if (key.size() <= sizeof(std::uint32_t)) return false;
  const auto kind = static_cast<KeyKind>(key[sizeof(std::uint32_t)]);
  return kind == KeyKind::kGram || kind == KeyKind::kGramless;
}

}  // namespace kauri::index
