// Abandon (RFC 4511 section 4.11): has no answer, whether or not the operation is known.

#include "operation/handlers.h"
#include "operation/session_impl.h"

namespace kauri::operation {

void handle_abandon(Request& request) {
  const ldap::MessageId id = ldap::decode_abandon(request.message.body);
  if (request.record != nullptr) request.record->detail = std::to_string(id);
  log_unanswered(request);
  request.session.abandon(id);
}

}  // namespace kauri::operation
