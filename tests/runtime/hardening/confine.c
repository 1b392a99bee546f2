/* Runs a command confined: `cst-confine mdwe|noexec|none COMMAND...`.
 *
 * mdwe    PR_SET_MDWE: no page that was writable becomes executable.
 * noexec  a seccomp filter: EPERM for memfd_create, for mprotect and pkey_mprotect with PROT_EXEC, and for mmap with
 * PROT_EXEC of memory without a file. Files may still be mapped executable, otherwise exec could load neither the
 * program nor its libraries. none    for the comparison.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

enum { UNAVAILABLE = 77, USAGE = 2 };

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF(test, value, yes, no) BPF_JUMP(BPF_JMP | BPF_##test | BPF_K, value, yes, no)
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)

static int deny_execution(void) {
    struct sock_filter filter[] = {
        LOAD(arch),
        IF(JEQ, AUDIT_ARCH_X86_64, 1, 0),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        IF(JEQ, SYS_memfd_create, 8, 0),
        IF(JEQ, SYS_mprotect, 4, 0),
        IF(JEQ, SYS_pkey_mprotect, 3, 0),
        IF(JEQ, SYS_mmap, 0, 4),
        LOAD(args[3]),
        IF(JSET, MAP_ANONYMOUS, 0, 2),
        LOAD(args[2]),
        IF(JSET, PROT_EXEC, 1, 0),
        RETURN(SECCOMP_RET_ALLOW),
        RETURN(SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0) return -1;
    return prctl(PR_SET_SECCOMP, (long)SECCOMP_MODE_FILTER, &program, 0L, 0L);
}

int main(int argc, char **argv) {
    int error;
    if (argc < 3) return USAGE;
    if (strcmp(argv[1], "mdwe") == 0) error = prctl(PR_SET_MDWE, 1L, 0L, 0L, 0L);
    else if (strcmp(argv[1], "noexec") == 0) error = deny_execution();
    else if (strcmp(argv[1], "none") == 0) error = 0;
    else return USAGE;
    if (error != 0) {
        perror(argv[1]);
        return UNAVAILABLE;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 127;
}
