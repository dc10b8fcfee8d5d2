-- People save views of lists: a query under a name.

CREATE TABLE saved_views (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id  integer NOT NULL,
    user_id     integer NOT NULL,
    list_name   text NOT NULL,
    name        text NOT NULL,
    query       text NOT NULL,
    is_default  boolean NOT NULL DEFAULT false,
    created_at  timestamptz(3) NOT NULL DEFAULT now(),
    updated_at  timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT saved_views_user_fkey FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id),
    CONSTRAINT saved_views_list_check CHECK (list_name ~ '^[a-z_]{1,40}$'),
    CONSTRAINT saved_views_name_check CHECK (length(name) BETWEEN 1 AND 60),
    CONSTRAINT saved_views_query_check CHECK (length(query) <= 2000),
    CONSTRAINT saved_views_name_key UNIQUE (account_id, user_id, list_name, name)
);
COMMENT ON TABLE saved_views IS 'Queries of lists that people saved under a name for themselves.';
CREATE UNIQUE INDEX saved_views_default_key ON saved_views (account_id, user_id, list_name) WHERE is_default;
