/* The lines of a file as a column: one behind the other without their ends; offsets[i] says where line i begins. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct lines {
    char *data;
    int64_t *offsets; /* n + 1 */
    size_t n, bytes;
};

static void die(const char *what, const char *why) {
    fprintf(stderr, "columns: %s: %s\n", what, why);
    exit(1);
}

static void *enough(void *memory) {
    if (!memory) die("memory", "not enough");
    return memory;
}

static struct lines read_lines(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) die(path, "cannot be read");
    struct lines l = {enough(malloc(1)), enough(malloc(sizeof *l.offsets)), 0, 0};
    char *line = NULL;
    size_t size = 0, room = 1, places = 1;
    l.offsets[0] = 0;
    for (ssize_t length; (length = getline(&line, &size, f)) >= 0; l.n++) {
        if (length && line[length - 1] == '\n') length--;
        while (l.bytes + (size_t)length > room) l.data = enough(realloc(l.data, room = 2 * room + 4096));
        if (l.n + 1 >= places) l.offsets = enough(realloc(l.offsets, (places *= 2) * sizeof *l.offsets));
        memcpy(l.data + l.bytes, line, (size_t)length);
        l.offsets[l.n + 1] = (int64_t)(l.bytes += (size_t)length);
    }
    fclose(f);
    free(line);
    return l;
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* As hexadecimal digits, one a line; how long they took, to standard error. */
static void print_digests(const struct lines *l, const unsigned char *digests, size_t digest_bytes, double ms) {
    for (size_t i = 0; i < l->n; i++) {
        for (size_t j = 0; j < digest_bytes; j++) printf("%02x", digests[i * digest_bytes + j]);
        printf("\n");
    }
    fprintf(stderr, "%zu lines, %zu bytes: %.3f ms\n", l->n, l->bytes, ms);
}
