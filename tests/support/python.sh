# What the sections that run on Python share, and how sections of several parts add up; read after node.sh by their `run`,
# which sets `here` (its folder), `passed` and `failed`.

printed=$(mktemp)
trap 'rm -f "$report" "$printed"' EXIT

# Runs what counts itself in its last line, in a shell of its own: where it cannot run, the others do.
counted() {
    local p=0 f=1
    ("$@") | tee "$printed"
    read -r p f <<<"$(tail -n 1 "$printed" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')"
    passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))
}

# Packages of the folder's own, so that nothing on the machine is touched.
packages=${CARGO_TARGET_DIR:-target}/python-$(basename "$here")
python_packages() {
    command -v python3 >/dev/null && python3 -m venv "$packages" &&
        "$packages/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
}

# python_tests FILE WHAT: runs the tests of a file of the folder.
python_tests() {
    local ran wrong
    if ! python_packages; then
        echo "The tests of $2 did not run: Python 3.9 or later with venv and pip is needed."
        [ "${CI:-}" = true ] && echo "0 passed, 1 failed" || echo "0 passed, 0 failed"
        return
    fi
    "$packages/bin/python" -W ignore "$here/$1" -v 2>&1 | tee "$report"
    ran=$(sed -n 's/^Ran \([0-9]*\) tests* in .*/\1/p' "$report")
    wrong=$(sed -n 's/^FAILED (\(.*\))$/\1/p' "$report" | grep -o '[0-9]*' | awk '{ sum += $1 } END { print sum + 0 }')
    # A run that counted nothing, or ended before it said that all is well, has a failure.
    [ "$wrong" != 0 ] || grep -q '^OK$' "$report" || wrong=1
    ran=$((${ran:-0} - wrong))
    echo "$((ran > 0 ? ran : 0)) passed, $wrong failed"
}
