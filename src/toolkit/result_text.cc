#include "toolkit/result_text.h"

#include "ldap/message.h"

namespace kauri::toolkit {

std::string describe_result(int code, std::string_view body) {
  constexpr std::size_t kDiagnosticMax = 300;
  ldap::ResultView view;
  std::string out = code < 0 ? "a result that is not BER"
                             : std::string(to_string(static_cast<ldap::ResultCode>(code)));
  if (ldap::decode_result(body, view) && !view.diagnostic.empty()) {
    out += " (" + std::string(view.diagnostic.substr(0, kDiagnosticMax)) + ")";
  }
  return out;
}

}  // namespace kauri::toolkit
