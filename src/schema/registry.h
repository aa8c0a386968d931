// Registry: the Schema that a SchemaBuilder fills. Thread safety: immutable once built.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schema/name_table.h"
#include "schema/schema.h"

namespace kauri::schema {

// A syntax that only a file knows, or nobody: it accepts what its substitute does, or any octets.
class FileSyntax final : public Syntax {
 public:
  FileSyntax(std::string oid, std::string description, const Syntax* substitute);
  bool validate(std::string_view value, std::string* why) const override;
  const std::string& definition() const { return definition_; }
  void set_definition(std::string definition) { definition_ = std::move(definition); }

 private:
  struct Text {
    std::string oid;
    std::string description;
  };
  FileSyntax(std::unique_ptr<Text> text, const Syntax* substitute);

  std::unique_ptr<Text> text_;  // what the base class's views point to
  const Syntax* substitute_;
  std::string definition_;
};

class Registry final : public Schema {
 public:
  const AttributeType* attribute_type(std::string_view name_or_oid) const override {
    return types_by_name.find(name_or_oid);
  }
  const ObjectClass* object_class(std::string_view name_or_oid) const override {
    return classes_by_name.find(name_or_oid);
  }
  const WellKnown& well_known() const override { return known; }
  const std::vector<const AttributeType*>& attribute_types() const override { return type_list; }
  const std::vector<const ObjectClass*>& object_classes() const override { return class_list; }
  std::vector<std::string> subschema_values(std::string_view name) const override;

  // RETURNS: kInvalid naming a type or class that WellKnown needs and that is missing.
  Result<void> fill_well_known();

  std::vector<std::unique_ptr<AttributeType>> types;
  std::vector<std::unique_ptr<ObjectClass>> classes;
  std::vector<std::unique_ptr<FileSyntax>> syntaxes;
  // Definitions that are shown but not used: content rules, structure rules, name forms, files'
  // matching rules.
  std::map<std::string, std::vector<std::string>, std::less<>> kept;  // by lower-case attribute
  NameTable<AttributeType> types_by_name;
  NameTable<ObjectClass> classes_by_name;
  std::vector<const AttributeType*> type_list;
  std::vector<const ObjectClass*> class_list;
  WellKnown known{};

 private:
  std::vector<std::string> matching_rule_uses() const;
};

}  // namespace kauri::schema
