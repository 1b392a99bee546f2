/* For test_sum_faults.py, by LD_PRELOAD: one call to the system, or all from there on, fails.
 *
 *   FAULT=KIND:N        the N-th call of a kind, of all threads, counted from 1
 *   FAULT=KIND:N+       that one and all after it
 *   FAULT=lost:N        a folder ends with its N-th entry, and there is no error: what no program could notice
 *   FAULT=untyped:N     the N-th entry of a folder comes without its type, as file systems may do
 *   FAULT=shrink:N      the file that the N-th call opens is cut to SHRINK_TO bytes beforehand
 *   FAULT_COUNTS=FILE   at the end: how many calls of each kind there were, "KIND N" a line
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define KINDS_AND_ERRORS(X)             \
    X(OPEN, "open", EMFILE)             \
    X(READ, "read", EIO)                \
    X(FSTAT, "fstat", EIO)              \
    X(STAT, "stat", EIO)                \
    X(LSEEK, "lseek", EIO)              \
    X(MMAP, "mmap", ENOMEM)             \
    X(MALLOC, "malloc", ENOMEM)         \
    X(THREAD, "pthread_create", EAGAIN) \
    X(CLOSE, "close", EIO)              \
    X(GETDENTS, "getdents", EIO)        \
    X(OPENDIR, "opendir", ENOMEM)       \
    X(GETLINE, "getline", ENOMEM)       \
    X(WRITE, "write", EIO)              \
    X(LOST, "lost", 0)                  \
    X(SHRINK, "shrink", 0)              \
    X(UNTYPED, "untyped", 0)
#define AS_KIND(kind, name, error) kind,
#define AS_ROW(kind, name, error) {name, error},
enum kind { KINDS_AND_ERRORS(AS_KIND) KINDS };
static const struct {
    const char *name;
    int error;
} kinds[KINDS] = {KINDS_AND_ERRORS(AS_ROW)};
static atomic_long calls[KINDS];
static int wanted = -1, onwards;
static long first;

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("FAULT"), *colon = text ? strchr(text, ':') : NULL;
    if (!colon) return;
    first = strtol(colon + 1, NULL, 10);
    onwards = text[strlen(text) - 1] == '+';
    for (int i = 0; i < KINDS; i++)
        if (!strncmp(text, kinds[i].name, strlen(kinds[i].name)) && text[strlen(kinds[i].name)] == ':') wanted = i;
    if (wanted < 0) _exit(99);
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("FAULT_COUNTS");
    FILE *file = path ? fopen(path, "w") : NULL;
    for (int i = 0; file && i < KINDS; i++) fprintf(file, "%s %ld\n", kinds[i].name, calls[i]);
    if (file) fclose(file);
}

static int fails(enum kind kind) {
    const long call = atomic_fetch_add(&calls[kind], 1) + 1;
    if ((int)kind != wanted || (onwards ? call < first : call != first)) return 0;
    errno = kinds[kind].error;
    return 1;
}

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

#define OPEN_AS(name)                                                              \
    int name(const char *path, int flags, ...) {                                   \
        va_list more;                                                              \
        va_start(more, flags);                                                     \
        const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;            \
        va_end(more);                                                              \
        if (fails(SHRINK) && truncate(path, atol(getenv("SHRINK_TO")))) _exit(99); \
        return fails(OPEN) ? -1 : REAL(name)(path, flags, mode);                   \
    }
OPEN_AS(open)
OPEN_AS(open64)
FILE *fopen(const char *path, const char *mode) { return fails(OPEN) ? NULL : REAL(fopen)(path, mode); }
FILE *fopen64(const char *path, const char *mode) { return fails(OPEN) ? NULL : REAL(fopen64)(path, mode); }
ssize_t read(int file, void *to, size_t n) { return fails(READ) ? -1 : REAL(read)(file, to, n); }
ssize_t write(int file, const void *from, size_t n) {
    return file == STDOUT_FILENO && fails(WRITE) ? -1 : REAL(write)(file, from, n);
}
int fstat(int file, struct stat *to) { return fails(FSTAT) ? -1 : REAL(fstat)(file, to); }
int fstat64(int file, struct stat64 *to) { return fails(FSTAT) ? -1 : REAL(fstat64)(file, to); }
int stat(const char *path, struct stat *to) { return fails(STAT) ? -1 : REAL(stat)(path, to); }
int stat64(const char *path, struct stat64 *to) { return fails(STAT) ? -1 : REAL(stat64)(path, to); }
int lstat(const char *path, struct stat *to) { return fails(STAT) ? -1 : REAL(lstat)(path, to); }
int lstat64(const char *path, struct stat64 *to) { return fails(STAT) ? -1 : REAL(lstat64)(path, to); }
off_t lseek(int file, off_t to, int whence) { return fails(LSEEK) ? -1 : REAL(lseek)(file, to, whence); }
off64_t lseek64(int file, off64_t to, int whence) { return fails(LSEEK) ? -1 : REAL(lseek64)(file, to, whence); }
void *mmap(void *at, size_t n, int access, int flags, int file, off_t from) {
    return fails(MMAP) ? MAP_FAILED : REAL(mmap)(at, n, access, flags, file, from);
}
void *mmap64(void *at, size_t n, int access, int flags, int file, off64_t from) {
    return fails(MMAP) ? MAP_FAILED : REAL(mmap64)(at, n, access, flags, file, from);
}
int pthread_create(pthread_t *to, const pthread_attr_t *how, void *(*function)(void *), void *argument) {
    return fails(THREAD) ? EAGAIN : REAL(pthread_create)(to, how, function, argument);
}
/* It is closed all the same, as Linux does it. */
int close(int file) {
    const int failed = fails(CLOSE), result = REAL(close)(file);
    if (!failed) return result;
    errno = kinds[CLOSE].error;
    return -1;
}
#define READDIR_AS(name, entry)                                                           \
    struct entry *name(DIR *folder) {                                                     \
        struct entry *found = fails(GETDENTS) || fails(LOST) ? NULL : REAL(name)(folder); \
        if (found && fails(UNTYPED)) found->d_type = DT_UNKNOWN;                          \
        return found;                                                                     \
    }
READDIR_AS(readdir, dirent)
READDIR_AS(readdir64, dirent64)
DIR *fdopendir(int file) { return fails(OPENDIR) ? NULL : REAL(fdopendir)(file); }
ssize_t getdelim(char **to, size_t *room, int end, FILE *file) {
    return fails(GETLINE) ? -1 : REAL(getdelim)(to, room, end, file);
}
ssize_t __getdelim(char **to, size_t *room, int end, FILE *file) {
    return fails(GETLINE) ? -1 : REAL(getdelim)(to, room, end, file);
}
ssize_t getline(char **to, size_t *room, FILE *file) { return getdelim(to, room, '\n', file); }

/* dlsym allocates: these are called by the names that glibc has for them itself. */
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);
void *malloc(size_t n) { return fails(MALLOC) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t each) { return fails(MALLOC) ? NULL : __libc_calloc(n, each); }
void *realloc(void *block, size_t n) { return fails(MALLOC) ? NULL : __libc_realloc(block, n); }
void *aligned_alloc(size_t align, size_t n) { return fails(MALLOC) ? NULL : __libc_memalign(align, n); }
int posix_memalign(void **to, size_t align, size_t n) {
    if (fails(MALLOC)) return ENOMEM;
    *to = __libc_memalign(align, n);
    return *to ? 0 : ENOMEM;
}
