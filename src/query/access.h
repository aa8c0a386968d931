// Authorizer: the one question that every path asks before it shows, tests or changes data. The
// rules behind it are in security/; this is the face that query, backend and operation see.
//
// Thread safety: an Authorizer is thread-compatible: one worker (or the writer, with its own) uses
// it at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/strong_id.h"
#include "entry/entry_view.h"
#include "schema/schema.h"

namespace kauri::query {

// In rising order, each includes those before it (slapd.access(5)). kAdd and kDelete are the halves
// of kWrite.
enum class Right : std::uint8_t {
  kDisclose,
  kAuth,
  kCompare,
  kSearch,
  kRead,
  kAdd,
  kDelete,
  kWrite,
  kManage
};
inline constexpr std::size_t kRightCount = 9;

// Who asks.
struct Identity {
  std::string dn;         // as it authenticated; empty = anonymous
  std::string normal_dn;  // schema/dn_normal.h; empty = anonymous
  bool administrator = false;
  bool anonymous() const { return normal_dn.empty(); }
};

// The entry asked about. The normal DN is made only when a rule needs it.
class AccessTarget {
 public:
  virtual ~AccessTarget() = default;
  virtual EntryId id() const = 0;
  // nullptr for an entry that is not stored yet (Add).
  virtual const entry::EntryView* entry() const = 0;
  virtual std::string_view normal_dn() = 0;
};

// What of the entry: an attribute, or one of slapd's pseudo-attributes.
struct AccessAttribute {
  enum class Pseudo : std::uint8_t { kNone, kEntry, kChildren } pseudo = Pseudo::kNone;
  AttributeNumber number;                       // 0 when the description is not in the dictionary
  const schema::AttributeType* type = nullptr;  // always set when pseudo is kNone
};

class Authorizer {
 public:
  virtual ~Authorizer() = default;
  virtual const Identity& identity() const = 0;

  // The pseudo-attribute `entry`.
  bool may_entry(AccessTarget& target, Right right) {
    return ask(0, target, {AccessAttribute::Pseudo::kEntry, {}, nullptr}, right);
  }
  bool may_children(AccessTarget& target, Right right) {
    return ask(1, target, {AccessAttribute::Pseudo::kChildren, {}, nullptr}, right);
  }
  // An attribute with a dictionary number.
  bool may(AccessTarget& target, AttributeNumber number, const schema::AttributeType& type,
           Right right) {
    return ask(number.value() + std::size_t{2}, target,
               {AccessAttribute::Pseudo::kNone, number, &type}, right);
  }
  // An attribute of a request; `value` is its normal form or empty.
  bool may(AccessTarget& target, const schema::AttributeType& type, Right right) {
    const Verdict verdict = decide(target, {AccessAttribute::Pseudo::kNone, {}, &type}, right);
    return verdict == Verdict::kAllow || verdict == Verdict::kAlways;
  }

 protected:
  // kAlways/kNever: true of every entry of the database, so it is remembered for this attribute and
  // right.
  enum class Verdict : std::uint8_t { kUnknown = 0, kAllow, kDeny, kAlways, kNever };
  // Deny on any error.
  virtual Verdict decide(AccessTarget& target, const AccessAttribute& attribute, Right right) = 0;

 private:
  bool ask(std::size_t slot, AccessTarget& target, const AccessAttribute& attribute, Right right) {
    const std::size_t at = slot * kRightCount + static_cast<std::size_t>(right);
    if (at < known_.size()) {
      if (known_[at] == Verdict::kAlways) return true;
      if (known_[at] == Verdict::kNever) return false;
    }
    return ask_slowly(at, target, attribute, right);
  }
  bool ask_slowly(std::size_t at, AccessTarget& target, const AccessAttribute& attribute,
                  Right right) {
    const Verdict verdict = decide(target, attribute, right);
    if (verdict == Verdict::kAlways || verdict == Verdict::kNever) {
      if (at >= known_.size()) known_.resize(at + 1 + 16 * kRightCount, Verdict::kUnknown);
      known_[at] = verdict;
    }
    return verdict == Verdict::kAllow || verdict == Verdict::kAlways;
  }
  std::vector<Verdict> known_;
};

// Allows everything; the administrator, tools and tests.
class AllowAll final : public Authorizer {
 public:
  explicit AllowAll(Identity identity) : identity_(std::move(identity)) {}
  const Identity& identity() const override { return identity_; }

 protected:
  Verdict decide(AccessTarget&, const AccessAttribute&, Right) override { return Verdict::kAlways; }

 private:
  Identity identity_;
};

}  // namespace kauri::query
