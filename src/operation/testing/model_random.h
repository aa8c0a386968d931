// Random requests for a model and a directory to be asked alike: of every kind, lawful and not.
//
// Swarm: each object leaves out some kinds of requests and attributes and likes others. Thread
// safety: thread-compatible. For tests and fuzz targets only.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "operation/testing/choices.h"
#include "operation/testing/model_request.h"

namespace kauri::operation::testing {

class RandomRequests {
 public:
  explicit RandomRequests(Choices& choices);

  // `present`: DNs of entries that exist, most likely to be asked for.
  ModelRequest next(const std::vector<std::string>& present);
  ModelRequest search(const std::vector<std::string>& present);
  // An attribute that the directory may be asked to index, with what its rules allow.
  std::vector<std::string> attributes() const;

 private:
  static constexpr std::size_t kKinds = 7;

  std::string some_dn(const std::vector<std::string>& present);
  std::string some_rdn();
  std::string some_attribute();
  std::string some_value(std::string_view attribute);
  std::vector<std::string> some_values(std::string_view attribute);
  std::vector<std::string> many_members();
  FilterTree some_filter(int depth);
  FilterTree some_leaf();
  void make_add(const std::vector<std::string>& present, ModelRequest& request);
  void make_modify(ModelRequest& request);
  void make_search(ModelRequest& request);
  ModelRequest::Kind some_kind();

  Choices& choices_;
  std::array<unsigned, kKinds> weights_{};
  std::vector<std::string> attributes_;
  unsigned unlawful_percent_ = 0;  // of what is named wrongly or has wrong values
  unsigned many_percent_ = 0;      // of changes with very many values
};

}  // namespace kauri::operation::testing
