// Where the administrator's password comes from: a file named on the command line, the
// configuration, or a password made at the first start. Thread safety: functions without state.
#pragma once

#include <string>

#include "base/random.h"
#include "base/result.h"
#include "security/password.h"

namespace kauri::kaurid {

struct AdminPassword {
  std::string hash;       // "{SCHEME}..."
  std::string generated;  // clear text to show once; empty when none was made
};

struct AdminPasswordSource {
  std::string file;             // --admin-password-file; wins
  std::string configured_hash;  // [admin] password_hash
  std::string data;             // directory that keeps the hash of a password that was made
  security::PasswordScheme scheme = security::PasswordScheme::kArgon2id;
};

// A password that is made is not kept yet: see keep_admin_password().
// RETURNS: kNotFound, kIo, kInvalid naming the file that cannot serve.
Result<AdminPassword> admin_password(const AdminPasswordSource& source, Random& random);

// Keeps the hash of a generated password in `data`, from where later starts take it. The caller
// shows the password right after: one that is kept but was never shown would lock everybody out.
// RETURNS: kIo.
Result<void> keep_admin_password(const AdminPassword& made, const std::string& data);

// The first line of a file, without its end ("-" = standard input). RETURNS: kNotFound, kIo,
// kInvalid (empty), kLimit.
Result<std::string> read_password_file(const std::string& path);

}  // namespace kauri::kaurid
