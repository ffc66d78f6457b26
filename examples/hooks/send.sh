#!/bin/sh
# Sends one hook of each kind to the gateway at ATOLL_HOOKS_URL and prints what it answers.
set -eu

: "${ATOLL_HOOKS_URL:=http://127.0.0.1:8081}"
: "${ATOLL_HOOKS_TOKEN:?is the token that the gateway was started with}"

send() {
  printf '%s: ' "$1"
  curl --silent --show-error --write-out ' %{http_code}\n' "$ATOLL_HOOKS_URL/hooks/$1" \
    --header "Authorization: Bearer $ATOLL_HOOKS_TOKEN" --header "Idempotency-Key: $2" --data "$3"
}

send wake example-1 '{"text": "The printer is back.", "mode": "next-heartbeat"}'
send agent example-2 '{"message": "What is the capital of France?", "deliver": false}'
send deployment example-3 '{"who": "Ada", "service": "lighthouse", "version": "2.4"}'
send build example-4 '{"job": "nightly", "state": "failed", "steps": [{"name": "compile", "ok": true}, {"name": "link", "ok": false}]}'
send build example-5 '{"job": "nightly", "state": "passed", "steps": []}'
# The same key again is the same hook: answered as the first time, and not run again.
send agent example-2 '{"message": "What is the capital of France?", "deliver": false}'
