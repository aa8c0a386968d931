#include "operation/controls.h"

#include "ldap/controls.h"
#include "ldap/oids.h"
#include "operation/names.h"

namespace kauri::operation {
namespace {

using ldap::Operation;
using ldap::OperationResult;
using ldap::ResultCode;

constexpr std::uint32_t bit(Operation operation) {
  return 1U << static_cast<unsigned>(operation);
}
constexpr std::uint32_t kUpdates = bit(Operation::kAddRequest) | bit(Operation::kDelRequest) |
                                   bit(Operation::kModifyRequest) |
                                   bit(Operation::kModifyDnRequest);

// Each reads its control's value; a static sentence says what is wrong with it.
using ReadValue = const char* (*)(const ldap::ControlView& control, RequestControls& out);

const char* read_paged(const ldap::ControlView& control, RequestControls& out) {
  ldap::PagedResults paged;
  const ldap::DecodeResult decoded = ldap::decode_paged_results(control.value, paged);
  if (!decoded.ok()) return decoded.why;
  out.paged = paged;
  return nullptr;
}

const char* read_manage_dsa_it(const ldap::ControlView&, RequestControls& out) {
  out.manage_dsa_it = true;
  return nullptr;
}

const char* read_permissive_modify(const ldap::ControlView&, RequestControls& out) {
  out.permissive_modify = true;
  return nullptr;
}

const char* read_explain(const ldap::ControlView& control, RequestControls& out) {
  ldap::ExplainMode mode = ldap::ExplainMode::kRun;
  const ldap::DecodeResult decoded = ldap::decode_explain(control.value, mode);
  if (!decoded.ok()) return decoded.why;
  out.explain = mode;
  out.explain_critical = control.critical;
  return nullptr;
}

struct KnownControl {
  std::string_view oid;
  std::string_view name;
  std::uint32_t operations;
  ReadValue read;
};
constexpr KnownControl kKnown[] = {
    {ldap::oids::kPagedResults, "paged results", bit(Operation::kSearchRequest), read_paged},
    {ldap::oids::kManageDsaIt, "ManageDsaIT",
     kUpdates | bit(Operation::kSearchRequest) | bit(Operation::kCompareRequest),
     read_manage_dsa_it},
    {ldap::oids::kPermissiveModify, "permissive modify", bit(Operation::kModifyRequest),
     read_permissive_modify},
    {ldap::oids::kExplain, "explain", bit(Operation::kSearchRequest), read_explain},
};

OperationResult unavailable(const ldap::ControlView& control, const char* why) {
  return ldap::failure(ResultCode::kUnavailableCriticalExtension,
                       "the critical control " + quoted(control.oid) + why);
}

}  // namespace

std::optional<OperationResult> read_controls(const ldap::Message& message, RequestControls& out) {
  const std::uint32_t operation = 1U << (message.tag & 0x1FU);
  std::uint32_t seen = 0;
  for (const ldap::ControlView& control : message.controls) {
    std::size_t index = 0;
    while (index < std::size(kKnown) && kKnown[index].oid != control.oid) ++index;
    if (index == std::size(kKnown)) {
      if (control.critical) return unavailable(control, " is not supported");
      continue;
    }
    const KnownControl& known = kKnown[index];
    if ((known.operations & operation) == 0) {
      if (control.critical) return unavailable(control, " does not fit this operation");
      continue;
    }
    if ((seen & (1U << index)) != 0) {
      return ldap::failure(ResultCode::kProtocolError,
                           "the control " + quoted(control.oid) + " was given twice");
    }
    seen |= 1U << index;
    if (const char* why = known.read(control, out); why != nullptr) {
      return ldap::failure(ResultCode::kProtocolError,
                           "the " + std::string(known.name) + " control is malformed: " + why);
    }
  }
  return std::nullopt;
}

std::vector<std::string> supported_controls() {
  std::vector<std::string> out;
  for (const KnownControl& known : kKnown) out.emplace_back(known.oid);
  return out;
}

}  // namespace kauri::operation
