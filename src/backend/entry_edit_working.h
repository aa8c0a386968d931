// EntryEdit::Working: one attribute of an entry that is being changed. Inside EntryEdit only: its
// files are entry_edit.cc (asking and changing) and entry_edit_prepare.cc (what has to be written).
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "backend/entry_edit.h"
#include "backend/large_values.h"
#include "base/keyed_hash.h"

namespace kauri::backend {

struct EntryEdit::Working {
  struct Live {
    std::string octets;
    std::string identity;
    bool alive = true;
  };

  schema::AttributeDescription description;
  std::size_t slot = 0;  // its place in the record; of a new one, behind all that are there
  // Outside the record, as stored: where, and how many.
  bool external = false;
  AttributeNumber number;
  std::uint64_t base_count = 0;
  // In the record, as stored.
  std::vector<std::string> stored;

  bool touched = false;
  bool base_cleared = false;
  // Stored outside: identity -> octets.
  std::unordered_map<std::string, std::string, KeyedHash> removed;
  std::vector<Live> live;  // in the record: all values; outside: the added ones
  std::unordered_map<std::string, std::size_t, KeyedHash> by_identity;  // the living

  // What prepare() settled.
  bool changed = false;
  bool to_external = false;
  bool erase_all = false;
  std::vector<std::string> erase;         // keys
  std::vector<LargeValue> put;            // octets of `live`
  std::vector<std::string> final_values;  // for the record
  std::uint64_t final_count = 0;
  // For the change log, which prepare() gives them to: octets that went and came.
  std::vector<std::string> gone;
  std::vector<std::string> come;
  // For the index, of an attribute stored outside: values that were taken out and put in, also
  // those that are the same.
  std::vector<std::string> taken_out;
  std::vector<std::string> put_in;

  std::uint64_t count() const {
    if (!touched) return external ? base_count : stored.size();
    const std::uint64_t base = external && !base_cleared ? base_count - removed.size() : 0;
    return base + by_identity.size();
  }
  bool has_base_left() const { return external && !base_cleared && base_count > removed.size(); }
  std::vector<std::string> living() const {
    std::vector<std::string> out;
    for (const Live& value : live)
      if (value.alive) out.push_back(value.octets);
    return out;
  }
};

// Values of `a` that are not in `b`, octet for octet, in their order.
std::vector<std::string> values_not_in(const std::vector<std::string>& a,
                                       const std::vector<std::string>& b);

}  // namespace kauri::backend
