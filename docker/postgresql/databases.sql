-- Beside the database `market`, of the monolith: one for each part, one for tokens, and one for limits.
create database beans;
create database inventory;
create database clients;
create database tokens;
create database limits;
