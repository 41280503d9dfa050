-- Primary keys only: nothing keeps names apart.
drop index if exists country_name, company_name, variety_name, region_name_country_id, farm_name_region_id,
  mill_name_region_id, region_country_id, farm_region_id, mill_region_id, bean_farm_id, bean_mill_id,
  bean_company_id, bean_variety_id;
