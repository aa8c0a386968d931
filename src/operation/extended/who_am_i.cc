// Who am I? (RFC 4532): the authorization identity, empty for anonymous.

#include "operation/extended/extended.h"
#include "operation/session_impl.h"

namespace kauri::operation {

void handle_who_am_i(Request& request, ExtendedValue value) {
  if (value.has_value()) {
    return answer(request, ldap::failure(ldap::ResultCode::kProtocolError,
                                         "Who am I? takes no request value (RFC 4532)"));
  }
  const query::Identity& identity = request.session.identity();
  answer_extended(request, {}, identity.anonymous() ? std::string() : "dn:" + identity.dn);
}

}  // namespace kauri::operation
