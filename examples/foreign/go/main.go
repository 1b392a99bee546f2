// Seals packets of random lengths with AES-128-GCM by one call of the library, and by Go's crypto/cipher: every result
// is compared, and the time that each way takes for a packet in its fastest round is printed.
//
//	seal [PACKETS [ROUNDS]]
package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"log"
	"math/rand"
	"os"
	"slices"
	"strconv"
	"time"
)

func packets(n int) Texts {
	draw := rand.New(rand.NewSource(1))
	t := Texts{Offsets: make([]uint64, n+1), IVs: make([]byte, n*ivBytes)}
	for i := 0; i < n; i++ {
		t.Offsets[i+1] = t.Offsets[i] + uint64(64+draw.Intn(1400))
		binary.BigEndian.PutUint64(t.IVs[i*ivBytes+4:], uint64(i)+1) // salt || counter
	}
	t.Data = make([]byte, t.Offsets[n])
	draw.Read(t.Data)
	return t
}

// sealByGo seals into out, where each ciphertext has its tag behind it: at a distance of 16 bytes more per text.
func sealByGo(aead cipher.AEAD, t Texts, out []byte) {
	for i := 0; i+1 < len(t.Offsets); i++ {
		from, to := t.Offsets[i], t.Offsets[i+1]
		at := from + uint64(i*tagBytes)
		aead.Seal(out[at:at:len(out)], t.IVs[i*ivBytes:(i+1)*ivBytes], t.Data[from:to], nil)
	}
}

func compare(t Texts, out, tags, fromGo []byte) {
	for i := 0; i+1 < len(t.Offsets); i++ {
		from, to := t.Offsets[i], t.Offsets[i+1]
		other := fromGo[from+uint64(i*tagBytes) : to+uint64((i+1)*tagBytes)]
		if !bytes.Equal(out[from:to], other[:to-from]) ||
			!bytes.Equal(tags[i*tagBytes:(i+1)*tagBytes], other[to-from:]) {
			log.Fatalf("packet %d: the library and crypto/cipher do not agree", i)
		}
	}
}

func argument(at, otherwise int) int {
	if len(os.Args) <= at {
		return otherwise
	}
	value, err := strconv.Atoi(os.Args[at])
	if err != nil || value < 1 {
		log.Fatal("usage: seal [PACKETS [ROUNDS]]")
	}
	return value
}

func main() {
	n, rounds := argument(1, 10000), argument(2, 101)
	secret := []byte("an example's key")
	key, err := NewKey(secret)
	if err != nil {
		log.Fatal(err)
	}
	defer key.Close()
	block, err := aes.NewCipher(secret)
	if err != nil {
		log.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		log.Fatal(err)
	}

	t := packets(n)
	out, tags := make([]byte, len(t.Data)), make([]byte, n*tagBytes)
	fromGo := make([]byte, len(t.Data)+n*tagBytes)
	var flat, inC, own []time.Duration
	for round := 0; round < 2*rounds; round++ { // by turns: what the machine does meanwhile meets all ways
		start := time.Now()
		sealByGo(aead, t, fromGo)
		own = append(own, time.Since(start))
		if round%2 == 0 { // each follows Go's own, which leaves its results in the caches
			inC = append(inC, key.sealInC(t, out, tags))
			continue
		}
		start = time.Now()
		if err := key.Seal(t, out, tags); err != nil {
			log.Fatal(err)
		}
		flat = append(flat, time.Since(start))
	}
	compare(t, out, tags, fromGo)
	fmt.Printf("%d packets, %d bytes: all agree\n", n, len(t.Data))
	for _, way := range []struct {
		name  string
		times []time.Duration
	}{{"cst_seal_column from Go", flat}, {"cst_seal_column from C", inC}, {"crypto/cipher", own}} {
		fmt.Printf("%-24s %7.1f ns a packet\n", way.name, float64(slices.Min(way.times).Nanoseconds())/float64(n))
	}
}
