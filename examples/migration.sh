#!/usr/bin/env bash
# An existing company moves to a partner's product: its administrator authorizes the application, which exchanges the
# code, looks what stands in the way, has the terms accepted, migrates the company and adds an administrator. Needs curl
# and the values of examples/authorize.sh, with the application's CLIENT_SECRET and the SIGNATORY's e-mail address:
# `stipend dev` prints them.
#
#   BASE=http://127.0.0.1:8080 CLIENT_ID=… CLIENT_SECRET=… REDIRECT_URI=… EMAIL=… PASSWORD=… SIGNATORY=… examples/migration.sh
set -euo pipefail
: "${BASE:?the address of the service}" "${CLIENT_ID:?of the application}" "${CLIENT_SECRET:?of the application}"
: "${SIGNATORY:?the e-mail address of whoever signs for the company}"

# call METHOD PATH [BODY]: one request; says what went wrong and stops when it is refused.
call() {
    local answer status
    answer=$(curl -sS -X "$1" "$BASE$2" -w '\n%{http_code}' ${TOKEN:+-H "Authorization: Bearer $TOKEN"} \
        -H 'Content-Type: application/json' -H 'X-Service-API-Version: 2025-06-15' ${3:+--data "$3"})
    status=${answer##*$'\n'}
    if [ "$status" -ge 400 ]; then
        echo "$1 $2 was refused with $status: ${answer%$'\n'*}" >&2
        return 1
    fi
    echo "${answer%$'\n'*}"
}

# field NAME: the first value of that name in the JSON on standard input.
field() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }

say() { printf '\n== %s\n' "$*"; }

say "The administrator authorizes the application; here without a browser"
code=$("$(dirname "$0")/authorize.sh")
echo "a code of ${#code} characters"

say "The application exchanges the code, and learns which company it is"
client="\"client_id\": \"$CLIENT_ID\", \"client_secret\": \"$CLIENT_SECRET\""
tokens=$(call POST /oauth/token \
    "{$client, \"grant_type\": \"authorization_code\", \"code\": \"$code\", \"redirect_uri\": \"$REDIRECT_URI\"}")
TOKEN=$(field access_token <<<"$tokens")
refresh=$(field refresh_token <<<"$tokens")
company=$(call GET /v1/token_info | grep -o '"resource":{[^}]*}' | field uuid)
call GET "/v1/companies/$company" | field name

say "What stands in the way?"
call GET "/v1/partner_managed_companies/$company/migration_readiness" | grep -o '"key":"[^"]*"'

say "The administrator accepts the terms of service"
call POST "/v1/partner_managed_companies/$company/accept_terms_of_service" \
    "{\"email\": \"$EMAIL\", \"ip_address\": \"203.0.113.7\", \"external_user_id\": \"user-7\"}"
call GET "/v1/partner_managed_companies/$company/migration_readiness" | grep -o '"ready_to_migrate":[a-z]*'

say "The company moves, and gets one more administrator"
call GET "/v1/companies/$company/signatories" | field email
call PUT "/v1/partner_managed_companies/$company/migrate" \
    "{\"email\": \"$SIGNATORY\", \"ip_address\": \"203.0.113.7\", \"external_user_id\": \"user-7\"}"
call POST "/v1/companies/$company/admins" \
    '{"first_name": "Iris", "last_name": "Novak", "email": "iris.novak@harborlane.example"}' | field email

say "Two hours later the application asks for the next pair of tokens"
tokens=$(unset TOKEN; call POST /oauth/token "{$client, \"grant_type\": \"refresh_token\", \"refresh_token\": \"$refresh\"}")
TOKEN=$(field access_token <<<"$tokens")
call GET "/v1/companies/$company" | grep -o '"is_partner_managed":[a-z]*'
