// What the encoders of this folder share. Internal to src/ldap. Thread safety: immutable functions.
#pragma once

#include <vector>

#include "ber/writer.h"
#include "ldap/message.h"

namespace kauri::ldap::internal {

// The SEQUENCE of LDAPMessage and its id; the protocolOp is written next.
void begin_message(ber::Writer& writer, MessageId id);
// The controls, if any, and the end of the SEQUENCE.
void end_message(ber::Writer& writer, const std::vector<Control>& controls);

}  // namespace kauri::ldap::internal
