-- The number of the last change of a client of the market; null of a client of the settings. A change that comes after
-- a later one is ignored. For that a removed client keeps its name and number, and has no secret.
alter table client
  add column version bigint,
  alter column secret drop not null;
