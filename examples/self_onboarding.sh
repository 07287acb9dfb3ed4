#!/usr/bin/env bash
# The main journey: an employer creates an employee for self-onboarding, hands out a link, watches the steps and
# finishes the onboarding. Needs curl, and the three values that `stipend dev` prints:
#
#   BASE=http://127.0.0.1:8080 TOKEN=… COMPANY=… examples/self_onboarding.sh
set -euo pipefail
: "${BASE:?the address of the service}" "${TOKEN:?the access token of the company}" "${COMPANY:?its uuid}"

# call METHOD PATH [BODY]: one request; says what went wrong and stops when it is refused.
call() {
    local answer status
    answer=$(curl -sS -X "$1" "$BASE$2" -w '\n%{http_code}' \
        -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
        -H 'X-Service-API-Version: 2025-06-15' ${3:+--data "$3"})
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

say "The employer creates an employee who will onboard alone"
employee=$(call POST "/v1/companies/$COMPANY/employees" \
    '{"first_name": "Isabel", "last_name": "Moreno", "email": "isabel@people.example", "self_onboarding": true}')
employee_uuid=$(echo "$employee" | field uuid)
echo "$employee_uuid is $(echo "$employee" | field onboarding_status)"

say "Where she works, what she does and what she earns"
location=$(call GET "/v1/companies/$COMPANY/locations" | field uuid)
call POST "/v1/employees/$employee_uuid/work_addresses" "{\"location_uuid\": \"$location\"}" | field city
job=$(call POST "/v1/employees/$employee_uuid/jobs" '{"title": "Pastry Cook", "hire_date": "2027-01-04"}')
compensation=$(echo "$job" | field current_compensation_uuid)
version=$(call GET "/v1/compensations/$compensation" | field version)
call PUT "/v1/compensations/$compensation" \
    "{\"version\": \"$version\", \"rate\": \"21.50\", \"payment_unit\": \"Hour\", \"flsa_status\": \"Nonexempt\"}" | field rate

say "She is invited: the partner sends the link, the service makes it"
call PUT "/v1/employees/$employee_uuid/onboarding_status" \
    '{"onboarding_status": "self_onboarding_invited"}' | field onboarding_status
link=$(call POST "/v1/companies/$COMPANY/flows" \
    "{\"flow_type\": \"employee_self_management\", \"entity_type\": \"Employee\", \"entity_uuid\": \"$employee_uuid\"}" | field url)
echo "$link"

say "She opens it"
curl -sSfL --cookie '' "$link" | grep -o '<h1>.*</h1>'
call GET "/v1/employees/$employee_uuid/onboarding_status" | field onboarding_status

say "Her personal details and home address arrive"
version=$(call GET "/v1/employees/$employee_uuid" | field version)
call PUT "/v1/employees/$employee_uuid" \
    "{\"version\": \"$version\", \"date_of_birth\": \"1994-06-02\", \"ssn\": \"412551077\"}" | field date_of_birth
call POST "/v1/employees/$employee_uuid/home_addresses" \
    '{"street_1": "5 Olive Row", "city": "San Antonio", "state": "TX", "zip": "78210"}' | field city

say "Her Form W-4, her bank account, and what she signs"
version=$(call GET "/v1/employees/$employee_uuid/federal_taxes" | field version)
call PUT "/v1/employees/$employee_uuid/federal_taxes" "{\"version\": \"$version\", \"w4_data_type\": \"rev_2020_w4\",
    \"filing_status\": \"Head of Household\", \"two_jobs\": false, \"dependents_amount\": 2000, \"other_income\": 0,
    \"deductions\": 0, \"extra_withholding\": 0}" | field filing_status
call POST "/v1/employees/$employee_uuid/bank_accounts" '{"name": "Household", "routing_number": "021000021",
    "account_number": "1234567890", "account_type": "Checking"}' | field hidden_account_number
for form in $(call GET "/v1/employees/$employee_uuid/forms" | grep -o '"uuid":"[^"]*"' | cut -d '"' -f 4); do
    call PUT "/v1/employees/$employee_uuid/forms/$form/sign" \
        '{"signature_text": "Isabel Moreno", "agree": true, "signed_by_ip_address": "203.0.113.7"}' | field title
done
call GET "/v1/employees/$employee_uuid/onboarding_status" | field onboarding_status

say "The employer answers what is the employer's, and finishes"
call PUT "/v1/employees/$employee_uuid/state_taxes" '{"states": [{"state": "TX", "questions": [
    {"key": "file_new_hire_report", "answers": [{"value": true, "valid_from": "2010-01-01", "valid_up_to": null}]}]}]}' |
    field state
call PUT "/v1/employees/$employee_uuid/onboarding_status" '{"onboarding_status": "onboarding_completed"}' |
    field onboarding_status
