# Sourced, with RELEASE and APT set: an apt of that Debian release whose lists, cache and sources all lie in the folder
# APT, so that the system's stay as they are; `apt update` reads its lists. The folder goes when the script ends.
command -v apt-get >/dev/null || { echo "no apt-get here" >&2; exit 1; }
rm -rf "$APT"
mkdir -p "$APT/lists/partial" "$APT/cache/archives/partial" "$APT/src"
trap 'rm -rf "$APT"' EXIT

# The mirror is the one that this system uses for its own release (apt knows it once its lists have been read; else its
# sources name it).
MIRROR=$({
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages'
    cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -v '^ *#' | tr ' ' '\n'
} | grep -E '^[a-z+]+://?.*/debian/?$' | head -n 1)
[ -n "$MIRROR" ] || { echo "this system has no Debian mirror" >&2; exit 1; }
for kind in deb deb-src; do
    echo "$kind [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $MIRROR $RELEASE main"
done >"$APT/sources.list"
: >"$APT/status" # what the system has installed does not matter

apt() {
    apt-get -qq -o Dir::Etc::sourcelist="$APT/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$APT/lists" -o Dir::State::status="$APT/status" -o Dir::Cache="$APT/cache" \
        -o APT::Sandbox::User="$(id -un)" "$@"
}
