#include "selftest.hpp"

namespace cst {

// "abc"; "abcdbcdecdef..nopq"; SP 800-38A's four blocks, IV and counter; what the GCM specification's test cases share
#define ABC "616263"
#define LONG_ABC "6162636462636465636465666465666765666768666768696768696a68696a6b696a6b6c6a6b6c6d6b6c6d6e6c6d6e6f6d6e6f706e6f7071"
#define JEFE "4a656665"
#define WHAT "7768617420646f2079612077616e7420666f72206e6f7468696e673f"
#define BLOCKS "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
#define IV "000102030405060708090a0b0c0d0e0f"
#define COUNTER "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
#define GCM_KEY "feffe9928665731c6d6a8f9467308308"
#define GCM_AAD "feedfacedeadbeeffeedfacedeadbeefabaddad2"
#define GCM_TEXT "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"

const KnownAnswer known_answers[] = {
    // FIPS 180-2, appendices A.1, A.2, B.1, B.2
    {"sha1", "", "", "", "", ABC, "", "a9993e364706816aba3e25717850c26c9cd0d89d"},
    {"sha1", "", "", "", "", LONG_ABC, "", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
    {"sha256", "", "", "", "", ABC, "", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"sha256", "", "", "", "", LONG_ABC, "", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    // RFC 1321, A.5
    {"md5", "", "", "", "", ABC, "", "900150983cd24fb0d6963f7d28e17f72"},
    // RFC 2202 (HMAC-MD5 2, HMAC-SHA-1 2), RFC 4231 (4.3)
    {"hmac-md5", "", JEFE, "", "", WHAT, "", "750c783e6ab0b503eaa86e310a5db738"},
    {"hmac-sha1", "", JEFE, "", "", WHAT, "", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"},
    {"hmac-sha256", "", JEFE, "", "", WHAT, "", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
    // SP 800-38A, F.5.1, F.5.3, F.5.5
    {"aes-128-ctr", "2b7e151628aed2a6abf7158809cf4f3c", "", COUNTER, "", BLOCKS,
     "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee", ""},
    {"aes-192-ctr", "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "", COUNTER, "", BLOCKS,
     "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e941e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050", ""},
    {"aes-256-ctr", "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "", COUNTER, "", BLOCKS,
     "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c52b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6", ""},
    // The GCM specification (McGrew, Viega), test cases 4, 10, 16, 6
    {"aes-128-gcm", GCM_KEY, "", "cafebabefacedbaddecaf888", GCM_AAD, GCM_TEXT,
     "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
     "5bc94fbc3221a5db94fae95ae7121a47"},
    {"aes-192-gcm", GCM_KEY "feffe9928665731c", "", "cafebabefacedbaddecaf888", GCM_AAD, GCM_TEXT,
     "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710",
     "2519498e80f1478f37ba55bd6d27618c"},
    {"aes-256-gcm", GCM_KEY GCM_KEY, "", "cafebabefacedbaddecaf888", GCM_AAD, GCM_TEXT,
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
     "76fc6ece0f4e1768cddf8853bb2d551b"},
    {"aes-128-gcm", GCM_KEY, "",
     "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b", GCM_AAD, GCM_TEXT,
     "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca701e4a9a4fba43c90ccdcb281d48c7c6fd62875d2aca417034c34aee5",
     "619cc5aefffe0bfa462af43c1699d050"},
    // SP 800-38A, F.2.1, F.2.3, F.2.5
    {"aes-128-cbc", "2b7e151628aed2a6abf7158809cf4f3c", "", IV, "", BLOCKS,
     "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b273bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7", ""},
    {"aes-192-cbc", "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "", IV, "", BLOCKS,
     "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd", ""},
    {"aes-256-cbc", "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "", IV, "", BLOCKS,
     "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b", ""},
    // RFC 7518, B.1
    {"a128cbc-hs256", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "", "1af38c2dc2b96ffdd86694092341bc04",
     "546865207365636f6e64207072696e6369706c65206f662041756775737465204b6572636b686f666673",
     "41206369706865722073797374656d206d757374206e6f7420626520726571756972656420746f206265207365637265742c20616e64206974206d7573742062652061626c6520"
     "746f2066616c6c20696e746f207468652068616e6473206f662074686520656e656d7920776974686f757420696e636f6e76656e69656e6365",
     "c80edfa32ddf39d5ef00c0b468834279a2e46a1b8049f792f76bfe54b903a9c9a94ac9b47ad2655c5f10f9aef71427e2fc6f9b3f399a221489f16362c703233609d45ac69864e3"
     "321cf82935ac4096c86e133314c54019e8ca7980dfa4b9cf1b384c486f3a54c51078158ee5d79de59fbd34d848b3d69550a67646344427ade54b8851ffb598f7f80074b9473c82"
     "e2db",
     "652c3fa36b0a7c5b3219fab3a30bc1c4"},
};
const size_t known_answer_count = sizeof(known_answers) / sizeof(known_answers[0]);

}  // namespace cst
