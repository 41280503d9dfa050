-- Beside the database `market`, of the monolith: one for each part, and one for tokens.
create database beans;
create database inventory;
create database clients;
create database tokens;
