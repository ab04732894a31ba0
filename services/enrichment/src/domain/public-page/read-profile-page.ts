import { bandOf, companySizeBands, type EnrichedProfile } from '@mailproof/shared-types';
import { readDomain } from '@mailproof/shared-types/web-address';
import { type ProfileUrl, parseProfileUrl } from '../profile-url/parse-profile-url.ts';
import type { PageFacts } from './forbidden-pages.ts';

const personTypes = new Set(['Person']);
const namedProfilesMax = 50;
const pageTypes = new Set(['ProfilePage', 'AboutPage']);
const organizationTypes = new Set(
  'Organization Corporation LocalBusiness EducationalOrganization CollegeOrUniversity School NGO GovernmentOrganization NewsMediaOrganization ResearchOrganization OnlineBusiness OnlineStore ProfessionalService MedicalOrganization'.split(
    ' ',
  ),
);

/**
 * Reads a profile from its public page: from JSON-LD (schema.org), or else from OpenGraph. A page about several people,
 * or about the organization that publishes it, is ignored unless it says which one the profile is of.
 */
export function readProfilePage(facts: PageFacts, profile: ProfileUrl): EnrichedProfile | undefined {
  const nodes = jsonLdNodes(facts.jsonLd);
  const person = profile.kind === 'organisation' ? undefined : subjectOf(nodes, personTypes, profile);
  if (person) {
    return personOf(person);
  }
  const organisation = profile.kind === 'person' ? undefined : organizationNode(nodes, profile);
  return organisation ? organizationOf(organisation) : openGraphOf(facts.meta, profile);
}

/** Returns every URL by which a page identifies people: the profiles of the people it describes. */
export function namedProfiles(facts: PageFacts): string[] {
  return jsonLdNodes(facts.jsonLd)
    .filter(node => isOfType(node, personTypes))
    .flatMap(node => ['url', '@id', 'sameAs', 'mainEntityOfPage'].flatMap(member => textsOf(node[member])))
    .slice(0, namedProfilesMax);
}

/** Returns the one node that the page is about. */
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
  // The same node often appears twice: once in full and once as the author or founder of something.
  const names = new Set(candidates.map(node => textOf(node['@id']) ?? textOf(node['name'])));
  return main ?? named ?? (names.size === 1 ? candidates[0] : undefined);
}

/**
 * If the profile's URL does not mark it as an organization's, the organization's node must name that URL; otherwise it
 * could be the publisher.
 */
function organizationNode(nodes: readonly JsonLdNode[], profile: ProfileUrl): JsonLdNode | undefined {
  const isWebsite = profile.network === undefined && !profile.profileKey.includes('/');
  return isWebsite || profile.kind === 'organisation'
    ? subjectOf(nodes, organizationTypes, profile)
    : nodes.find(node => isOfType(node, organizationTypes) && isNamed(node, profile));
}

/** Whether a node has the profile's own URL. */
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
    ...locationOf(node['address'] ?? node['homeLocation'] ?? node['workLocation']),
  });
}

/** Returns the domain of the first employer with a website. */
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

function organizationOf(node: JsonLdNode): EnrichedProfile {
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
    ...locationOf(node['address'] ?? node['location']),
  });
}

/** Accepts only pages of type `profile`; on other pages the title is a headline. */
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

/** Splits a full name only if there is only one way to split it. */
function namesOf(given: string | undefined, family: string | undefined, name = '') {
  const words = name.trim().split(/\s+/);
  const [first, last] =
    given === undefined && family === undefined && words.length === 2 ? words : [given, family];
  return { first_name: first, last_name: last };
}

function locationOf(value: unknown) {
  const [first] = listOf(value);
  const location = isNode(first) && isNode(first['address']) ? first['address'] : first;
  return isNode(location)
    ? {
        city: textOf(location['addressLocality']),
        region: textOf(location['addressRegion']),
        country: textOf(location['addressCountry']),
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

type JsonLdNode = Readonly<Record<string, unknown>>;

const depthMax = 8;
const nodesMax = 500;

/** The members that hold the subject of a page. A person found elsewhere is an employer, colleague or author. */
const subjects = ['@graph', 'mainEntity', 'about'] as const;

/** Returns the nodes that a page can be about, at any nesting in arrays, `@graph` and pages, outermost first. */
function jsonLdNodes(contents: readonly unknown[]): JsonLdNode[] {
  const nodes: JsonLdNode[] = [];
  let layer: unknown[] = [...contents];
  for (let depth = 0; depth < depthMax && layer.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const value of layer) {
      if (Array.isArray(value)) {
        next.push(...value.slice(0, nodesMax));
      } else if (isNode(value) && nodes.length < nodesMax) {
        nodes.push(value);
        next.push(...subjects.map(member => value[member]));
      }
    }
    layer = next.slice(0, nodesMax * 4);
  }
  return nodes;
}

/** Types appear alone or in a list, as bare names or as URLs: `Person`, `https://schema.org/Person`. */
function isOfType(node: JsonLdNode, types: ReadonlySet<string>): boolean {
  return listOf(node['@type']).some(
    type => typeof type === 'string' && types.has(type.replace(/^.*[/#:]/, '')),
  );
}

/** Returns the first text of a value that is a text, a list, or a node with a name. */
function textOf(value: unknown): string | undefined {
  for (const entry of listOf(value)) {
    const text = isNode(entry) ? (entry['name'] ?? entry['@value']) : entry;
    if (typeof text === 'string' && text.trim() !== '') {
      return text;
    }
  }
  return undefined;
}

function textsOf(value: unknown): string[] {
  return listOf(value).flatMap(entry => textOf(entry) ?? []);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

function isNode(value: unknown): value is JsonLdNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
