#!/bin/sh
# (umask 077; sh deploy/new-secrets.sh harbor.example plainbook.example > deploy/.env)
# Prints the settings of compose.yaml with new secrets. Keep the file: without its keys, stored data can't be read.
set -eu
[ $# -eq 2 ] || { echo "Name Harbor's host and Plainbook's: sh deploy/new-secrets.sh harbor.example plainbook.example" >&2; exit 2; }
password() { openssl rand -hex 24; }
key() { echo "$(date +%Y-%m-%d):$(openssl rand -base64 32)"; }
cat <<SETTINGS
HARBOR_HOST=$1
PLAINBOOK_HOST=$2
POSTGRES_PASSWORD=$(password)
PLAINBOOK_DATABASE_PASSWORD=$(password)
HARBOR_DATABASE_PASSWORD=$(password)
SERVICE_ENCRYPTION_KEYS=$(key)
SERVICE_FINGERPRINT_KEY=$(password)
PARTNER_ENCRYPTION_KEYS=$(key)
PARTNER_SESSION_SECRET=$(password)
# From Plainbook's operator (docs/operations.md#clients), then: docker compose -f deploy/compose.yaml --profile harbor up -d
PARTNER_CLIENT_ID=
PARTNER_CLIENT_SECRET=
PARTNER_PROVIDER=
PARTNER_CUSTOMER_ENDPOINT_SECRET=
PARTNER_WEBHOOK_SECRET=
PARTNER_BUSINESS_USER_ID=
PARTNER_BUSINESS_USER_PHONE=
SETTINGS
