#!/usr/bin/env bash
# What an administrator does in the browser, by hand: follows an application's request to /oauth/authorize, signs in,
# chooses the company where there are several, and allows. Prints the code that the application is sent. Needs curl, and
# values that `stipend dev --json` prints; COMPANY is needed by somebody who administers several companies.
#
#   BASE=http://127.0.0.1:8080 CLIENT_ID=… REDIRECT_URI=… EMAIL=… PASSWORD=… [COMPANY=…] examples/authorize.sh
set -euo pipefail
: "${BASE:?the address of the service}" "${CLIENT_ID:?of the application}" "${REDIRECT_URI:?of the application}"
: "${EMAIL:?of an administrator of the company}" "${PASSWORD:?of the same}"

jar=$(mktemp)
trap 'rm -f "$jar"' EXIT
address="$BASE/oauth/authorize"
request=(--data-urlencode "client_id=$CLIENT_ID" --data-urlencode "redirect_uri=$REDIRECT_URI"
    --data-urlencode response_type=code --data-urlencode state=tab-1)

# look: the page as it is now. Its first lines name the address that the form is sent to, and the form's token.
look() { curl -sS --cookie "$jar" --cookie-jar "$jar" --get "$address" "${request[@]}"; }
# press ACTION [FIELD…]: sends the form of the page that was looked at last; prints where the browser is sent, by a redirect or from the
# page on which it leaves the service.
press() {
    local action=$1 to token
    shift
    to=$(grep -o '<form method="post" action="[^"]*"' <<<"$page" | cut -d '"' -f 4 | sed 's/&#38;/\&/g')
    token=$(grep -o 'name="form_token" value="[^"]*"' <<<"$page" | cut -d '"' -f 4)
    curl -sS --cookie "$jar" --cookie-jar "$jar" -o /dev/null -w '%{redirect_url}%header{refresh}' "$BASE$to" \
        --data-urlencode "form_token=$token" --data-urlencode "action=$action" "$@"
}

page=$(look)
press sign_in --data-urlencode "email=$EMAIL" --data-urlencode "password=$PASSWORD" >/dev/null
page=$(look)
if grep -q 'type="radio"' <<<"$page"; then
    press choose --data-urlencode "company=${COMPANY:?several companies: say which}" >/dev/null
    page=$(look)
fi
company=$(grep -o 'name="company" value="[^"]*"' <<<"$page" | cut -d '"' -f 4) || {
    echo "the administrator was not asked to consent" >&2
    exit 1
}
# The browser goes on to the registered address; here its query is read instead.
press allow --data-urlencode "company=$company" | tr '?&' '\n\n' | sed -n 's/^code=//p'
