#!/bin/sh
# Creates the role that runs the service; it owns no table. Runs once, when the database is created.
set -eu
password=$(cat /run/secrets/app_password)
psql --set=ON_ERROR_STOP=1 --set=password="$password" --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
CREATE ROLE weighbridge_app LOGIN PASSWORD :'password';
GRANT weighbridge_app TO weighbridge;
SQL
