// SPDX-License-Identifier: MIT
// Landlock for files, and a seccomp filter for everything that changes something outside of the process.
#include "io/import/confine.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dermis {
namespace {

// ---- Landlock -----------------------------------------------------------------------------------------

// The kernel's own structure in its longest form; older kernels know only its start.
struct Handled {
  std::uint64_t files;
  std::uint64_t network;  // since version 4
};
constexpr std::uint64_t kTcp = 3;  // bind and connect

// Every right over files that a version of Landlock knows; rights are added at the end.
std::uint64_t file_rights(long version) {
  constexpr long kRights[] = {13, 14, 15, 15, 16};
  const long count = kRights[std::min<long>(version, std::size(kRights)) - 1];
  return (std::uint64_t{1} << count) - 1;
}

// A missing path gives no right, which is what it should give.
void allow(int rules, const std::string& path, std::uint64_t rights) {
  if (path.empty()) return;
  const int place = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (place < 0) return;
  const landlock_path_beneath_attr beneath{rights, place};
  ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
  ::close(place);
}

bool confine_files(const std::string& file, const std::string& folder) {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return false;
  const bool knows_network = version >= 4;
  const Handled handled{file_rights(version), knows_network ? kTcp : 0};
  const std::size_t size = knows_network ? sizeof(handled) : sizeof(handled.files);
  const auto rules = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, size, 0));
  if (rules < 0) return false;
  allow(rules, file, LANDLOCK_ACCESS_FS_READ_FILE);
  allow(rules, folder, LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR);
  const bool is_done = ::syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  ::close(rules);
  return is_done;
}

// ---- seccomp ------------------------------------------------------------------------------------------

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kMachine = 0;  // its calls are not numbered here
#endif
// From here on, numbers belong to a second set of calls of the same machine (x32), which could do the same.
constexpr std::uint32_t kOtherCalls = 0x40000000;

// Calls that assimp has no use for. Their answer is that they are not permitted.
constexpr long kDenied[] = {
    // The network
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_sendto,
    SYS_sendmsg,
    SYS_sendmmsg,
    // Other processes and programs
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kill,
    SYS_pidfd_send_signal,
    SYS_pidfd_getfd,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_unshare,
    SYS_setns,
    // Rings of calls, and opening by a structure, cannot be inspected here
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_openat2,
    // Files
    SYS_truncate,
    SYS_ftruncate,
    SYS_fallocate,
    SYS_unlinkat,
    SYS_renameat,
    SYS_renameat2,
    SYS_linkat,
    SYS_symlinkat,
    SYS_mkdirat,
    SYS_mknodat,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_memfd_create,
#ifdef __x86_64__
    // What newer machines have only in the forms above
    SYS_creat,
    SYS_unlink,
    SYS_rmdir,
    SYS_rename,
    SYS_link,
    SYS_symlink,
    SYS_mkdir,
    SYS_mknod,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
#endif
};
constexpr std::uint32_t kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;

// A filter in the kernel's language: each step falls through to the next unless it says otherwise.
class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    // if not this machine: deny
    steps_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0));
    deny();
    load(offsetof(seccomp_data, nr));
    steps_.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kOtherCalls, 0, 1));
    deny();
    for (const long call : kDenied) {
      steps_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
      deny();
    }
    deny_writing(SYS_openat, 2);
#ifdef __x86_64__
    deny_writing(SYS_open, 1);
#endif
    steps_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }

  bool install() {
    const sock_fprog program{static_cast<unsigned short>(steps_.size()), steps_.data()};
    return kMachine != 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  void load(std::size_t offset) {
    steps_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void deny() { steps_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)); }
  // Denies `call` if its argument number `flags`, whose low half comes first, asks for more than reading.
  void deny_writing(long call, std::size_t flags) {
    steps_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 4));
    load(offsetof(seccomp_data, args) + flags * sizeof(std::uint64_t));
    steps_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kWriting, 0, 1));
    deny();
    steps_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }

  std::vector<sock_filter> steps_;
};

}  // namespace

Confinement confine_self(const std::string& file, const std::string& folder) {
  // Both require that no program started from here could gain rights.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return {};
  Confinement confined;
  confined.reads_only_its_folder = confine_files(file, folder);
  confined.changes_nothing = Filter().install();
  return confined;
}

}  // namespace dermis
