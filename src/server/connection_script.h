// A script of octets played against one worker and its connections: clients that send messages and
// garbage, whole and in pieces, that read or do not, half-close and go away, while a clock moves,
// answers complete and the server drains. No thread, no real time: the same octets, the same run.
//
// Thread safety: thread-compatible. For tests and fuzz targets only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kauri::server {

struct ScriptResult {
  // What went wrong; empty: nothing. Every answer is a whole message, belongs to a request and
  // comes once; what was asked whole is answered unless the connection ended; every connection
  // ends.
  std::string fault;
  std::uint64_t requests = 0;
  std::uint64_t answers = 0;
  std::uint64_t connections = 0;
  std::uint64_t timeouts = 0;  // connections that the server ended although the client did not
};

ScriptResult play_script(std::string_view octets);

}  // namespace kauri::server
