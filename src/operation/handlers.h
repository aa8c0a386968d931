// The handlers of the request messages (RFC 4511 section 4), one file pair each; session.cc has the
// table of them. Thread safety: confined to the worker thread.
#pragma once

#include "operation/request.h"

namespace kauri::operation {

void handle_bind(Request& request);
void handle_unbind(Request& request);
void handle_search(Request& request);
void handle_compare(Request& request);
void handle_add(Request& request);
void handle_delete(Request& request);
void handle_modify(Request& request);
void handle_modify_dn(Request& request);
void handle_abandon(Request& request);
void handle_extended(Request& request);

}  // namespace kauri::operation
