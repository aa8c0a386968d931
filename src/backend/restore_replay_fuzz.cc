// Any change record, replayed on a small database: it is made, or refused with a reason. Checksum
// and CSNs are made to fit, so that what the record says of entries is reached.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "backend/change_log.h"
#include "backend/offline.h"
#include "backend/restore_replay.h"
#include "base/assert.h"
#include "base/digest.h"
#include "base/random.h"
#include "schema/schema_loader.h"
#include "storage/test_directory.h"

namespace {

using namespace kauri;
using namespace kauri::backend;

constexpr const char* kLdif =
    "dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n"
    "entryUUID: 00010203-0405-0607-0809-0a0b0c0d0e0f\n\n"
    "dn: ou=p,dc=example,dc=com\nobjectClass: organizationalUnit\nou: p\n"
    "entryUUID: 00010203-0405-0607-0809-0a0b0c0d0e0f\n\n"
    "dn: uid=a,ou=p,dc=example,dc=com\nobjectClass: inetOrgPerson\nuid: a\ncn: A\nsn: A\n"
    "description: old\nentryUUID: 00010203-0405-0607-0809-0a0b0c0d0e0f\n";

// Made once; nothing is ever committed to it.
class World {
 public:
  World() {
    const std::string ldif = directory_.path() + "/in.ldif";
    std::ofstream(ldif) << kLdif;
    ImportOptions import;
    import.database.path = directory_.path() + "/db";
    import.files = {ldif};
    KAURI_ASSERT(import_ldif(import, schema::builtin_schema(), clock_, random_, nullptr));
    DatabaseOptions options;
    options.path = import.database.path;
    options.start_writer = false;
    auto opened = Database::open(options, schema::builtin_schema(), clock_, random_);
    KAURI_ASSERT(opened);
    database_ = std::move(*opened);
  }
  Database& database() { return *database_; }

 private:
  storage::TestDirectory directory_;
  ManualClock clock_;
  SeededRandom random_{1};
  std::unique_ptr<Database> database_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static World world;
  std::string octets(reinterpret_cast<const char*>(data), size);
  if (octets.size() < sizeof(std::uint32_t)) return 0;
  const std::uint32_t sum = crc32c(std::string_view(octets).substr(sizeof(std::uint32_t)));
  std::memcpy(octets.data(), &sum, sizeof sum);
  auto record = decode_change(octets);
  if (!record) return 0;
  const auto replay = Replay::start(world.database());
  KAURI_ASSERT(replay);
  record->previous_csn = (*replay)->csn();
  record->csn = "29990101120000.000000Z#000000#000#000000";
  const auto done = (*replay)->apply(*record, octets.size());
  if (!done) KAURI_ASSERT(!done.error().message().empty());
  return 0;
}
