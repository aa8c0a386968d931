#include "kauri/explain.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kauri/explain_print.h"
#include "kauri/explain_source.h"
#include "kaurid/admin_password.h"
#include "kaurid/usage.h"
#include "text/visible.h"

namespace kauri::tool {
namespace {

struct Options {
  std::string uri = "ldap://127.0.0.1:1389";
  std::string bind_dn;
  std::string password_file;
  std::string base;
  std::string scope = "sub";
  std::string filter;
  std::vector<std::string> attributes;
  std::uint32_t size_limit = 0;
  unsigned timeout_seconds = 60;
  bool plan_only = false;
  bool json = false;
  bool offline = false;  // --data or --config was given
  DatabaseChoice choice;
};

constexpr std::uint64_t kSizeLimitMax = 2'147'483'647;  // maxInt of RFC 4511
constexpr std::uint64_t kTimeoutMax = 86'400;

Result<ldap::Scope> parse_scope(const std::string& text) {
  if (text == "base") return ldap::Scope::kBase;
  if (text == "one") return ldap::Scope::kOneLevel;
  if (text == "sub") return ldap::Scope::kSubtree;
  if (text == "children" || text == "subordinates") return ldap::Scope::kSubordinate;
  return invalid("--scope " + text::quoted(text) + ": expected base, one, sub or children");
}

Result<void> run(const Options& options) {
  ExplainQuestion question;
  question.search.base = options.base;
  KAURI_TRY(question.search.scope, parse_scope(options.scope));
  question.search.size_limit = static_cast<std::int32_t>(options.size_limit);
  question.search.attributes = options.attributes;
  question.filter = options.filter;
  question.mode = options.plan_only ? ldap::ExplainMode::kPlan : ldap::ExplainMode::kDiscard;
  question.bind_dn = options.bind_dn;
  if (!options.offline && options.bind_dn.empty() != options.password_file.empty())
    return invalid("a bind needs both --bind-dn and --password-file");
  if (!options.password_file.empty()) {
    KAURI_TRY(question.password, kaurid::read_password_file(options.password_file));
  }
  KAURI_TRY(const ExplainAnswer answer,
            options.offline ? explain_offline(options.choice, question)
                            : explain_online(options.uri, question, options.timeout_seconds));
  const auto plan = nlohmann::json::parse(answer.plan, nullptr, false);
  if (!plan.is_object()) return invalid("the plan that came is no JSON");
  if (options.json) {
    print_json(plan);
  } else {
    std::fputs(print_plan(plan).c_str(), stdout);
  }
  // The plan of a search that ended early is worth having all the same.
  if (answer.code != 0) return invalid("the search was answered with " + answer.diagnostic);
  return {};
}

}  // namespace

void add_explain_command(CLI::App& app, int& exit_status) {
  CLI::App* const command = app.add_subcommand(
      "explain",
      "Show the plan of a search: indexes, candidates, entries examined, time, and the index that "
      "would help. The search is run, but no entries are sent");
  const auto options = std::make_shared<Options>();
  auto* const uri =
      command->add_option("-H,--uri", options->uri, "ldap://HOST:PORT or ldapi://%2FPATH")
          ->capture_default_str();
  command->add_option("-D,--bind-dn", options->bind_dn,
                      "Bind as the administrator, the only one who may see plans");
  command->add_option("-y,--password-file", options->password_file,
                      "File whose first line is the password; - is standard input");
  command->add_option("-b,--base", options->base,
                      "Name below which to search [of the database with --data]");
  command->add_option("-s,--scope", options->scope, "base, one, sub or children")
      ->capture_default_str();
  command->add_option("filter", options->filter, "Such as (uid=alice)")->required();
  command->add_option("attributes", options->attributes, "Attributes to ask for [all]");
  command->add_option("--size-limit", options->size_limit, "Entries after which to stop [any]")
      ->check(kaurid::whole_number("entries", 0, kSizeLimitMax));
  command->add_option("--timeout", options->timeout_seconds, "Seconds that the answer may take")
      ->capture_default_str()
      ->check(kaurid::whole_number("seconds", 1, kTimeoutMax));
  command->add_flag("--plan-only", options->plan_only,
                    "Do not run the search: the plan from indexes alone");
  command->add_flag("--json", options->json, "Print the plan as JSON");
  auto* const data = command
                         ->add_option("--data", options->choice.data,
                                      "Ask the database in this directory, which no server has "
                                      "open, instead of a server")
                         ->excludes(uri);
  auto* const config =
      command->add_option("--config", options->choice.config,
                          "With --data: TOML configuration file with schema and indexes");
  config->needs(data);
  command
      ->add_option("--suffix", options->choice.suffix,
                   "With --data: which database, the name of its top entry")
      ->check(kaurid::suffix_name())
      ->needs(data);
  command->callback([options, data, &exit_status] {
    options->offline = data->count() > 0;
    if (const auto result = run(*options); !result) exit_status = fail("explain", result.error());
  });
}

}  // namespace kauri::tool
