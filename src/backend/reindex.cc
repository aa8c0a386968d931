// reindex() (offline.h).
#include "backend/core.h"
#include "backend/index_build.h"
#include "backend/offline.h"

namespace kauri::backend {

Result<void> reindex(Database& database, const std::vector<std::string>& attributes,
                     const std::function<void(const ImportProgress&)>& progress) {
  Core& core = database.core();
  std::vector<AttributeNumber> numbers;
  for (const std::string& name : attributes) {
    const schema::AttributeType* type = core.schema->attribute_type(name);
    const index::IndexDefinition* definition = type == nullptr ? nullptr : core.catalog.find(*type);
    if (definition == nullptr)
      return Error(ErrorCode::kNotFound, "the attribute \"" + name + "\" is " +
                                             (type == nullptr ? "not defined by the schema"
                                                              : "not indexed in this database"));
    numbers.push_back(definition->number);
  }
  if (attributes.empty())
    for (const index::IndexDefinition& one : core.catalog.definitions())
      numbers.push_back(one.number);
  if (numbers.empty()) return {};
  return build_indexes(core, numbers, progress);
}

}  // namespace kauri::backend
