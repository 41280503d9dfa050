-- The one key that signs tokens, with its private part.
create table signing_key (
  id integer primary key check (id = 1),
  jwk text not null
);

create table client (
  name text primary key,
  -- How it is hashed, in braces, and the hash.
  secret text not null,
  -- Separated by spaces.
  scopes text not null,
  enabled boolean not null default true
);

-- No two clients differ only in the case of letters.
create unique index client_name on client (lower(name));
