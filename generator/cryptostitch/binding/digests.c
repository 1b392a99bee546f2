/* Digests of many bytes objects by one call: what ctypes would do for each of them takes half as long as the digest of
 * a short message. The prototypes are those of Python's stable ABI (docs.python.org/3/c-api/stable.html), which every
 * CPython from 3.2 on keeps: this needs no headers of Python, and serves all of its versions. The interpreter that
 * loads it has the functions.
 */
#include <stddef.h>
#include <stdint.h>

typedef struct _object PyObject;
extern intptr_t PyTuple_Size(PyObject *tuple);
extern PyObject *PyTuple_GetItem(PyObject *tuple, intptr_t at);
extern int PyList_SetItem(PyObject *list, intptr_t at, PyObject *item);
extern int PyBytes_AsStringAndSize(PyObject *bytes, char **data, intptr_t *size);
extern PyObject *PyBytes_FromStringAndSize(const char *data, intptr_t size);
extern void *PyEval_SaveThread(void);
extern void PyEval_RestoreThread(void *state);
extern void PyErr_Clear(void);

typedef int DigestMany(const void *key, size_t n, const void *const *in, const size_t *in_len, void *tags,
                       size_t tag_len, size_t stride);

/* What a call holds is on the stack, of threads that may have 32 KiB altogether. */
enum { AT_ONCE = 64, MOST_DIGEST = 64, NOT_BYTES = 1 };

/* digest_many: cst_digest_many. Puts the digest of each item of the tuple, of `length` bytes, at most 64, into the
 * list, which has as many items. Other threads run while the library works. Returns 0; NOT_BYTES: an item is something
 * else, and the caller must find another way for all of them; or an error of the library. -1 with an exception: no
 * memory. */
__attribute__((visibility("default"))) int cst_python_digests(const void *key, DigestMany *digest_many, PyObject *tuple,
                                                              size_t length, PyObject *list) {
    const void *in[AT_ONCE];
    size_t sizes[AT_ONCE];
    char digests[AT_ONCE * MOST_DIGEST];
    const intptr_t n = PyTuple_Size(tuple);
    for (intptr_t first = 0; first < n; first += AT_ONCE) {
        const intptr_t some = n - first < AT_ONCE ? n - first : AT_ONCE;
        for (intptr_t i = 0; i < some; i++) {
            char *data;
            intptr_t size;
            if (PyBytes_AsStringAndSize(PyTuple_GetItem(tuple, first + i), &data, &size)) {
                PyErr_Clear();
                return NOT_BYTES;
            }
            in[i] = data;
            sizes[i] = (size_t)size;
        }
        void *const state = PyEval_SaveThread();
        const int error = digest_many(key, (size_t)some, in, sizes, digests, length, length);
        PyEval_RestoreThread(state);
        if (error) return error;
        for (intptr_t i = 0; i < some; i++) {
            PyObject *const made = PyBytes_FromStringAndSize(digests + (size_t)i * length, (intptr_t)length);
            if (!made || PyList_SetItem(list, first + i, made)) return -1;
        }
    }
    return 0;
}
