#include "operation/virtual_entry.h"

#include <ctime>
#include <utility>

#include "ldap/oids.h"
#include "operation/controls.h"
#include "operation/extended/extended.h"
#include "schema/dn_normal.h"

namespace kauri::operation {
namespace {

// Elective features (RFC 4512 section 5.1.5).
constexpr std::string_view kFeatures[] = {
    ldap::oids::kAllOperationalAttributes, ldap::oids::kObjectClassAttributes,
    ldap::oids::kTrueFalseFilters,         ldap::oids::kLanguageTags,
    ldap::oids::kModifyIncrement,
};

constexpr std::string_view kSubschemaAttributes[] = {
    "attributeTypes",  "objectClasses",   "ldapSyntaxes", "matchingRules",
    "matchingRuleUse", "dITContentRules", "nameForms",    "dITStructureRules",
};

class EntryMaker {
 public:
  explicit EntryMaker(const schema::Schema& schema) : schema_(schema) {}

  // A type that the schema lacks is left out: nobody could ask for it.
  void add(std::string_view type, std::vector<std::string> values) {
    const schema::AttributeType* known = schema_.attribute_type(type);
    if (known == nullptr || values.empty()) return;
    entry_.find_or_add({known, {}}).values = std::move(values);
  }

  Result<void> finish(std::string dn, entry::Dictionary& dictionary, VirtualEntry& out) {
    entry_.rdn = dn;
    out.dn = std::move(dn);
    KAURI_TRY(out.normal_dn, schema::normalize_dn(schema_, out.dn));
    out.dictionary = &dictionary;
    out.record = entry::encode_entry(entry_, dictionary);
    KAURI_TRY(out.view, entry::EntryView::parse(out.record));
    return {};
  }

 private:
  const schema::Schema& schema_;
  entry::Entry entry_;
};

std::string generalized_time(std::int64_t micros) {
  const auto seconds = static_cast<std::time_t>(micros / 1'000'000);
  std::tm broken{};
  gmtime_r(&seconds, &broken);
  char text[32];
  const std::size_t size = std::strftime(text, sizeof text, "%Y%m%d%H%M%SZ", &broken);
  return {text, size};
}

}  // namespace

Result<std::unique_ptr<VirtualEntries>> VirtualEntries::make(
    const std::shared_ptr<const schema::Schema>& schema, const std::vector<std::string>& suffixes,
    std::int64_t now_micros) {
  std::unique_ptr<VirtualEntries> made(new VirtualEntries(schema));

  EntryMaker root(*schema);
  root.add("objectClass", {"top"});
  root.add("namingContexts", suffixes);
  root.add("subschemaSubentry", {std::string(kSubschemaDn)});
  root.add("supportedLDAPVersion", {"3"});
  root.add("supportedControl", supported_controls());
  root.add("supportedExtension", supported_extensions());
  root.add("supportedFeatures", {std::begin(kFeatures), std::end(kFeatures)});
  root.add("vendorName", {"Kauri"});
  root.add("vendorVersion", {"Kauri " KAURI_VERSION});
  root.add("structuralObjectClass", {"top"});
  KAURI_CHECK(root.finish("", made->dictionary_, made->root_dse_));

  EntryMaker sub(*schema);
  sub.add("objectClass", {"top", "subentry", "subschema", "extensibleObject"});
  sub.add("cn", {"Subschema"});
  for (const std::string_view name : kSubschemaAttributes) {
    sub.add(name, schema->subschema_values(name));
  }
  const std::string now = generalized_time(now_micros);
  sub.add("createTimestamp", {now});
  sub.add("modifyTimestamp", {now});
  sub.add("structuralObjectClass", {"subentry"});
  sub.add("subschemaSubentry", {std::string(kSubschemaDn)});
  sub.add("entryDN", {std::string(kSubschemaDn)});
  sub.add("hasSubordinates", {"FALSE"});
  sub.add("numSubordinates", {"0"});
  KAURI_CHECK(sub.finish(std::string(kSubschemaDn), made->dictionary_, made->subschema_));
  return made;
}

const VirtualEntry* VirtualEntries::find(std::string_view normal_dn) const {
  if (normal_dn.empty()) return &root_dse_;
  if (normal_dn == subschema_.normal_dn) return &subschema_;
  return nullptr;
}

}  // namespace kauri::operation
