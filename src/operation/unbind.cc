// Unbind (RFC 4511 section 4.3): has no answer; nothing after it on the connection is served.

#include "operation/handlers.h"
#include "operation/session_impl.h"

namespace kauri::operation {

void handle_unbind(Request& request) {
  log_unanswered(request);
  request.session.unbind();
}

}  // namespace kauri::operation
