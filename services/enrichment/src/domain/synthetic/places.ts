interface Place {
  readonly weight: number;
  readonly country: string;
  readonly region: string;
  readonly city: string;
  /** Whose names people there mostly bear. */
  readonly names:
    | 'english'
    | 'german'
    | 'romance'
    | 'nordic'
    | 'slavic'
    | 'south_asian'
    | 'east_asian'
    | 'arabic';
}

function place(weight: number, country: string, region: string, city: string, names: Place['names']): Place {
  return { weight, country, region, city, names };
}

/** Where synthetic companies and people are; big places weigh more. */
export const places: readonly [Place, ...Place[]] = [
  place(9, 'US', 'New York', 'New York', 'english'),
  place(8, 'US', 'California', 'San Francisco', 'english'),
  place(6, 'US', 'California', 'Los Angeles', 'english'),
  place(5, 'US', 'Texas', 'Austin', 'english'),
  place(5, 'US', 'Illinois', 'Chicago', 'english'),
  place(4, 'US', 'Massachusetts', 'Boston', 'english'),
  place(4, 'US', 'Washington', 'Seattle', 'english'),
  place(3, 'US', 'Colorado', 'Denver', 'english'),
  place(3, 'US', 'Georgia', 'Atlanta', 'english'),
  place(3, 'US', 'Florida', 'Miami', 'romance'),
  place(3, 'US', 'Ohio', 'Columbus', 'english'),
  place(4, 'CA', 'Ontario', 'Toronto', 'english'),
  place(2, 'CA', 'Quebec', 'Montreal', 'romance'),
  place(2, 'CA', 'British Columbia', 'Vancouver', 'english'),
  place(8, 'GB', 'England', 'London', 'english'),
  place(3, 'GB', 'England', 'Manchester', 'english'),
  place(2, 'GB', 'Scotland', 'Edinburgh', 'english'),
  place(2, 'IE', 'Leinster', 'Dublin', 'english'),
  place(4, 'DE', 'Berlin', 'Berlin', 'german'),
  place(4, 'DE', 'Bavaria', 'Munich', 'german'),
  place(3, 'DE', 'Hamburg', 'Hamburg', 'german'),
  place(2, 'AT', 'Vienna', 'Vienna', 'german'),
  place(3, 'CH', 'Zurich', 'Zurich', 'german'),
  place(4, 'FR', 'Ile-de-France', 'Paris', 'romance'),
  place(2, 'FR', 'Auvergne-Rhone-Alpes', 'Lyon', 'romance'),
  place(3, 'ES', 'Madrid', 'Madrid', 'romance'),
  place(2, 'ES', 'Catalonia', 'Barcelona', 'romance'),
  place(3, 'IT', 'Lombardy', 'Milan', 'romance'),
  place(2, 'PT', 'Lisbon', 'Lisbon', 'romance'),
  place(3, 'NL', 'North Holland', 'Amsterdam', 'german'),
  place(2, 'BE', 'Brussels', 'Brussels', 'romance'),
  place(2, 'SE', 'Stockholm', 'Stockholm', 'nordic'),
  place(2, 'DK', 'Capital Region', 'Copenhagen', 'nordic'),
  place(2, 'NO', 'Oslo', 'Oslo', 'nordic'),
  place(1, 'FI', 'Uusimaa', 'Helsinki', 'nordic'),
  place(3, 'PL', 'Masovia', 'Warsaw', 'slavic'),
  place(2, 'CZ', 'Prague', 'Prague', 'slavic'),
  place(1, 'UA', 'Kyiv', 'Kyiv', 'slavic'),
  place(6, 'IN', 'Karnataka', 'Bengaluru', 'south_asian'),
  place(4, 'IN', 'Maharashtra', 'Mumbai', 'south_asian'),
  place(3, 'IN', 'Telangana', 'Hyderabad', 'south_asian'),
  place(3, 'SG', 'Singapore', 'Singapore', 'east_asian'),
  place(3, 'JP', 'Tokyo', 'Tokyo', 'east_asian'),
  place(2, 'KR', 'Seoul', 'Seoul', 'east_asian'),
  place(3, 'AU', 'New South Wales', 'Sydney', 'english'),
  place(2, 'AU', 'Victoria', 'Melbourne', 'english'),
  place(1, 'NZ', 'Auckland', 'Auckland', 'english'),
  place(2, 'AE', 'Dubai', 'Dubai', 'arabic'),
  place(1, 'EG', 'Cairo', 'Cairo', 'arabic'),
  place(2, 'ZA', 'Gauteng', 'Johannesburg', 'english'),
  place(4, 'BR', 'Sao Paulo', 'Sao Paulo', 'romance'),
  place(2, 'MX', 'Mexico City', 'Mexico City', 'romance'),
  place(1, 'AR', 'Buenos Aires', 'Buenos Aires', 'romance'),
];
