// Cancel (RFC 3909).

#include "ber/reader.h"
#include "operation/extended/extended.h"
#include "operation/session_impl.h"

namespace kauri::operation {

using ldap::ResultCode;

void handle_cancel(Request& request, ExtendedValue value) {
  ber::Reader reader(value.value_or(std::string_view()));
  ber::Reader fields = reader.nested(ber::kSequence);
  const auto id = static_cast<ldap::MessageId>(fields.integer_in(0, ldap::kMessageIdMax));
  if (!fields.ok() || !reader.ok()) {
    return answer(request, ldap::failure(ResultCode::kProtocolError,
                                         "the value of Cancel is not a message ID (RFC 3909)"));
  }
  switch (request.session.cancel(id, request.out)) {
    case SessionImpl::Cancelled::kYes:
      return answer(request, {});
    case SessionImpl::Cancelled::kNoSuchOperation:
      return answer(request, ldap::failure(ResultCode::kNoSuchOperation,
                                           "no operation with message ID " + std::to_string(id) +
                                               " is in progress"));
    case SessionImpl::Cancelled::kCannotCancel:
      break;
  }
  answer(request, ldap::failure(ResultCode::kCannotCancel,
                                "the operation with message ID " + std::to_string(id) +
                                    " changes data and cannot be cancelled any more"));
}

}  // namespace kauri::operation
