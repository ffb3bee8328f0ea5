# Installs the packages of the system that the scripts need. Each script sources it, and has a
# function `fail` of its own.

# The first argument names what is needed, for a message; the others are packages.
install() {
    command -v apt-get >/dev/null \
        || fail "needs $1, and there is no apt-get here. Install what it needs by your system's means" \
            "and run this again."
    local administrator=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "needs $1. Install ${*:2} as root and run this again."
        administrator=(sudo)
    fi
    {
        ${administrator[@]+"${administrator[@]}"} apt-get update
        ${administrator[@]+"${administrator[@]}"} env DEBIAN_FRONTEND=noninteractive \
            apt-get install --yes --no-install-recommends "${@:2}"
    } >&2 || fail "could not install ${*:2}; the messages above say why."
}

# The headers of the C libraries.
set_up_libraries() {
    # The system of a Mac brings SQLite with the compiler.
    [ "$(uname -s)" != Darwin ] || return 0
    local needed=(sqlite3 lmdb zlib)
    [ -n "${DURAMEN_WITHOUT_POSTGRES:-}" ] || needed+=(libpq)
    if command -v pkg-config >/dev/null && pkg-config --exists "${needed[@]}"; then
        return 0
    fi
    install "the headers of SQLite 3, LMDB, zlib and libpq, and pkg-config" \
        libsqlite3-dev liblmdb-dev zlib1g-dev libpq-dev pkg-config
}
