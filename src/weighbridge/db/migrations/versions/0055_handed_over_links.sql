-- Who answers for a link to a report when that is not who made it any more.
ALTER TABLE report_links ADD COLUMN user_id integer REFERENCES users;
CREATE INDEX report_links_of_user ON report_links (coalesce(user_id, created_by));
