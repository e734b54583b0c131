// SPDX-License-Identifier: Apache-2.0
// Is preloaded into a program (LD_PRELOAD). Instead of running, the program then serves requests to
// run. A run is a fork of the program before its main(), so it costs no start. Both directions use
// the byte order of the machine.
//   standard input   a length (u32), and that many bytes of texts that end in 0: the folder to run
//                    in, the file for its output, its limits (seconds of CPU, bytes of address
//                    space; "" for none), and its arguments from the program's name on
//   standard output  its wait status, microseconds of CPU and KiB of memory (i64 each)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int (*Main)(int, char**, char**);
typedef int (*Start)(Main, int, char**, void (*)(void), void (*)(void), void (*)(void), void*);

enum { kBytesMax = 1 << 16, kTextsMax = 64 };

static int ReadExactly(void* to, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t count = read(STDIN_FILENO, (char*)to + done, bytes - done);
    if (count <= 0) return 0;
    done += (size_t)count;
  }
  return 1;
}

static void Limit(int what, const char* amount) {
  if (amount[0] == 0) return;
  const rlim_t number = strtoull(amount, NULL, 10);
  const struct rlimit limit = {number, number};
  setrlimit((__rlimit_resource_t)what, &limit);
}

// Returns the number of texts of the next request; 0 at the end.
static int NextRequest(char* bytes, char** texts) {
  uint32_t length = 0;
  if (!ReadExactly(&length, sizeof length) || length == 0 || length > kBytesMax) return 0;
  if (!ReadExactly(bytes, length) || bytes[length - 1] != 0) return 0;
  int count = 0;
  for (uint32_t at = 0; at < length && count < kTextsMax; at += (uint32_t)strlen(bytes + at) + 1) {
    texts[count++] = bytes + at;
  }
  texts[count] = NULL;
  return count > 4 ? count : 0;
}

static void Become(char** texts) {
  const int nothing = open("/dev/null", O_RDONLY);
  const int out = open(texts[1], O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (nothing < 0 || out < 0 || chdir(texts[0]) != 0) _exit(127);
  dup2(nothing, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  close(nothing);
  close(out);
  setsid();
  Limit(RLIMIT_CORE, "0");
  Limit(RLIMIT_CPU, texts[2]);
  Limit(RLIMIT_AS, texts[3]);
}

int __libc_start_main(Main main, int count, char** arguments, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void* stack_end) {
  (void)count;
  (void)arguments;
  const Start start = (Start)dlsym(RTLD_NEXT, "__libc_start_main");
  unsetenv("LD_PRELOAD");  // what it starts is to run
  static char bytes[kBytesMax];
  static char* texts[kTextsMax + 1];
  for (int texts_count; (texts_count = NextRequest(bytes, texts)) != 0;) {
    const pid_t child = fork();
    if (child == 0) {
      Become(texts);
      return start(main, texts_count - 4, texts + 4, init, fini, rtld_fini, stack_end);
    }
    int status = 0;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) != child) _exit(1);
    const int64_t reply[] = {status,
                             (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
                                 usage.ru_utime.tv_usec + usage.ru_stime.tv_usec,
                             usage.ru_maxrss};
    if (write(STDOUT_FILENO, reply, sizeof reply) != sizeof reply) _exit(1);
  }
  _exit(0);
}
