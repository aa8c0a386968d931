#include "operation/testing/model_duel.h"

#include <algorithm>
#include <deque>

#include "operation/testing/model_directory.h"
#include "operation/testing/model_random.h"
#include "operation/testing/model_world.h"

namespace kauri::operation::testing {
namespace {

using Kind = ModelRequest::Kind;

constexpr int kSizeLimitExceeded = static_cast<int>(ldap::ResultCode::kSizeLimitExceeded);
constexpr int kNoSuchObject = static_cast<int>(ldap::ResultCode::kNoSuchObject);
// With more entries than this the duel deletes rather than adds.
constexpr std::size_t kEntriesMax = 60;
// Of the writes before a difference that are told with it.
constexpr std::size_t kChangesShown = 20;

std::string text_of(const ShownEntry& entry) {
  std::string out = entry.dn;
  for (const auto& [name, values] : entry.attributes) {
    out += " | " + name + ":";
    std::size_t shown = 0;
    for (const std::string& value : values) {
      if (++shown > 12) break;
      out += " '" + value + "'";
    }
    if (shown > 12) out += " ... of " + std::to_string(values.size());
  }
  return out;
}

std::string differences(std::vector<ShownEntry> expected, std::vector<ShownEntry> got) {
  std::sort(expected.begin(), expected.end());
  std::sort(got.begin(), got.end());
  if (expected == got) return {};
  std::string out;
  for (const ShownEntry& one : expected)
    if (std::count(got.begin(), got.end(), one) == 0) out += "\n  missing: " + text_of(one);
  for (const ShownEntry& one : got)
    if (std::count(expected.begin(), expected.end(), one) == 0)
      out += "\n  too many: " + text_of(one);
  return out.empty() ? "\n  entries came twice" : out;
}

class Duel {
 public:
  Duel(Choices& choices, const DuelOptions& options)
      : choices_(choices), options_(options), requests_(choices), world_(world_options()) {}

  DuelResult run() {
    while (result_.difference.empty() && result_.steps < options_.steps_max && !choices_.ended()) {
      ++result_.steps;
      step();
      if (result_.difference.empty() && result_.steps % options_.compare_every == 0) compare_all();
    }
    if (result_.difference.empty()) compare_all();
    return result_;
  }

 private:
  // Indexes of some of the attributes in play.
  ModelWorldOptions world_options() {
    ModelWorldOptions world;
    for (const std::string& attribute : requests_.attributes()) {
      if (attribute.find(';') != std::string::npos || !choices_.chance(70)) continue;
      const TypeFacts& type = *type_named(attribute);
      const bool equality = type.form != Form::kNoRule && type.form != Form::kOctets;
      const index::IndexKinds kinds{choices_.chance(40), equality && choices_.chance(80),
                                    type.substrings && choices_.chance(60)};
      if (kinds.any()) world.indexes.push_back({std::string(attribute), kinds});
    }
    return world;
  }

  void step() {
    if (choices_.below(1000) < options_.restart_permille) {
      world_.restart();
      who_ = Who::kNobody;
      return compare_all();
    }
    ModelRequest request = requests_.next(model_.names());
    if (request.kind == Kind::kAdd && model_.size() > kEntriesMax) request.kind = Kind::kDelete;
    // The administrator's connection stays his.
    const bool as_admin = request.kind != Kind::kBind && choices_.chance(80);
    const Expected expected = model_.ask(request, as_admin ? Who::kAdmin : who_);
    const ModelReply reply = world_.ask(request, as_admin);
    note(request, expected, reply);
    check(request, expected, reply, as_admin);
  }

  void note(const ModelRequest& request, const Expected& expected, const ModelReply& reply) {
    const bool writes = request.kind == Kind::kAdd || request.kind == Kind::kDelete ||
                        request.kind == Kind::kModify || request.kind == Kind::kRename;
    if (reply.code == 0 && writes) {
      ++result_.changes;
      last_changes_.push_back("step " + std::to_string(result_.steps) + ": " + request.text());
      if (last_changes_.size() > kChangesShown) last_changes_.pop_front();
    }
    if (!expected.codes.contains(0)) ++result_.refusals;
    result_.found += reply.entries.size();
    if (request.kind == Kind::kBind)
      who_ = reply.code != 0 || request.dn.empty() ? Who::kNobody
             : request.dn == kModelAdmin           ? Who::kAdmin
                                                   : Who::kUser;
  }

  void differ(const ModelRequest& request, const Expected& expected, const ModelReply& reply,
              const std::string& what) {
    std::string codes;
    for (const int code : expected.codes) codes += " " + std::to_string(code);
    result_.difference = "step " + std::to_string(result_.steps) + ", as " +
                         std::to_string(static_cast<int>(who_)) + ": " + request.text() + "\n " +
                         what + "; expected code" + codes + ", got " + std::to_string(reply.code) +
                         " matched '" + reply.matched_dn + "' (" + reply.diagnostic + ")";
  }

  void check(const ModelRequest& request, const Expected& expected, const ModelReply& reply,
             bool as_admin) {
    const std::size_t limit = static_cast<std::size_t>(request.size_limit);
    const bool limited = limit != 0 && expected.entries.size() > limit;
    const bool code_fits =
        limited ? reply.code == kSizeLimitExceeded : expected.codes.contains(reply.code);
    if (!code_fits)
      return differ(request, expected, reply,
                    std::string(as_admin ? "(the administrator) " : "") + "another code");
    if (reply.code == kNoSuchObject && !expected.matched.contains(reply.matched_dn))
      return differ(request, expected, reply,
                    "another matchedDN than '" + *expected.matched.begin() + "'");
    if (limited) {
      const bool subset =
          std::all_of(reply.entries.begin(), reply.entries.end(), [&](const ShownEntry& one) {
            return std::count(expected.entries.begin(), expected.entries.end(), one) == 1;
          });
      if (reply.entries.size() != limit || !subset)
        differ(request, expected, reply, "not the right part of the entries");
      return;
    }
    const bool page_too_large =
        request.page_size != 0 && std::any_of(reply.pages.begin(), reply.pages.end(),
                                              [&](std::size_t n) { return n > request.page_size; });
    if (page_too_large) return differ(request, expected, reply, "a page is too large");
    const std::string entries = differences(expected.entries, reply.entries);
    if (!entries.empty()) differ(request, expected, reply, "other entries" + entries);
  }

  void compare_all() {
    ModelRequest all;
    all.dn = kModelSuffix;
    all.filter.attribute = "objectClass";
    const ModelReply reply = world_.ask(all, true);
    const std::vector<ShownEntry> expected = model_.everything();
    const std::string entries = differences(expected, reply.entries);
    const bool code_fits = reply.code == (expected.empty() ? kNoSuchObject : 0);
    if (!entries.empty() || !code_fits)
      result_.difference = "after step " + std::to_string(result_.steps) + ", all there is: code " +
                           std::to_string(reply.code) + entries + changes_before();
    const std::string faults = world_.verify();
    if (!faults.empty())
      result_.difference += "\nafter step " + std::to_string(result_.steps) + ": " + faults;
  }

  // A difference in the entries comes from one of the writes since they were last compared.
  std::string changes_before() const {
    std::string out;
    for (const std::string& one : last_changes_) out += "\n  " + one;
    return out;
  }

  Choices& choices_;
  DuelOptions options_;
  RandomRequests requests_;
  ModelWorld world_;
  ModelDirectory model_;
  Who who_ = Who::kNobody;  // on the connection that is not the administrator's
  DuelResult result_;
  std::deque<std::string> last_changes_;
};

}  // namespace

DuelResult run_duel(Choices& choices, const DuelOptions& options) {
  return Duel(choices, options).run();
}

}  // namespace kauri::operation::testing
