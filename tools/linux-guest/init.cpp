// The first process of a guest of `flashloom linux`. It mounts the host's files (hostfs, read-only, under an overlay in
// memory), runs a script or a shell, reports its exit code, and shuts the machine down in order. It is linked
// statically, since it starts before there is a root with libraries.
//
// Script and output folder are not on the kernel's command line, since the guest's entropy depends on that. Instead the
// working folder of User-Mode Linux has "script", a file for /bin/sh (if missing: an interactive shell), and "out", a
// link to the host's folder to mount at /out (if missing: none). This process finds that folder through the host's
// /proc/self, which stands for the User-Mode Linux as long as the guest has no /proc. Reports go to the first serial
// line: "stat" lines, then "exit N", N as a shell's $?. The output of a script goes to the second line, that of a shell
// to the console.
#include <fcntl.h>
#include <glob.h>
#include <mntent.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr const char* kRoot = "/tmp/root";
int reports = -1;

void report(const std::string& line) {
  const std::string text = line + "\n";
  if (reports < 0 || ::write(reports, text.data(), text.size()) < 0) std::perror("report");
}

[[noreturn]] void power_off() {
  ::sync();
  ::reboot(RB_POWER_OFF);
  ::_exit(1);
}

[[noreturn]] void give_up(const std::string& what) {
  report(std::string("error ").append(what).append(": ").append(std::strerror(errno)));
  power_off();
}

void mount_at(const char* type, const std::string& place, const char* data = nullptr, unsigned long flags = 0) {
  if (::mount(type, place.c_str(), type, flags, data) != 0) give_up(std::string(type) + " on " + place);
}

int open_line(const char* name) {
  const int line = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios settings{};
  if (line < 0 || ::tcgetattr(line, &settings) != 0) return line;
  ::cfmakeraw(&settings);  // passes bytes unchanged
  ::tcsetattr(line, TCSANOW, &settings);
  return line;
}

// What programs expect in /dev beside devices.
void link_descriptors(const std::string& folder) {
  constexpr const char* kLinks[][2] = {{"fd", "/proc/self/fd"},
                                       {"stdin", "/proc/self/fd/0"},
                                       {"stdout", "/proc/self/fd/1"},
                                       {"stderr", "/proc/self/fd/2"}};
  for (const auto& [name, target] : kLinks)
    if (::symlink(target, (folder + name).c_str()) != 0) give_up(folder + name);
}

void enter_root(const std::string& out) {
  const std::string root = kRoot;
  mount_at("tmpfs", "/tmp");
  for (const char* const folder : {"/tmp/upper", "/tmp/work", kRoot}) ::mkdir(folder, 0755);
  mount_at("overlay", root, "lowerdir=/,upperdir=/tmp/upper,workdir=/tmp/work");
  mount_at("proc", root + "/proc");
  mount_at("sysfs", root + "/sys");
  mount_at("devtmpfs", root + "/dev");
  for (const char* const folder : {"/dev/shm", "/dev/pts"}) ::mkdir((root + folder).c_str(), 01777);
  mount_at("tmpfs", root + "/dev/shm");
  ::mount("devpts", (root + "/dev/pts").c_str(), "devpts", 0, "gid=5,mode=620,ptmxmode=666");  // not in every kernel
  link_descriptors(root + "/dev/");
  ::mkdir((root + "/out").c_str(), 0755);
  if (!out.empty()) mount_at("hostfs", root + "/out", out.c_str());
  if (::chroot(kRoot) != 0 || ::chdir("/") != 0) give_up(root);
}

// Unmounts the drives that the script left mounted, the newest first.
void unmount_all() {
  std::vector<std::string> places;
  if (FILE* const mounts = ::setmntent("/proc/mounts", "r"); mounts != nullptr) {
    while (const mntent* const entry = ::getmntent(mounts))
      if (std::strncmp(entry->mnt_fsname, "/dev/", 5) == 0) places.emplace_back(entry->mnt_dir);
    ::endmntent(mounts);
  }
  for (auto place = places.rbegin(); place != places.rend(); ++place)
    if (*place != "/") ::umount2(place->c_str(), 0);
}

// Reports the block layer's counters of each drive: "stat NAME" and the numbers of Documentation/block/stat.rst.
void report_drives() {
  glob_t found{};
  if (::glob("/sys/block/nvme*/stat", 0, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) {
      const std::string path = found.gl_pathv[i];
      const std::string drive = path.substr(0, path.rfind('/'));
      std::string line = std::string("stat ").append(drive.substr(drive.rfind('/') + 1));
      FILE* const file = std::fopen(path.c_str(), "r");
      unsigned long long number = 0;
      while (file != nullptr && std::fscanf(file, "%llu", &number) == 1)
        line.append(" ").append(std::to_string(number));
      if (file != nullptr) std::fclose(file);
      report(line);
    }
  }
  ::globfree(&found);
}

[[noreturn]] void become_script(const std::string& script) {
  ::setsid();
  const int output = script.empty() ? ::open("/dev/console", O_RDWR) : open_line("/dev/ttyS1");
  const int input = script.empty() ? output : ::open("/dev/null", O_RDONLY);
  if (script.empty()) ::ioctl(output, TIOCSCTTY, 1);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
  ::setenv("HOME", "/root", 1);
  ::setenv("LC_ALL", "C.UTF-8", 1);
  if (script.empty())
    ::execl("/bin/sh", "sh", "-i", nullptr);
  else
    ::execl("/bin/sh", "sh", script.c_str(), nullptr);
  std::perror("/bin/sh");
  ::_exit(127);
}

// The target of a symbolic link; empty if there is no link.
std::string target_of(const std::string& link) {
  char path[4096];
  const ssize_t bytes = ::readlink(link.c_str(), path, sizeof path);
  return bytes < 0 ? std::string() : std::string(path, static_cast<std::size_t>(bytes));
}

}  // namespace

int main() {
  const std::string folder = target_of("/proc/self/cwd");
  const std::string script = ::access((folder + "/script").c_str(), R_OK) == 0 ? folder + "/script" : "";
  enter_root(target_of(folder + "/out"));
  reports = open_line("/dev/ttyS0");
  const pid_t child = ::fork();
  if (child == 0) become_script(script);
  int status = 0;
  while (true) {
    const pid_t ended = ::wait(&status);
    if (ended == child || (ended < 0 && errno == ECHILD)) break;
  }
  ::kill(-1, SIGKILL);
  while (::wait(nullptr) > 0) {
  }
  unmount_all();
  report_drives();
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  report(std::string("exit ").append(std::to_string(code)));
  power_off();
}
