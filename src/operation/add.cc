// Add (RFC 4511 section 4.7).

#include <utility>

#include "entry/schema_check.h"
#include "operation/handlers.h"
#include "operation/password_work.h"
#include "operation/service_impl.h"
#include "operation/worker.h"
#include "operation/write_request.h"

namespace kauri::operation {
namespace {

using ldap::OperationResult;
using ldap::ResultCode;

std::optional<OperationResult> read_attributes(const schema::Schema& schema,
                                               const ldap::AddRequest& add,
                                               std::vector<entry::Attribute>& out) {
  ValueCopier copier;
  out.reserve(add.attributes.size());
  for (const ldap::AttributeView& sent : add.attributes) {
    entry::Attribute attribute;
    if (auto bad = read_changeable(schema, sent.description, attribute.description)) return bad;
    for (const entry::Attribute& earlier : out) {
      if (earlier.description == attribute.description) {
        return ldap::failure(
            ResultCode::kAttributeOrValueExists,
            "the attribute " + quoted(sent.description) + " stands twice in the request");
      }
    }
    if (auto bad = copier.copy(attribute.description, sent.values, attribute.values)) return bad;
    if (auto twice = entry::check_duplicates(schema, attribute)) {
      return ldap::failure(twice->code, std::move(twice->diagnostic));
    }
    out.push_back(std::move(attribute));
  }
  return std::nullopt;
}

std::optional<OperationResult> start_add(Request& request, const ldap::AddRequest& add) {
  const schema::Schema& schema = request.service.schema();
  WriteTarget target;
  if (auto bad = find_write_target(request, add.dn, target)) return bad;
  backend::AddOperation operation;
  if (auto bad = read_attributes(schema, add, operation.attributes)) return bad;
  operation.values_are_distinct = true;
  operation.target = to_target(std::move(target.name));

  Submission submission;
  submission.request = make_write(request);
  auto& stored = submission.request->operation.emplace<backend::AddOperation>(std::move(operation));
  for (entry::Attribute& attribute : stored.attributes) {
    if (!is_password(schema, attribute.description)) continue;
    collect_clear_passwords(attribute.values, submission.clear_passwords);
  }
  submit_write(request, target.database, std::move(submission));
  return std::nullopt;
}

}  // namespace

void handle_add(Request& request) {
  ldap::AddRequest& add = request.worker.add;
  if (!decoded(request, ldap::decode_add(request.message.body, add))) return;
  if (request.record != nullptr) request.record->dn = add.dn;
  if (auto refused = start_add(request, add)) answer(request, *refused);
}

}  // namespace kauri::operation
