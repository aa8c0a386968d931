// Delete (RFC 4511 section 4.8).

#include <utility>

#include "operation/handlers.h"
#include "operation/write_request.h"

namespace kauri::operation {

void handle_delete(Request& request) {
  const std::string_view dn = request.message.body;
  if (request.record != nullptr) request.record->dn = dn;
  WriteTarget target;
  if (auto refused = find_write_target(request, dn, target)) return answer(request, *refused);
  Submission submission;
  submission.request = make_write(request);
  submission.request->operation = backend::DeleteOperation{to_target(std::move(target.name))};
  submit_write(request, target.database, std::move(submission));
}

}  // namespace kauri::operation
