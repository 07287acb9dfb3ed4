# What the sections that run on Node.js share; read by their `run`, which sets `here` (its folder) and `title`.

report=$(mktemp)
trap 'rm -f "$report"' EXIT

# What cannot run is said, and fails only where everything has to be there.
not_run() {
    echo "$1"
    echo "The $title did not run:"
    sed -n "s/^test('\(.*\)', .*/  \1/p" "$here"/*.test.mjs
    if [ "${CI:-}" = true ]; then
        echo "0 passed, 1 failed"
        exit 1
    fi
    echo "0 passed, 0 failed"
    exit 0
}

# Node.js, and the packages that the lock file of the folder names, and of others whose modules it uses.
need_node() {
    local need folder
    for need in node npm; do
        command -v $need >/dev/null || not_run "$need was not found: install Node.js 20 or later."
    done
    [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] ||
        not_run "Node.js is $(node -v): 20 or later is needed."
    for folder in "$here" "$@"; do
        (cd "$folder" && npm ci --no-audit --no-fund --loglevel=error) ||
            not_run "The packages of $folder could not be had."
    done
}

need_chromium() {
    if [ ! -x /usr/bin/chromium ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "chromium is missing: installing it."
        { apt-get update -q && DEBIAN_FRONTEND=noninteractive \
            apt-get install -q -y --no-install-recommends chromium fonts-dejavu-core; } </dev/null >"$report" 2>&1 ||
            tail -n 15 "$report"
    fi
    [ -x /usr/bin/chromium ] ||
        not_run "/usr/bin/chromium could not be had. To install it: sudo apt-get install chromium fonts-dejavu-core"
}

need_program() {
    # With a test beside it the program is built with the features that dependencies have in `cargo test`, and is there
    # already after one. Built alone, all of the service would be compiled once more.
    if ! cargo build --locked -p stipend --bin stipend --test data; then
        echo "0 passed, 1 failed"
        exit 1
    fi
    STIPEND_BINARY=$(realpath "${CARGO_TARGET_DIR:-target}/debug/stipend")
    export STIPEND_BINARY
}

# Runs the folder's tests; the last line is their count. Files run side by side, each with a service of its own.
run_tests() {
    local status passed failed
    node --test --test-concurrency=2 \
        --test-reporter=spec --test-reporter-destination=stdout \
        --test-reporter=tap --test-reporter-destination="$report" "$here"/*.test.mjs
    status=$?
    passed=$(sed -n 's/^# pass //p' "$report" | tail -n 1)
    failed=$(sed -n 's/^# \(fail\|cancelled\) //p' "$report" | awk '{ sum += $1 } END { print sum + 0 }')
    # A run that ended badly, or counted nothing, has a failure.
    if [ "$failed" = 0 ] && { [ "$status" != 0 ] || [ "${passed:-0}" = 0 ]; }; then failed=1; fi
    echo "${passed:-0} passed, $failed failed"
    [ "$failed" = 0 ]
}
