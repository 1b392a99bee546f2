import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.Random;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seals packets of random lengths with AES-128-GCM by one call of the library, and by javax.crypto: every result is
 * compared, and the time that each way takes for a packet in its fastest round is printed. Java 22 or later:
 *
 * <pre>java --enable-native-access=ALL-UNNAMED Seal.java [PACKETS [ROUNDS]]</pre>
 */
final class Seal {
    static final int IV_BYTES = 12, TAG_BYTES = 16;
    static final ValueLayout SIZE = ValueLayout.JAVA_LONG, POINTER = ValueLayout.ADDRESS;

    /** cst_text_column. */
    static final StructLayout COLUMN = MemoryLayout.structLayout(SIZE.withName("size"), POINTER.withName("key"),
        POINTER.withName("in"), POINTER.withName("out"), SIZE.withName("bytes"), POINTER.withName("offsets"),
        SIZE.withName("offset_bytes"), SIZE.withName("n"), POINTER.withName("ivs"), SIZE.withName("iv_len"),
        SIZE.withName("iv_stride"), POINTER.withName("aads"), SIZE.withName("aad_len"), SIZE.withName("aad_stride"),
        POINTER.withName("tags"), SIZE.withName("tag_len"), SIZE.withName("tag_stride"), POINTER.withName("statuses"));

    static final Linker LINKER = Linker.nativeLinker();
    static final SymbolLookup LIBRARY = SymbolLookup.libraryLookup(
        System.getenv().getOrDefault("CRYPTOSTITCH_LIBRARY", "libcryptostitch.so.0"), Arena.global());
    static final MethodHandle
        CTX_NEW = returnsInt("cst_ctx_new", POINTER, POINTER),
        SUITE_GET = returnsInt("cst_suite_get", POINTER, POINTER, POINTER),
        KEY_NEW = returnsInt("cst_key_new", POINTER, POINTER, SIZE, POINTER, SIZE, POINTER),
        SEAL_COLUMN = returnsInt("cst_seal_column", POINTER),
        KEY_FREE = returnsNothing("cst_key_free"), CTX_FREE = returnsNothing("cst_ctx_free");

    static MethodHandle returnsInt(String name, MemoryLayout... arguments) {
        return LINKER.downcallHandle(LIBRARY.find(name).orElseThrow(),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
    }

    static MethodHandle returnsNothing(String name) {
        return LINKER.downcallHandle(LIBRARY.find(name).orElseThrow(), FunctionDescriptor.ofVoid(POINTER));
    }

    static void check(int code, String what) {
        if (code != 0) throw new IllegalStateException(what + ": error " + code);
    }

    static void set(MemorySegment column, String field, Object value) {
        COLUMN.varHandle(PathElement.groupElement(field)).set(column, 0L, value);
    }

    /** Texts and what is sealed of them, in memory outside of Java's heap, which the arena owns and nothing moves. */
    record Packets(int n, int[] offsets, byte[] text, byte[] ivs, MemorySegment column, MemorySegment out,
                   MemorySegment tags) {
        static Packets make(Arena arena, int n, MemorySegment key) {
            var draw = new Random(1);
            var offsets = new int[n + 1];
            for (int i = 0; i < n; i++) offsets[i + 1] = offsets[i] + 64 + draw.nextInt(1400);
            var text = new byte[offsets[n]];
            draw.nextBytes(text);
            var ivs = new byte[n * IV_BYTES]; // salt || counter
            for (int i = 0; i < n; i++)
                for (int at = 0; at < 4; at++) ivs[i * IV_BYTES + 8 + at] = (byte) (i >> 24 - 8 * at);
            var column = arena.allocate(COLUMN);
            var out = arena.allocate(text.length);
            var tags = arena.allocate((long) n * TAG_BYTES);
            set(column, "size", COLUMN.byteSize());
            set(column, "key", key);
            set(column, "in", arena.allocateFrom(ValueLayout.JAVA_BYTE, text));
            set(column, "out", out);
            set(column, "bytes", (long) text.length);
            set(column, "offsets", arena.allocateFrom(ValueLayout.JAVA_INT, offsets));
            set(column, "offset_bytes", 4L);
            set(column, "n", (long) n);
            set(column, "ivs", arena.allocateFrom(ValueLayout.JAVA_BYTE, ivs));
            set(column, "iv_len", (long) IV_BYTES);
            set(column, "tags", tags);
            set(column, "tag_len", (long) TAG_BYTES);
            return new Packets(n, offsets, text, ivs, column, out, tags);
        }

        /** Seals into `sealed`, where each ciphertext has its tag behind it. */
        void sealByJava(Cipher cipher, SecretKeySpec key, byte[] sealed) throws Exception {
            for (int i = 0; i < n; i++) {
                cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(8 * TAG_BYTES, ivs, i * IV_BYTES, IV_BYTES));
                cipher.doFinal(text, offsets[i], offsets[i + 1] - offsets[i], sealed, offsets[i] + i * TAG_BYTES);
            }
        }

        boolean agrees(byte[] sealed) {
            var other = MemorySegment.ofArray(sealed);
            for (int i = 0; i < n; i++) {
                long from = offsets[i], bytes = offsets[i + 1] - from, at = from + (long) i * TAG_BYTES;
                if (out.asSlice(from, bytes).mismatch(other.asSlice(at, bytes)) != -1) return false;
                if (tags.asSlice((long) i * TAG_BYTES, TAG_BYTES).mismatch(other.asSlice(at + bytes, TAG_BYTES)) != -1)
                    return false;
            }
            return true;
        }
    }

    static double fastest(long[] times, int n) {
        return (double) Arrays.stream(times).min().getAsLong() / n;
    }

    public static void main(String[] args) throws Throwable {
        int n = args.length > 0 ? Integer.parseInt(args[0]) : 10_000;
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 101;
        byte[] secret = "an example's key".getBytes();
        try (var arena = Arena.ofConfined()) {
            var made = arena.allocate(POINTER);
            check((int) CTX_NEW.invokeExact(made, MemorySegment.NULL), "cst_ctx_new");
            var context = made.get(ValueLayout.ADDRESS, 0);
            check((int) SUITE_GET.invokeExact(context, arena.allocateFrom("aes-128-gcm"), made), "cst_suite_get");
            var suite = made.get(ValueLayout.ADDRESS, 0);
            var bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, secret);
            int code = (int) KEY_NEW.invokeExact(suite, bytes, bytes.byteSize(), MemorySegment.NULL, 0L, made);
            check(code, "cst_key_new");
            bytes.fill((byte) 0);
            var key = made.get(ValueLayout.ADDRESS, 0);

            var packets = Packets.make(arena, n, key);
            var sealed = new byte[packets.text.length + n * TAG_BYTES];
            var cipher = Cipher.getInstance("AES/GCM/NoPadding");
            var own = new SecretKeySpec(secret, "AES");
            long[] flat = new long[rounds], java = new long[rounds];
            for (int i = 0; i < rounds; i++) { // by turns: what the machine does meanwhile meets both
                long start = System.nanoTime();
                check((int) SEAL_COLUMN.invokeExact(packets.column), "cst_seal_column");
                long middle = System.nanoTime();
                packets.sealByJava(cipher, own, sealed);
                flat[i] = middle - start;
                java[i] = System.nanoTime() - middle;
            }
            if (!packets.agrees(sealed)) throw new IllegalStateException("the library and javax.crypto differ");
            System.out.printf("%d packets, %d bytes: all agree%n", n, packets.text.length);
            System.out.printf("cst_seal_column from Java %8.1f ns a packet%n", fastest(flat, n));
            System.out.printf("javax.crypto              %8.1f ns a packet%n", fastest(java, n));
            KEY_FREE.invokeExact(key);
            CTX_FREE.invokeExact(context);
        }
    }
}
