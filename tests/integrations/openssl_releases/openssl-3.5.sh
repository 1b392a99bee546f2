# As the newest one.
. "$RECIPES/../../../bench/newest/openssl.sh"
