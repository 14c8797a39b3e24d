#include "ingest/worker/limits.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <vector>

namespace lore::ingest::worker {
namespace {

constexpr rlim_t kMaxDescriptors = 32;

bool limit(int resource, rlim_t soft, rlim_t hard) {
  rlimit now{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0) return false;
  // An outer limit that is lower stays.
  rlimit wanted{std::min(soft, now.rlim_max), std::min(hard, now.rlim_max)};
  return ::setrlimit(static_cast<__rlimit_resource>(resource), &wanted) == 0;
}

#ifndef LORE_SANITIZED

/// Bytes of address space in use, mostly by the libraries of the program.
std::uint64_t address_space_in_use() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

#if defined(__x86_64__) || defined(__aarch64__)

/// System calls that reading a document never needs.
const std::vector<long>& denied_calls() {
  static const std::vector<long> calls = {
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept4,
    SYS_sendto,
    SYS_execve,
    SYS_execveat,
    SYS_clone,
    SYS_clone3,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_unlinkat,
    SYS_renameat2,
    SYS_mkdirat,
    SYS_linkat,
    SYS_symlinkat,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_truncate,
    SYS_ftruncate,
    SYS_mount,
    SYS_umount2,
    SYS_chroot,
    SYS_openat2,
    SYS_bpf,
    SYS_io_uring_setup,
    SYS_mknodat,
    SYS_kill,
    SYS_setxattr,
    SYS_utimensat,
    SYS_keyctl,
    SYS_unshare,
    SYS_setns,
#if defined(__x86_64__)
    SYS_fork,
    SYS_vfork,
    SYS_unlink,
    SYS_rename,
    SYS_renameat,
    SYS_mkdir,
    SYS_rmdir,
    SYS_link,
    SYS_symlink,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_creat,
    SYS_mknod,
    SYS_utimes,
    SYS_open,
#endif
  };
  return calls;
}

/// A filter that answers EPERM to those calls and to openat with a flag for writing.
void deny_system_calls() {
  std::vector<sock_filter> code;
  const auto statement = [&code](std::uint16_t operation, std::uint32_t value) {
    code.push_back({operation, 0, 0, value});
  };
  const auto jump = [&code](std::uint16_t operation, std::uint32_t value, std::uint8_t yes,
                            std::uint8_t no) {
    code.push_back({operation, yes, no, value});
  };
  const auto field = [](std::size_t offset) { return static_cast<std::uint32_t>(offset); };
  constexpr std::uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS;
  constexpr std::uint16_t kEqual = BPF_JMP | BPF_JEQ | BPF_K;
  constexpr std::uint16_t kAnyBit = BPF_JMP | BPF_JSET | BPF_K;
  constexpr std::uint16_t kReturn = BPF_RET | BPF_K;
  statement(kLoad, field(offsetof(seccomp_data, arch)));
  jump(kEqual, kArchitecture, 1, 0);
  statement(kReturn, SECCOMP_RET_KILL_PROCESS);
  statement(kLoad, field(offsetof(seccomp_data, nr)));
  for (const long call : denied_calls()) {
    jump(kEqual, static_cast<std::uint32_t>(call), 0, 1);
    statement(kReturn, SECCOMP_RET_ERRNO | EPERM);
  }
  jump(kEqual, static_cast<std::uint32_t>(SYS_openat), 0, 3);
  statement(kLoad, field(offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t)));
  jump(kAnyBit, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1);
  statement(kReturn, SECCOMP_RET_ERRNO | EPERM);
  statement(kReturn, SECCOMP_RET_ALLOW);
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  // Kernels and containers that know no filters still leave the limits above.
  static_cast<void>(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0));
}

#else
void deny_system_calls() {}
#endif
#endif  // LORE_SANITIZED

}  // namespace

bool apply_limits(const Request& request) {
  static_cast<void>(::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0));
  static_cast<void>(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  const auto seconds = static_cast<rlim_t>(std::max<std::uint64_t>(1, request.cpu_seconds));
  bool all = limit(RLIMIT_CORE, 0, 0) && limit(RLIMIT_FSIZE, 0, 0) &&
             limit(RLIMIT_NOFILE, kMaxDescriptors, kMaxDescriptors) &&
             limit(RLIMIT_CPU, seconds, seconds + 1);
#ifndef LORE_SANITIZED
  if (request.memory_limit > 0) {
    const auto bytes = static_cast<rlim_t>(address_space_in_use() + request.memory_limit);
    all = limit(RLIMIT_AS, bytes, bytes) && all;
  }
  deny_system_calls();
#endif
  return all;
}

}  // namespace lore::ingest::worker
