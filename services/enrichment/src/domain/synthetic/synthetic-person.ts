import type { PersonRecord } from '../profile-store/person-record.ts';
import { leaders, ranks, roles } from './job-titles.ts';
import { personNames } from './person-names.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';
import { type SyntheticEmployer, syntheticEmployer } from './synthetic-company.ts';

/** Keeps the numbers of people apart from those of companies. */
const stream = 2;

const badges = ['verified', 'premium', 'top_voice', 'open_to_work', 'hiring', 'creator'] as const;

/**
 * A person who does not exist, the same one for the same seed, index and number of companies. They work for one of the
 * synthetic companies of the same seed, never for a real one, and their profile stands at a `.example` host (RFC 2606).
 */
export function syntheticPerson(seed: number, index: number, companies: number): PersonRecord {
  const random = seededRandom(seed, stream, index);
  // Few companies have most of the people.
  const employer = syntheticEmployer(seed, Math.floor(random.next() ** 2 * Math.max(companies, 1)));
  const { first, last } = personNames[employer.place.names];
  const firstName = random.pick(first);
  const lastName = random.pick(last);
  const work = workOf(employer, random);
  const slug = `${firstName}-${lastName}-${(seed >>> 0).toString(36)}-${index.toString(36)}`.toLowerCase();
  const connectionCount = Math.floor(random.next() ** 2 * 3_000);
  return {
    profileKey: `people.example/in/${slug}`,
    profileUrl: `https://people.example/in/${slug}`,
    fullName: `${firstName} ${lastName}`,
    firstName,
    lastName,
    headline: headlineOf(work.jobTitle, work.keywords, employer, random),
    ...work,
    companyName: employer.name,
    companyDomain: employer.domain,
    country: employer.place.country,
    region: employer.place.region,
    city: employer.place.city,
    website: random.happens(0.05) ? `https://${slug}.example/` : null,
    followerCount: Math.floor(connectionCount * (0.8 + random.next() ** 6 * 20)),
    connectionCount,
    profileBadges: random.happens(0.2) ? random.some(badges, 1 + random.below(2)) : [],
  };
}

type Work = Pick<PersonRecord, 'jobTitle' | 'seniority' | 'department' | 'keywords'> & {
  readonly jobTitle: string;
};

function workOf({ employeeCount, phrases }: SyntheticEmployer, random: SeededRandom): Work {
  const role = random.pickWeighted(roles);
  const keywords = [...random.some(role.keywords, 2), random.pick(phrases.keywords)];
  const isSmall = employeeCount <= 50;
  if (random.happens(isSmall ? 0.12 : 0.01)) {
    const { title, seniority } = isSmall ? random.pick(leaders.small) : random.pick(leaders.large);
    return { jobTitle: title, seniority, department: null, keywords };
  }
  const rank = random.pickWeighted(ranks);
  const isLed = rank.seniority === 'cxo' && role.chief === undefined;
  return {
    jobTitle: rank.title(role, random.pick(role.workers)),
    seniority: isLed ? 'director' : rank.seniority,
    department: role.department,
    keywords,
  };
}

function headlineOf(
  jobTitle: string,
  keywords: readonly string[],
  { name, phrases }: SyntheticEmployer,
  random: SeededRandom,
): string {
  const [keyword = phrases.industry] = keywords;
  return random.pick([
    `${jobTitle} at ${name}`,
    `${jobTitle} at ${name} | ${keyword}`,
    `${jobTitle} | ${phrases.industry} | ${keyword}`,
  ]);
}
