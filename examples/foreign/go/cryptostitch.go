package main

/*
#cgo pkg-config: cryptostitch
#include <cryptostitch/cryptostitch.h>
#include <stdlib.h>
#include <time.h>

// cgo keeps the memory of each argument in place for the call. Pointers inside a structure it does not see: so the
// structure is made here.
static int seal_column(const cst_key *key, const void *in, void *out, size_t bytes, const uint64_t *offsets, size_t n,
                       const void *ivs, size_t iv_len, void *tags, size_t tag_len) {
    const cst_text_column column = {.size = sizeof column, .key = key, .in = in, .out = out, .bytes = bytes,
                                    .offsets = offsets, .offset_bytes = sizeof *offsets, .n = n, .ivs = ivs,
                                    .iv_len = iv_len, .tags = tags, .tag_len = tag_len};
    return cst_seal_column(&column);
}

// Nanoseconds of the same call where no Go is involved.
static double seal_column_ns(const cst_key *key, const void *in, void *out, size_t bytes, const uint64_t *offsets,
                             size_t n, const void *ivs, size_t iv_len, void *tags, size_t tag_len) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    const int error = seal_column(key, in, out, bytes, offsets, n, ivs, iv_len, tags, tag_len);
    clock_gettime(CLOCK_MONOTONIC, &b);
    return error ? -1 : 1e9 * (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec);
}
*/
import "C"

import (
	"errors"
	"runtime"
	"time"
	"unsafe"
)

const (
	ivBytes  = 12
	tagBytes = 16
)

// Key is an expanded key of AES-128-GCM with the context that it needs. Goroutines may share it.
type Key struct {
	context *C.cst_ctx
	key     *C.cst_key
}

// Texts are plain texts one after the other, text i in Data[Offsets[i]:Offsets[i+1]], with an IV of 12 bytes each.
type Texts struct {
	Data    []byte
	Offsets []uint64
	IVs     []byte
}

func result(code C.int) error {
	if code == C.CST_OK {
		return nil
	}
	return errors.New(C.GoString(C.cst_error_text(code)))
}

// NewKey returns a key whose memory C owns; Close frees it.
func NewKey(bytes []byte) (*Key, error) {
	made := &Key{}
	var suite *C.cst_suite
	name := C.CString("aes-128-gcm")
	defer C.free(unsafe.Pointer(name))
	if err := result(C.cst_ctx_new(&made.context, nil)); err != nil {
		return nil, err
	}
	err := result(C.cst_suite_get(made.context, name, &suite))
	if err == nil {
		key := unsafe.Pointer(unsafe.SliceData(bytes))
		err = result(C.cst_key_new(suite, key, C.size_t(len(bytes)), nil, 0, &made.key))
	}
	if err != nil {
		made.Close()
		return nil, err
	}
	return made, nil
}

// Close wipes and frees the key, and frees its context.
func (k *Key) Close() {
	C.cst_key_free(k.key)
	C.cst_ctx_free(k.context)
	k.key, k.context = nil, nil
}

// Seal writes the ciphertext of each text to the same place of out, and its tag of 16 bytes to tags, by one call of C.
// out is t.Data or lies apart.
func (k *Key) Seal(t Texts, out, tags []byte) error {
	n := len(t.Offsets) - 1
	if n < 0 || len(out) != len(t.Data) || len(tags) != n*tagBytes || len(t.IVs) != n*ivBytes {
		return errors.New("lengths of slices that do not fit together")
	}
	code := C.seal_column(k.key, unsafe.Pointer(unsafe.SliceData(t.Data)), unsafe.Pointer(unsafe.SliceData(out)),
		C.size_t(len(out)), (*C.uint64_t)(unsafe.SliceData(t.Offsets)), C.size_t(n),
		unsafe.Pointer(unsafe.SliceData(t.IVs)), ivBytes, unsafe.Pointer(unsafe.SliceData(tags)), tagBytes)
	runtime.KeepAlive(k)
	return result(code)
}

// sealInC is Seal, timed in C.
func (k *Key) sealInC(t Texts, out, tags []byte) time.Duration {
	ns := C.seal_column_ns(k.key, unsafe.Pointer(unsafe.SliceData(t.Data)), unsafe.Pointer(unsafe.SliceData(out)),
		C.size_t(len(out)), (*C.uint64_t)(unsafe.SliceData(t.Offsets)), C.size_t(len(t.Offsets)-1),
		unsafe.Pointer(unsafe.SliceData(t.IVs)), ivBytes, unsafe.Pointer(unsafe.SliceData(tags)), tagBytes)
	return time.Duration(ns)
}
