-- A change that the token server is to know is written here first, with a number greater than that of each earlier one.
create sequence client_version;

alter table client
  -- PENDING: not added until the token server has it. REMOVING: removed as soon as the token server has removed it.
  add column state text not null default 'ACTIVE' check (state in ('PENDING', 'ACTIVE', 'REMOVING')),
  -- The last change, and the last one that the token server has confirmed; null if it has no such client.
  add column version bigint not null default 0,
  add column confirmed bigint,
  add column since timestamptz not null default now();

drop index client_name;

-- No two clients differ only in the case of letters.
create unique index client_name on client (lower(name)) where state <> 'REMOVING';

-- Few at any time.
create index client_unconfirmed on client (id) where state <> 'ACTIVE' or confirmed <> version;
