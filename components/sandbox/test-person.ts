export type TestPerson = {
  firstName: string;
  lastName: string;
  email: string;
  phone: string;
  password: string;
  dateOfBirth: Record<"month" | "day" | "year", string>;
  /** Nine digits, with no special ending. */
  ssn: string;
  address1: string;
  city: string;
  state: (typeof cities)[number]["state"];
  postalCode: string;
};

const firstNames =
  "Alma Ben Clara Dario Edith Felix Grace Hugo Irene Jonas Kira Leon Mara Noel Olga Paul Rosa Sam Tessa Victor";
const lastNames =
  "Alden Barlow Castillo Dawson Ellery Foster Garcia Hayes Ingram Jensen Keller Lowell Mercer Nolan Okafor Pruitt Reyes Sutton Tran Whitaker";
const streets = "Alder Bay Cedar Dock Elm Front Grove Hill Juniper Lake Maple Oak Pine River Spruce Walnut";
const cities = [
  { city: "Portland", state: "ME", postalCode: "04101", areaCode: "207" },
  { city: "Providence", state: "RI", postalCode: "02903", areaCode: "401" },
  { city: "Baltimore", state: "MD", postalCode: "21202", areaCode: "410" },
  { city: "Savannah", state: "GA", postalCode: "31401", areaCode: "912" },
  { city: "Madison", state: "WI", postalCode: "53703", areaCode: "608" },
  { city: "Duluth", state: "MN", postalCode: "55802", areaCode: "218" },
  { city: "Austin", state: "TX", postalCode: "78701", areaCode: "512" },
  { city: "Tucson", state: "AZ", postalCode: "85701", areaCode: "520" },
  { city: "Oakland", state: "CA", postalCode: "94607", areaCode: "510" },
  { city: "Astoria", state: "OR", postalCode: "97103", areaCode: "503" },
  { city: "Tacoma", state: "WA", postalCode: "98402", areaCode: "253" },
  { city: "Honolulu", state: "HI", postalCode: "96813", areaCode: "808" },
] as const;

export function newTestPerson(): TestPerson {
  const [firstName, lastName] = [oneOf(firstNames.split(" ")), oneOf(lastNames.split(" "))];
  const { areaCode, ...address } = oneOf(cities);
  const line = digits(1000, 9999);
  return {
    firstName,
    lastName,
    email: `${firstName}.${lastName}.${digits(1000, 9999)}@example.com`.toLowerCase(),
    phone: `(${areaCode}) 555-${line}`,
    password: `${oneOf(streets.split(" "))}-${oneOf(streets.split(" "))}-${digits(1000, 9999)}`.toLowerCase(),
    dateOfBirth: {
      month: digits(1, 12).padStart(2, "0"),
      day: digits(1, 28).padStart(2, "0"),
      year: digits(1955, 2003),
    },
    // No leading 0 in the last four: 0001 to 0004 are special.
    ssn: digits(100, 665) + digits(10, 99) + digits(1000, 9999),
    address1: `${digits(2, 980)} ${oneOf(streets.split(" "))} Street`,
    ...address,
  };
}

function oneOf<Item>(items: readonly Item[]): Item {
  const [item] = items.slice(Math.floor(Math.random() * items.length));
  if (item === undefined) throw new Error("Can't choose from an empty list.");
  return item;
}

function digits(least: number, most: number): string {
  return String(least + Math.floor(Math.random() * (most - least + 1)));
}
