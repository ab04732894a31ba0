import { bandOf, companySizeBands, type EnrichedProfile } from '@mailproof/shared-types';
import { type ProfileUrl, parseProfileUrl } from '../profile-url/parse-profile-url.ts';
import { readDomain } from '../reading/web-address.ts';
import { isNode, isOfType, type JsonLdNode, jsonLdNodes, listOf, textOf, textsOf } from './json-ld-nodes.ts';
import type { PageFacts } from './page-facts.ts';

const personTypes = new Set(['Person']);
const namedProfilesMax = 50;
const pageTypes = new Set(['ProfilePage', 'AboutPage']);
const organisationTypes = new Set(
  'Organization Corporation LocalBusiness EducationalOrganization CollegeOrUniversity School NGO GovernmentOrganization NewsMediaOrganization ResearchOrganization OnlineBusiness OnlineStore ProfessionalService MedicalOrganization'.split(
    ' ',
  ),
);

/**
 * What a public page says of the profile that it shows: by its JSON-LD (schema.org), else by OpenGraph. A page that speaks
 * of several people, or of the organisation that publishes it, says nothing of the profile unless it says whose it is.
 */
export function readProfilePage(facts: PageFacts, profile: ProfileUrl): EnrichedProfile | undefined {
  const nodes = jsonLdNodes(facts.jsonLd);
  const person = profile.kind === 'organisation' ? undefined : subjectOf(nodes, personTypes, profile);
  if (person) {
    return personOf(person);
  }
  const organisation = profile.kind === 'person' ? undefined : organisationNode(nodes, profile);
  return organisation ? organisationOf(organisation) : openGraphOf(facts.meta, profile);
}

/** Every address by which a page names people: profiles of those of whom it speaks. */
export function namedProfiles(facts: PageFacts): string[] {
  return jsonLdNodes(facts.jsonLd)
    .filter(node => isOfType(node, personTypes))
    .flatMap(node => ['url', '@id', 'sameAs', 'mainEntityOfPage'].flatMap(member => textsOf(node[member])))
    .slice(0, namedProfilesMax);
}

/** The one node that the page is about. */
function subjectOf(
  nodes: readonly JsonLdNode[],
  types: ReadonlySet<string>,
  profile: ProfileUrl,
): JsonLdNode | undefined {
  const candidates = nodes.filter(
    node => isOfType(node, types) && textOf(node['name'] ?? node['familyName']) !== undefined,
  );
  const mainEntities = nodes
    .filter(node => isOfType(node, pageTypes))
    .flatMap(page => listOf(page['mainEntity'] ?? page['about']))
    .flatMap(entity => (isNode(entity) ? [entity['@id'], entity] : [entity]));
  const main = candidates.find(
    node => mainEntities.includes(node) || (node['@id'] !== undefined && mainEntities.includes(node['@id'])),
  );
  const named = candidates.find(node => isNamed(node, profile));
  // The same node is often given twice, once with all it says and once as somebody's author or founder.
  const names = new Set(candidates.map(node => textOf(node['@id']) ?? textOf(node['name'])));
  return main ?? named ?? (names.size === 1 ? candidates[0] : undefined);
}

/** Where nothing tells that the profile is an organisation's, the page has to say so; else it is the publisher that is named. */
function organisationNode(nodes: readonly JsonLdNode[], profile: ProfileUrl): JsonLdNode | undefined {
  const isWebsite = profile.network === undefined && !profile.profileKey.includes('/');
  return isWebsite || profile.kind === 'organisation'
    ? subjectOf(nodes, organisationTypes, profile)
    : nodes.find(node => isOfType(node, organisationTypes) && isNamed(node, profile));
}

/** Whether a node bears the profile's own URL. */
function isNamed(node: JsonLdNode, { profileKey }: ProfileUrl): boolean {
  return ['url', '@id', 'sameAs', 'mainEntityOfPage'].some(member =>
    listOf(node[member]).some(
      value =>
        typeof value === 'string' && parseProfileUrl(value.replace(/#.*$/, ''))?.profileKey === profileKey,
    ),
  );
}

function personOf(node: JsonLdNode): EnrichedProfile {
  const name = textOf(node['name']);
  const title = textOf(node['jobTitle'] ?? node['hasOccupation']);
  return known({
    kind: 'person',
    ...namesOf(textOf(node['givenName']), textOf(node['familyName']), name),
    full_name: name,
    headline: title ?? textOf(node['disambiguatingDescription']),
    job_title: title,
    company: textOf(node['worksFor'] ?? node['affiliation']),
    company_domain: domainOf(node['worksFor'] ?? node['affiliation']),
    description: textOf(node['description']),
    keywords: textsOf(node['knowsAbout']),
    ...placeOf(node['address'] ?? node['homeLocation'] ?? node['workLocation']),
  });
}

/** The domain of the first employer that names its website. */
function domainOf(employers: unknown): string | undefined {
  for (const employer of listOf(employers)) {
    const address = isNode(employer) ? (textOf(employer['url']) ?? textOf(employer['@id'])) : undefined;
    const domain = /^https?:/i.test(address ?? '') ? readDomain(address ?? '') : undefined;
    if (domain !== undefined) {
      return domain;
    }
  }
  return undefined;
}

function organisationOf(node: JsonLdNode): EnrichedProfile {
  const employees = employeesOf(node['numberOfEmployees']);
  const year = /^\d{4}/.exec(textOf(node['foundingDate']) ?? '')?.[0];
  return known({
    kind: 'organisation',
    company: textOf(node['legalName'] && !node['name'] ? node['legalName'] : node['name']),
    description: textOf(node['description'] ?? node['slogan']),
    industry: textOf(node['industry']),
    employee_count: employees,
    company_size: employees === undefined ? undefined : bandOf(companySizeBands, employees),
    founded_year: year === undefined ? undefined : Number(year),
    website: websiteOf(textOf(node['url'])),
    keywords: textsOf(node['knowsAbout'] ?? node['keywords']),
    ...placeOf(node['address'] ?? node['location']),
  });
}

/** Only a page that says that it is a profile; what others call a title is a headline of a page. */
function openGraphOf(meta: PageFacts['meta'], { kind }: ProfileUrl): EnrichedProfile | undefined {
  if (meta.get('og:type')?.trim().toLowerCase() !== 'profile') {
    return undefined;
  }
  const title = meta.get('og:title');
  if (kind === 'organisation') {
    return known({ kind, company: title, description: meta.get('og:description') });
  }
  return known({
    kind: 'person',
    first_name: meta.get('profile:first_name'),
    last_name: meta.get('profile:last_name'),
    headline: meta.get('og:description'),
    full_name: title,
  });
}

/** A whole name is parted only where there is but one way to. */
function namesOf(given: string | undefined, family: string | undefined, name = '') {
  const words = name.trim().split(/\s+/);
  const [first, last] =
    given === undefined && family === undefined && words.length === 2 ? words : [given, family];
  return { first_name: first, last_name: last };
}

function placeOf(value: unknown) {
  const [first] = listOf(value);
  const place = isNode(first) && isNode(first['address']) ? first['address'] : first;
  return isNode(place)
    ? {
        city: textOf(place['addressLocality']),
        region: textOf(place['addressRegion']),
        country: textOf(place['addressCountry']),
      }
    : {};
}

function employeesOf(value: unknown): number | undefined {
  const [first] = listOf(value);
  const count = Number(isNode(first) ? (first['value'] ?? first['minValue']) : first);
  return first !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function websiteOf(text: string | undefined): string | undefined {
  const url = URL.parse(text ?? '');
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

function known(
  fields: { readonly [Field in keyof EnrichedProfile]: EnrichedProfile[Field] | undefined },
): EnrichedProfile {
  const entries = Object.entries(fields).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(entries) as EnrichedProfile;
}
