// A Record that owns its octets, for comparisons. For the tests and the fuzz target of ldif/.
// Thread safety: thread-compatible.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ldif/reader.h"

namespace kauri::ldif {

// All of a record but its line numbers, as text that two records share exactly when they say the
// same.
inline std::string describe(const Record& record) {
  std::string text = std::string(to_string(record.kind)) + " <" + std::string(record.dn) + ">";
  for (const Control& control : record.controls) {
    text += "\ncontrol " + std::string(control.oid) + (control.critical ? " true" : " false");
    if (control.value) text += " <" + std::string(*control.value) + ">";
  }
  const auto add_value = [&](const AttributeValue& value) {
    text += "\n" + std::string(value.description) + "=<" + std::string(value.value) + ">";
  };
  if (record.kind == RecordKind::kModDn) {
    text += "\nnewrdn <" + std::string(record.new_rdn) +
            (record.delete_old_rdn ? "> delete" : "> keep");
    if (record.new_superior) text += " to <" + std::string(*record.new_superior) + ">";
  } else if (record.kind == RecordKind::kModify) {
    for (const Modification& modification : record.modifications) {
      text += "\n" + std::string(to_string(modification.kind)) + " " +
              std::string(modification.description);
      for (const AttributeValue& value : record.values_of(modification)) add_value(value);
    }
  } else {
    for (const AttributeValue& value : record.attributes) add_value(value);
  }
  return text;
}

// Gives out at most `step` octets at a time.
class SlowSource final : public Source {
 public:
  SlowSource(std::string_view octets, std::size_t step) : inner_(octets), step_(step) {}
  Result<std::size_t> read(char* out, std::size_t size) override {
    return inner_.read(out, std::min(size, step_));
  }

 private:
  StringSource inner_;
  std::size_t step_;
};

// Every record, in describe()'s form, and every error ("error: ..."), until the end.
inline std::vector<std::string> read_all(std::string_view text, ReaderOptions options = {},
                                         std::size_t step = 1U << 20U) {
  SlowSource source(text, step);
  Reader reader(source, std::move(options));
  std::vector<std::string> out;
  Record record;
  for (;;) {
    auto more = reader.next(record);
    if (!more) {
      out.push_back("error: " + more.error().message());
      continue;
    }
    if (!*more) return out;
    out.push_back(describe(record));
  }
}

}  // namespace kauri::ldif
