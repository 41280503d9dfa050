-- Names, and every reference.
drop index if exists country_name, company_name, variety_name, region_name_country_id, farm_name_region_id,
  mill_name_region_id, region_country_id, farm_region_id, mill_region_id, bean_farm_id, bean_mill_id,
  bean_company_id, bean_variety_id;

create unique index country_name on country (name);
create unique index company_name on company (name);
create unique index variety_name on variety (name);
create unique index region_name_country_id on region (name, country_id);
create unique index farm_name_region_id on farm (name, region_id);
create unique index mill_name_region_id on mill (name, region_id);

create index region_country_id on region (country_id);
create index farm_region_id on farm (region_id);
create index mill_region_id on mill (region_id);
create index bean_farm_id on bean (farm_id);
create index bean_mill_id on bean (mill_id);
create index bean_company_id on bean (company_id);
create index bean_variety_id on bean (variety_id);
