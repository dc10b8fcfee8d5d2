-- Secrets of others are stored encrypted. What is readable is encrypted at the next start, for the database has no
-- key; programs of the version before may store readable secrets until then.

ALTER TABLE registry_secrets ADD COLUMN encrypted bytea;
ALTER TABLE registry_secrets ALTER COLUMN value DROP NOT NULL;
ALTER TABLE registry_secrets ADD CONSTRAINT registry_secrets_kept_once CHECK (num_nonnulls(value, encrypted) = 1);

ALTER TABLE webhook_secrets ADD COLUMN encrypted bytea;
ALTER TABLE webhook_secrets ALTER COLUMN secret DROP NOT NULL;
ALTER TABLE webhook_secrets ADD CONSTRAINT webhook_secrets_kept_once CHECK (num_nonnulls(secret, encrypted) = 1);
