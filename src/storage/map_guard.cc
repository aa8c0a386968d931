#include "storage/map_guard.h"

#include <link.h>
#include <lmdb.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

namespace kauri::storage {
namespace {

constexpr std::size_t kSlots = 64;
constexpr std::size_t kMessageMax = 4096 + 512;  // a path and its sentence
// A key or a node at the end of the map may run over it.
constexpr std::uintptr_t kNeighbourhood = 64U << 10U;

// What the handler reads: it may run at any moment, so a slot is whole before `end` shows it.
struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};  // 0: not watched
  std::array<char, kMessageMax> message{};
  std::size_t message_size = 0;
};

std::array<Slot, kSlots>& slots() {
  static std::array<Slot, kSlots> all;
  return all;
}

// Where the code of LMDB lies, when it is a library of its own.
struct Code {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};
Code lmdb_code;

int find_lmdb(dl_phdr_info* object, std::size_t, void*) {
  const auto inside = reinterpret_cast<std::uintptr_t>(&mdb_env_open);
  const auto ours = reinterpret_cast<std::uintptr_t>(&find_lmdb);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    const std::uintptr_t end = begin + part.p_memsz;
    if (part.p_type != PT_LOAD || inside < begin || inside >= end) continue;
    // Linked into the program itself: then its code is not told apart.
    if (ours < begin || ours >= end) lmdb_code = {begin, end};
    return 1;
  }
  return 0;
}

std::uintptr_t code_of(const void* context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(
      static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
#else
  static_cast<void>(context);
  return 0;
#endif
}

struct sigaction previous_segv;
struct sigaction previous_bus;

// Only what signal-safety(7) allows from here.
const Slot* slot_of(std::uintptr_t address, bool in_lmdb) {
  const Slot* open = nullptr;
  for (const Slot& slot : slots()) {
    const std::uintptr_t end = slot.end.load(std::memory_order_acquire);
    const std::uintptr_t begin = slot.begin.load(std::memory_order_relaxed);
    if (end == 0) continue;
    if (address >= begin && address < end + kNeighbourhood) return &slot;
    if (in_lmdb && open == nullptr) open = &slot;
  }
  return open;
}

void pass_on(int signal, siginfo_t* info, void* context) {
  const struct sigaction& previous = signal == SIGBUS ? previous_bus : previous_segv;
  if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(signal, info, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    return previous.sa_handler(signal);
  // The system's way: the instruction is tried again and ends the process as if nobody watched. A
  // signal that a process sent does not come by itself again.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(signal, &standard, nullptr);
  if (info->si_code <= 0) ::raise(signal);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  // Codes above 0 are the kernel's own: only they have an address.
  const std::uintptr_t code = code_of(context);
  const bool in_lmdb = code >= lmdb_code.begin && code < lmdb_code.end;
  const Slot* const slot = info->si_code > 0
                               ? slot_of(reinterpret_cast<std::uintptr_t>(info->si_addr), in_lmdb)
                               : nullptr;
  if (slot == nullptr) return pass_on(signal, info, context);
  [[maybe_unused]] const ssize_t written =
      ::write(STDERR_FILENO, slot->message.data(), slot->message_size);
  ::_exit(EXIT_FAILURE);
}

void install() {
  static std::once_flag once;
  std::call_once(once, [] {
    slots();  // made before a signal needs it
    ::dl_iterate_phdr(find_lmdb, nullptr);
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGSEGV, &action, &previous_segv);
    ::sigaction(SIGBUS, &action, &previous_bus);
  });
}

}  // namespace

MapGuard::MapGuard(const void* map, std::size_t size, const std::string& file) {
  install();
  const std::string message = "kauri: the database file " + file +
                              " is damaged (or another one that is open): a page of it leads "
                              "astray, or the disk cannot read it; run kauri verify, restore a "
                              "backup\n";
  for (std::size_t i = 0; i < kSlots; ++i) {
    Slot& slot = slots()[i];
    bool expected = false;
    if (!slot.taken.compare_exchange_strong(expected, true)) continue;
    slot.message_size = std::min(message.size(), kMessageMax);
    std::memcpy(slot.message.data(), message.data(), slot.message_size);
    slot.begin.store(reinterpret_cast<std::uintptr_t>(map), std::memory_order_relaxed);
    slot.end.store(reinterpret_cast<std::uintptr_t>(map) + size, std::memory_order_release);
    slot_ = static_cast<int>(i);
    return;
  }
}

MapGuard::~MapGuard() {
  if (slot_ < 0) return;
  Slot& slot = slots()[static_cast<std::size_t>(slot_)];
  slot.end.store(0, std::memory_order_release);
  slot.taken.store(false, std::memory_order_release);
}

MapGuard::MapGuard(MapGuard&& other) noexcept : slot_(std::exchange(other.slot_, -1)) {}

MapGuard& MapGuard::operator=(MapGuard&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

}  // namespace kauri::storage
