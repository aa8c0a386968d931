// Where the plan of a search comes from: a server, or a database of this machine.
//
// Thread safety: confined to the main thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "kauri/offline.h"
#include "ldap/controls.h"
#include "ldap/filter.h"
#include "ldap/message.h"

namespace kauri::tool {

struct ExplainQuestion {
  std::string bind_dn;  // empty: nobody, whom a server refuses
  std::string password;
  ldap::SearchRequestText search;
  std::string filter;
  ldap::ExplainMode mode = ldap::ExplainMode::kDiscard;
};

struct ExplainAnswer {
  int code = 0;            // of the search
  std::string diagnostic;  // with it
  std::string plan;        // JSON, as it came
};

// Takes the answers to the bind (message 1) and the search (message 2) apart as they come.
class ExplainReader {
 public:
  // One whole message. RETURNS: kInvalid when it is no answer, or the bind was refused.
  Result<void> take(std::string_view message);
  bool bound() const { return bound_; }
  bool done() const { return done_; }
  // REQUIRES: done(). RETURNS: kInvalid when the search was refused, or has no plan.
  Result<ExplainAnswer> answer() const;

 private:
  bool bound_ = false;
  bool done_ = false;
  bool has_plan_ = false;
  ExplainAnswer answer_;
};

// Appends the two requests.
Result<void> append_bind(std::string& out, const ExplainQuestion& question);
Result<void> append_search(std::string& out, const ExplainQuestion& question);

// RETURNS: kIo, kInvalid, kNotFound; what the server refused.
Result<ExplainAnswer> explain_online(const std::string& uri, const ExplainQuestion& question,
                                     unsigned timeout_seconds);
// As the administrator; the question's name and password are not used. RETURNS: kNotFound when
// there is no database, kBusy while a server has it; what the search was refused.
Result<ExplainAnswer> explain_offline(const DatabaseChoice& choice, ExplainQuestion question);

}  // namespace kauri::tool
