import { syntheticCompany } from './synthetic-company.ts';
import { syntheticPerson } from './synthetic-person.ts';

/** Whom a newcomer can ask for. */
export interface SyntheticExamples {
  /** The profile of one invented person; absent where none was invented. */
  readonly profileUrl?: string;
  /** Companies of one industry, good seeds of a lookalike search. */
  readonly companyDomains: readonly string[];
}

const seedsMax = 3;
/** Among so many companies there are several of the commonest industry. */
const companiesRead = 100;

/** Names records that the generator makes for these numbers, so that examples that are shown to people work. */
export function syntheticExamples(numbers: {
  readonly seed: number;
  readonly companies: number;
  readonly people: number;
}): SyntheticExamples {
  const { seed, companies, people } = numbers;
  const count = Math.min(companies, companiesRead);
  const read = Array.from({ length: count }, (_, index) => syntheticCompany(seed, index));
  const byIndustry = Map.groupBy(read, ({ industry }) => industry);
  const [most = []] = [...byIndustry.values()].sort((a, b) => b.length - a.length);
  return {
    ...(people > 0 && { profileUrl: syntheticPerson(seed, 0, companies).profileUrl }),
    companyDomains: most.slice(0, seedsMax).flatMap(({ domain }) => domain ?? []),
  };
}
