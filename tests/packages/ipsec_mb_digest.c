// Prints SHA-256 of "abc", by whatever libIPSec_MB.so.1 it meets.
#include <intel-ipsec-mb.h>
#include <stdio.h>

int main(void) {
    unsigned char digest[32];
    IMB_MGR *manager = alloc_mb_mgr(0);
    if (!manager) return 1;
    init_mb_mgr_auto(manager, NULL);
    IMB_SHA256(manager, "abc", 3, digest);
    for (int i = 0; i < 32; i++) printf("%02x", digest[i]);
    free_mb_mgr(manager);
    return 0;
}
