// Compare (RFC 4511 section 4.10).

#include <optional>
#include <string>
#include <vector>

#include "base/limit_counters.h"
#include "operation/computed_values.h"
#include "operation/handlers.h"
#include "operation/locator.h"
#include "operation/names.h"
#include "operation/service_impl.h"
#include "operation/session_impl.h"
#include "operation/worker.h"
#include "query/filter_work.h"
#include "text/stringprep.h"

namespace kauri::operation {
namespace {

using ldap::OperationResult;
using ldap::ResultCode;
using query::Right;

// The assertion, checked against the schema.
struct Assertion {
  schema::AttributeDescription description;
  const schema::MatchingRule* rule = nullptr;
  std::string_view octets;  // as the request has it
  std::string normal;
  // Of a known class, when the attribute is objectClass: an entry belongs to the superclasses of
  // its classes too, whether they are named in it or not (RFC 4512 section 3.3).
  const schema::ObjectClass* object_class = nullptr;
};

std::optional<OperationResult> read_assertion(const schema::Schema& schema,
                                              const ldap::CompareRequest& compare, Assertion& out) {
  const auto description = schema.attribute_description(compare.attribute);
  if (!description.has_value()) {
    return ldap::failure(ResultCode::kUndefinedAttributeType,
                         schema::explain_bad_description(schema, compare.attribute));
  }
  out.description = *description;
  out.rule = description->type->equality;
  out.octets = compare.value;
  if (out.rule == nullptr) {
    return ldap::failure(
        ResultCode::kInappropriateMatching,
        "the attribute type " + quoted(compare.attribute) + " has no equality rule to compare by");
  }
  if (!out.rule->normalize_assertion(schema, compare.value, out.normal)) {
    std::string why = "the value " + quoted(compare.value) + " is not valid for " +
                      std::string(out.rule->name()) + " of attribute type " +
                      quoted(compare.attribute);
    if (text::has_excess_marks(compare.value)) why.append(": ").append(text::kExcessMarks);
    return ldap::failure(ResultCode::kInvalidAttributeSyntax, std::move(why));
  }
  if (out.description.type == schema.well_known().object_class) {
    out.object_class = schema.object_class(compare.value);
  }
  return std::nullopt;
}

class Comparison {
 public:
  Comparison(const Assertion& assertion, const entry::Dictionary& dictionary,
             query::Authorizer& authorizer, query::AccessTarget& target)
      : assertion_(assertion), dictionary_(dictionary), authorizer_(authorizer), target_(target) {}

  // Values under every readable subtype; what may not be compared is as if it were absent.
  Result<void> stored(entry::ExternalValues* external) {
    for (const AttributeNumber number : dictionary_.numbers_under(assertion_.description)) {
      const auto slot = target_.entry()->find(number);
      if (!slot.has_value()) continue;
      const schema::AttributeType& type = *dictionary_.description(number).type;
      if (!authorizer_.may(target_, number, type, Right::kCompare)) continue;
      present_ = true;
      if (slot->external) {
        if (external == nullptr) continue;
        KAURI_TRY(const bool has, external->contains(target_.id(), number, assertion_.normal));
        equal_ = equal_ || has;
        continue;
      }
      add_values(slot->values);
    }
    if (!exhausted_ || equal_) return {};
    limits::count(limits::Counter::kFilterWork);
    return limit_exceeded("the comparison takes more than the limit of " +
                          std::to_string(limits::kFilterWorkMax) +
                          " steps of work: the entry has too many or too large values");
  }

  void computed(EntryComputedValues& values) {
    const schema::AttributeType& type = *assertion_.description.type;
    if (!authorizer_.may(target_, type, Right::kCompare)) return;
    std::vector<std::string> made;
    if (!values.values(target_, type, made)) return;
    present_ = !made.empty();
    for (const std::string& value : made) add(value);
  }

  OperationResult outcome(std::string_view attribute) const {
    if (equal_) return {ResultCode::kCompareTrue, {}, {}, {}};
    if (present_) return {ResultCode::kCompareFalse, {}, {}, {}};
    return ldap::failure(ResultCode::kNoSuchAttribute,
                         "the entry has no attribute " + quoted(attribute));
  }

 private:
  // Most clients ask with the very octets that are stored: those are found without normal forms of
  // all the others.
  void add_values(const entry::ValueRange& values) {
    for (const std::string_view value : values) {
      if (value != assertion_.octets) continue;
      add(value);
      break;
    }
    for (const std::string_view value : values) {
      if (equal_) return;
      add(value);
    }
  }

  void add(std::string_view value) {
    const std::uint64_t price =
        query::kValueWork + query::normal_form_work(*assertion_.rule, value);
    exhausted_ = exhausted_ || price > work_left_;
    if (exhausted_) return;
    work_left_ -= price;
    if (assertion_.object_class != nullptr) {
      const schema::ObjectClass* own = dictionary_.schema().object_class(value);
      if (own != nullptr && own->is_subclass_of(*assertion_.object_class)) equal_ = true;
      return;
    }
    scratch_.clear();
    if (!assertion_.rule->normalize(dictionary_.schema(), value, scratch_)) return;
    if (assertion_.rule->matches(scratch_, assertion_.normal)) equal_ = true;
  }

  const Assertion& assertion_;
  const entry::Dictionary& dictionary_;
  query::Authorizer& authorizer_;
  query::AccessTarget& target_;
  std::string scratch_;
  std::uint64_t work_left_ = limits::kFilterWorkMax;
  bool exhausted_ = false;
  bool present_ = false;
  bool equal_ = false;
};

Result<OperationResult> compare_virtual(const ldap::CompareRequest& compare,
                                        const Assertion& assertion, const VirtualEntry& entry) {
  query::AllowAll authorizer{query::Identity()};
  VirtualTarget target(entry);
  Comparison comparison(assertion, *entry.dictionary, authorizer, target);
  KAURI_CHECK(comparison.stored(nullptr));
  return comparison.outcome(compare.attribute);
}

Result<OperationResult> compare_stored(Request& request, const ldap::CompareRequest& compare,
                                       const Assertion& assertion, const Name& name,
                                       std::size_t database) {
  backend::ReadSession& read = request.worker.read(database);
  query::Authorizer& authorizer = request.session.authorizer(database);
  KAURI_TRY(const ReadGuard guard, ReadGuard::begin(read));
  Locator locator(read, authorizer);
  KAURI_TRY(Located located,
            locator.find(name, compare.dn, {.manage_dsa_it = request.controls.manage_dsa_it}));
  if (!located.id.has_value()) return std::move(located.failure);
  KAURI_TRY(const entry::EntryView view, read.required_entry(*located.id));
  backend::StoredTarget target(read, *located.id, view);
  if (!authorizer.may_entry(target, Right::kDisclose)) {
    return locator.no_such_object(compare.dn, view.parent());
  }
  Comparison comparison(assertion, read.database().dictionary(), authorizer, target);
  KAURI_CHECK(comparison.stored(&read.external()));
  EntryComputedValues computed(read, authorizer);
  comparison.computed(computed);
  return comparison.outcome(compare.attribute);
}

Result<OperationResult> compare_at(Request& request, const ldap::CompareRequest& compare) {
  const schema::Schema& schema = request.service.schema();
  Name name;
  if (auto bad = parse_name(schema, compare.dn, name)) return *bad;
  Assertion assertion;
  if (auto bad = read_assertion(schema, compare, assertion)) return *bad;
  if (const auto* entry = request.service.virtual_entries().find(name.normal)) {
    return compare_virtual(compare, assertion, *entry);
  }
  const auto database = request.service.database_for(name.normal);
  if (!database.has_value()) return outside_suffixes(compare.dn, request.service.suffix_list());
  return compare_stored(request, compare, assertion, name, *database);
}

}  // namespace

void handle_compare(Request& request) {
  ldap::CompareRequest& compare = request.worker.compare;
  if (!decoded(request, ldap::decode_compare(request.message.body, compare))) return;
  if (request.record != nullptr) {
    request.record->dn = compare.dn;
    request.record->attributes = compare.attribute;
  }
  const Result<OperationResult> result = compare_at(request, compare);
  answer(request,
         result ? *result : internal_failure(request.service, request.record, result.error()));
}

}  // namespace kauri::operation
