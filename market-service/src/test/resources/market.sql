-- Mexico has a region of twelve beans whose farms, mills and companies all differ, and of five varieties.
insert into beans.country (id, name) values (1, 'Mexico'), (2, 'Côte d''Ivoire'), (3, '100% _Arabica_');
insert into beans.region (id, name, country_id) values (1, 'veracruz', 1), (2, 'man', 2), (3, 'veracruz', 2);
insert into beans.farm (id, name, altitude, region_id)
  select n, 'farm ' || n, 1000 + n, 1 from generate_series(1, 12) n;
insert into beans.farm (id, name, altitude, region_id) values (13, 'l''été', null, 2);
insert into beans.mill (id, name, region_id) select n, 'mill ' || n, 1 from generate_series(1, 12) n;
insert into beans.company (id, name, phone, email)
  select n, 'company ' || n, null, 'sales@company' || n || '.example' from generate_series(1, 12) n;
insert into beans.variety (id, name, type) values
  (1, 'Bourbon', 'ARABICA'), (2, 'Typica', 'ARABICA'), (3, 'Caturra', 'ARABICA'), (4, 'Gesha', 'ARABICA'),
  (5, 'Mundo Novo', 'ARABICA'), (6, 'Robusta', 'ROBUSTA');
insert into beans.bean (id, harvest_year, processing_method, color, farm_id, mill_id, company_id, variety_id)
  select n, 2012, 'Washed / Wet', 'Green', n, n, n, 1 + n % 5 from generate_series(1, 12) n;
-- Without a mill; without a farm.
insert into beans.bean (id, harvest_year, processing_method, color, farm_id, mill_id, company_id, variety_id) values
  (13, null, null, null, 13, null, 1, 6),
  (14, 2016, 'Natural / Dry', 'Brown', null, null, 2, 6);
