// LazyTarget: an AccessTarget known by its id; the entry is read only when a rule asks for it.
// Internal to operation/. Thread safety: thread-compatible.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "backend/read_session.h"
#include "query/access.h"

namespace kauri::operation {

class LazyTarget final : public query::AccessTarget {
 public:
  LazyTarget(backend::ReadSession& read, EntryId id) : read_(read), id_(id) {}

  EntryId id() const override { return id_; }
  // nullptr when it cannot be read, which denies.
  const entry::EntryView* entry() const override {
    if (!loaded_) {
      loaded_ = true;
      if (auto view = read_.entry(id_)) view_ = *view;
    }
    return view_.has_value() ? &*view_ : nullptr;
  }
  std::string_view normal_dn() override {
    if (normal_dn_.empty() && entry() != nullptr) {
      if (!read_.append_normal_dn(*entry(), normal_dn_)) normal_dn_.clear();
    }
    return normal_dn_;
  }

 private:
  backend::ReadSession& read_;
  EntryId id_;
  mutable bool loaded_ = false;
  mutable std::optional<entry::EntryView> view_;
  std::string normal_dn_;
};

}  // namespace kauri::operation
