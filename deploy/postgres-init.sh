#!/bin/sh
# The role that the service runs as: it owns no table. Carried out once, when the database is made.
set -eu
password=$(cat /run/secrets/app_password)
psql --set=ON_ERROR_STOP=1 --set=password="$password" --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
CREATE ROLE weighbridge_app LOGIN PASSWORD :'password';
GRANT weighbridge_app TO weighbridge;
SQL
