-- Beside the database `market`, of the monolith: one for each part.
create database beans;
create database inventory;
create database clients;
