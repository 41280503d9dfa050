package testbed.market.data;

import java.util.List;

/** Names of things. Some have what breaks careless filters: quotes, accents, %, _ and \. */
final class Names {

  static final List<String> COUNTRIES =
      List.of(
          "Mexico",
          "Colombia",
          "Guatemala",
          "Brazil",
          "Taiwan",
          "United States (Hawaii)",
          "Honduras",
          "Costa Rica",
          "Ethiopia",
          "Tanzania",
          "Uganda",
          "Thailand",
          "Nicaragua",
          "Kenya",
          "El Salvador",
          "Indonesia",
          "China",
          "India",
          "Malawi",
          "Peru",
          "United States",
          "Myanmar",
          "Vietnam",
          "Haiti",
          "Philippines",
          "Panama",
          "United States (Puerto Rico)",
          "Ecuador",
          "Laos",
          "Burundi",
          "Rwanda",
          "Japan",
          "Zambia",
          "Papua New Guinea",
          "Mauritius",
          "Côte d'Ivoire");

  static final List<String> VARIETIES =
      List.of(
          "Caturra",
          "Bourbon",
          "Typica",
          "Other",
          "Catuai",
          "Hawaiian Kona",
          "Yellow Bourbon",
          "Mundo Novo",
          "SL14",
          "SL28",
          "Catimor",
          "Pacas",
          "Gesha",
          "Pacamara",
          "SL34",
          "Arusha",
          "Peaberry",
          "Sumatra",
          "Mandheling",
          "Blue Mountain",
          "Sulawesi",
          "Ethiopian Yirgacheffe",
          "Ruiru 11",
          "Ethiopian Heirlooms",
          "Marigojipe",
          "Java",
          "Moka Peaberry",
          "Pache Comun",
          "Sumatra Lintong",
          "Maragogype");

  private static final List<String> PLACES =
      List.of(
          "Aurora",
          "Rosa",
          "Verde",
          "Juan",
          "María",
          "Ángel",
          "José",
          "Núñez",
          "São João",
          "Miguel",
          "O'Higgins",
          "D'Água",
          "\"Real\"",
          "100% Altura",
          "del_Sur",
          "Alto\\Bajo",
          "Esperanza",
          "Fátima",
          "Lucía",
          "Pedro",
          "Blanca",
          "Negra",
          "Grande",
          "Nueva",
          "Vieja",
          "Clara",
          "Cruz",
          "Fe",
          "Isabel",
          "Elena",
          "Tomás",
          "Martín",
          "Andrés",
          "Marcos",
          "Lima",
          "Palma",
          "Norte",
          "Oeste",
          "Mayor",
          "Menor");

  private static final List<String> LANDS =
      List.of("San", "Santa", "Valle", "Monte", "Río", "Cerro", "Villa", "Alto", "Puerto", "Loma");
  private static final List<String> FARMS = List.of("Finca", "Hacienda", "Fazenda", "Granja");
  private static final List<String> COMPANIES =
      List.of("S.A.", "Ltda.", "Ltd", "& Co.", "GmbH", "Trading", "Exports");

  private static final int LONGEST = 200;

  private Names() {}

  /** Returns the name of a region, which no other one of its country has. */
  static String region(int country, int number) {
    // The seed's own example, and the largest region of all.
    if (number == 0 && country == 0) {
      return "Veracruz";
    }
    if (number == 0 && country == 2) {
      return "Oriente";
    }
    if (number == 0 && country == COUNTRIES.size() - 1) {
      return "Sassandra-".repeat(LONGEST / 10);
    }
    int names = LANDS.size() * PLACES.size();
    // 147 and the number of names have no common divisor.
    int name = Math.floorMod(147 * (number + 7 * country), names);
    var text = LANDS.get(name % LANDS.size()) + " " + PLACES.get(name / LANDS.size());
    return number < names ? text : text + " " + (number / names + 1);
  }

  /** Returns the name of a farm, which no other one of its region has. */
  static String farm(int region, int number) {
    return FARMS.get(region % FARMS.size()) + " " + place(region, number);
  }

  /** Returns the name of a mill, which no other one of its region has. */
  static String mill(int region, int number) {
    return "Beneficio " + place(region, number);
  }

  /** Returns the name of a company, which no other one has. */
  static String company(int number) {
    return PLACES.get(number % PLACES.size()) + " Coffee " + COMPANIES.get(number / PLACES.size());
  }

  private static String place(int region, int number) {
    return PLACES.get((11 * region + number) % PLACES.size());
  }
}
