insert into inventory.stock (bean_id, quantity, price) select n, 100, 20 + n from generate_series(1, 13) n;
