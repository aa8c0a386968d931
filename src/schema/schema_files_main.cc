// kauri_schema_files: loads schema files on top of the built-in schema and says how that went.
//
//   kauri_schema_files [--nis rfc2307|rfc2307bis] [--warnings] FILE...
// The files are added in the order given; each may be plain text only. Prints one line for each,
// "ok" or "error" with file, line and column, then the totals. Exit status: 0 when all loaded, 1
// otherwise, 2 for wrong usage.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "schema/schema_loader.h"

namespace {

struct Options {
  kauri::schema::NisVariant nis = kauri::schema::NisVariant::kRfc2307;
  bool warnings = false;
  std::vector<std::string> files;
};

bool parse_options(int count, char** words, Options* options) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--warnings") {
      options->warnings = true;
    } else if (word == "--nis" && i + 1 < count) {
      const std::string_view variant = words[++i];
      if (variant != "rfc2307" && variant != "rfc2307bis") return false;
      options->nis = variant == "rfc2307" ? kauri::schema::NisVariant::kRfc2307
                                          : kauri::schema::NisVariant::kRfc2307bis;
    } else if (word.starts_with("--")) {
      return false;
    } else {
      options->files.emplace_back(word);
    }
  }
  return !options->files.empty();
}

}  // namespace

int main(int count, char** words) {
  Options options;
  if (!parse_options(count, words, &options)) {
    std::fputs("usage: kauri_schema_files [--nis rfc2307|rfc2307bis] [--warnings] FILE...\n",
               stderr);
    return 2;
  }
  kauri::schema::SchemaBuilder builder;
  builder.add_builtin(options.nis);
  bool ok = true;
  for (const std::string& file : options.files) {
    const auto added = builder.add_file(file);
    ok = ok && added.has_value();
    std::printf("%s %s\n", added ? "ok" : "error",
                added ? file.c_str() : added.error().message().c_str());
  }
  const auto schema = builder.build();
  if (options.warnings) {
    for (const std::string& warning : builder.warnings())
      std::printf("warning %s\n", warning.c_str());
  }
  if (!schema) {
    std::printf("error %s\n", schema.error().message().c_str());
    return 1;
  }
  std::printf("%zu attribute types, %zu object classes, %zu warnings\n",
              (*schema)->attribute_types().size(), (*schema)->object_classes().size(),
              builder.warnings().size());
  return ok ? 0 : 1;
}
