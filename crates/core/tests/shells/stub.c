/* What every program is while the gate is held against the shells: it writes down, in one write to
 * its standard error, which string it belongs to and the words it got. A name that begins with `r`
 * goes wrong, so that what follows `||` is reached too. On Linux it does without a C library, which
 * makes it start ten times faster; a run needs millions of starts. */

static char record[1 << 16];

static long fill(char **argv, char **envp) {
    long at = 0;
    const long most = (long)sizeof record - 4;
    record[at++] = 2;
    for (; *envp; envp++) {
        const char *text = *envp;
        if (text[0] == 'N' && text[1] == '=')
            for (text += 2; *text && at < most; text++) record[at++] = *text;
    }
    for (; *argv; argv++) {
        const char *text = *argv;
        record[at++] = 1;
        for (; *text && at < most; text++) record[at++] = *text;
        if (at >= most) break;
    }
    record[at++] = 3;
    return at;
}

static int fails(const char *name) {
    const char *last = name;
    for (; *name; name++)
        if (*name == '/') last = name + 1;
    return *last == 'r';
}

#ifdef BARE
#if defined(__x86_64__)
#define WRITE 1
#define EXIT 231
static long call(long number, long a, long b, long c) {
    long back;
    __asm__ volatile("syscall" : "=a"(back) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return back;
}
__asm__(".globl _start\n_start: mov %rsp, %rdi\n and $-16, %rsp\n call start\n");
#elif defined(__aarch64__)
#define WRITE 64
#define EXIT 94
static long call(long number, long a, long b, long c) {
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
}
__asm__(".globl _start\n_start: mov x0, sp\n bl start\n");
#else
#error "no start without a C library is known here"
#endif

__attribute__((used)) void start(long *stack) {
    char **argv = (char **)(stack + 1);
    char **envp = argv + stack[0] + 1;
    call(WRITE, 2, (long)record, fill(argv, envp));
    call(EXIT, fails(argv[0]), 0, 0);
    for (;;) {
    }
}
#else
#include <unistd.h>

int main(int argc, char **argv, char **envp) {
    (void)argc;
    long length = fill(argv, envp);
    return write(2, record, (unsigned long)length) != length || fails(argv[0]);
}
#endif
