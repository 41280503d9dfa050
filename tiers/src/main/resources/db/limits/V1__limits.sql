-- How much a client has left of its hour.
create table bucket (
  client text primary key,
  ends_at timestamptz not null,
  -- The library's own format.
  state bytea
);

create index on bucket (ends_at);
