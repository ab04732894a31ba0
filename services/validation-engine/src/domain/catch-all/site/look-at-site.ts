import type { EmailAddress } from '@mailproof/shared-types';
import { looksRandom } from '@mailproof/shared-types/local-parts';
import { type Clock, type Deadline, within } from '../../concurrency/deadline.ts';
import type { WebClient } from '../web-client.ts';
import { isParked, kindOfAnswer, kindOfPage, type PageContent, type PageKind, pageKinds } from './page.ts';
import {
  mailtoAddresses,
  type OwnDomain,
  printedAddresses,
  printedKey,
  printedMax,
  statedAddresses,
} from './printed-addresses.ts';
import { type PrintedAddress, type PrintPlace, printPlaces, type SiteLook } from './site-look.ts';
import {
  createSiteVisit,
  type Got,
  type PageReader,
  type SiteVisit,
  type SpareRequests,
} from './site-visit.ts';

export interface LookPorts {
  readonly web: WebClient;
  readonly reader: PageReader;
  readonly clock: Clock;
  /** A name that no page and no mailbox has. */
  readonly madeUpName: () => string;
  /** Local parts that belong to functions, in lower case. */
  readonly roles: ReadonlySet<string>;
  /** The time of day, in milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** The most time for one look. */
export const siteTimeoutMs = 8_000;
/** So many addresses of which most are random letters are such a trap too: of names, 3 % look random. */
const inventedMin = 10;

/**
 * Looks at the public pages of a domain for addresses of the domain: robots.txt, a page that does not exist, and the
 * likeliest pages that these or the home page link to (ADR 0071). No request contains an address. Requests that others
 * did not need serve for more linked pages.
 */
export async function lookAtSite(
  ports: LookPorts,
  domain: OwnDomain,
  outerDeadline: Deadline,
  spare: SpareRequests = noneToSpare,
): Promise<SiteLook> {
  const deadline = within(ports.clock, outerDeadline, siteTimeoutMs);
  const visit = createSiteVisit(ports.web, ports.reader, domain, deadline, spare);
  const entered = await visit.enter();
  if (entered !== 'entered') {
    return { kind: entered };
  }
  const madeUp = ports.madeUpName();
  const control = await readMadeUp(ports, visit, domain, `/${madeUp}`);
  if (control === 'forbidden' || control === 'failed') {
    return { kind: control };
  }
  const pages = await readPages(ports, visit, domain, control);
  return pages === 'failed' ? { kind: 'failed' } : judgeSite(pages, control, madeUp, ports.roles);
}

const noneToSpare: SpareRequests = async () => 0;

/** The answer to a path that no site has. */
interface ControlPage {
  /** Whether the site answers as if the page existed. */
  readonly exists: boolean;
  readonly content: PageContent | undefined;
  readonly printed: readonly EmailAddress[];
}

async function readMadeUp(
  { reader }: LookPorts,
  visit: SiteVisit,
  domain: OwnDomain,
  path: string,
): Promise<ControlPage | 'failed' | 'forbidden'> {
  if (!visit.allows(path)) {
    return 'forbidden';
  }
  const got = await visit.get(path, 'page', false);
  if (got.kind === 'elsewhere') {
    return { exists: false, content: undefined, printed: [] };
  }
  if (got.kind !== 'response' || got.status >= 500 || got.status === 429) {
    return 'failed';
  }
  const exists = got.status < 300;
  const page = reader.page(got);
  // A site that has every page and lets none of them be read cannot be checked.
  if (exists && (page === undefined || page === 'forbidden')) {
    return page ?? 'failed';
  }
  const content = page === 'forbidden' ? undefined : page;
  return { exists, content, printed: content ? printedOn(content, 'home', domain).map(emailOf) : [] };
}

/** Reads the likeliest pages, as many as the visit allows. */
async function readPages(
  ports: LookPorts,
  visit: SiteVisit,
  domain: OwnDomain,
  control: ControlPage,
): Promise<PrintedAddress[] | 'failed'> {
  const links = new Map<string, PageKind>([['/', 'home']]);
  const visited = new Set<string>();
  // The same page under another name is one page; a site that has every page says nothing on it.
  const texts = new Set(control.exists ? [control.content?.text] : []);
  const printed: PrintedAddress[] = [];
  if (control.content !== undefined && isParked(control.content)) {
    return [];
  }
  noteLinks(links, visit, control.content);
  for (;;) {
    const path = nextPage(links, visited, visit);
    if (path === undefined || !(visit.hasRequests() || (await visit.extend()))) {
      break;
    }
    visited.add(path);
    const got = await visit.get(path, 'page');
    if (got.kind === 'failure') {
      return visited.size === 1 ? 'failed' : printed;
    }
    const content = pageIn(got, ports.reader);
    if (content !== undefined && isParked(content)) {
      return [];
    }
    const answeredAt = got.kind === 'response' ? got.path : path;
    visited.add(answeredAt);
    const kind = kindOfAnswer(links.get(path) ?? 'home', path, answeredAt);
    if (content !== undefined && kind !== undefined) {
      noteLinks(links, visit, content, answeredAt);
      printed.push(...(texts.has(content.text) ? [] : printedOn(content, kind, domain)));
      texts.add(content.text);
    }
  }
  return [...printed, ...(await readFiles(ports, visit, domain, visited))];
}

/** How many links to pages of one kind are considered: comparing each with robots.txt takes time. */
const linksOfKindMax = 5;

function noteLinks(
  links: Map<string, PageKind>,
  visit: SiteVisit,
  content: PageContent | undefined,
  from = '/',
): void {
  for (const { href, words } of content?.links ?? []) {
    const path = visit.pathOf(href, from);
    const kind = path === undefined ? undefined : kindOfPage(path, words);
    const ofKind = [...links.values()].filter(each => each === kind).length;
    if (path !== undefined && kind !== undefined && !links.has(path) && ofKind < linksOfKindMax) {
      links.set(path, kind);
    }
  }
}

/** The likeliest page that was not read yet; of two of a kind, the one that was linked first. */
function nextPage(
  links: ReadonlyMap<string, PageKind>,
  visited: ReadonlySet<string>,
  { allows }: Pick<SiteVisit, 'allows'>,
): string | undefined {
  const open = [...links].filter(([path]) => !visited.has(path) && allows(path));
  return open.toSorted(([, one], [, other]) => pageKinds.indexOf(one) - pageKinds.indexOf(other))[0]?.[0];
}

/** Reads the files that name contacts and pages, for sites that link to no such page. */
async function readFiles(
  { reader, nowMs }: LookPorts,
  visit: SiteVisit,
  domain: OwnDomain,
  visited: ReadonlySet<string>,
): Promise<PrintedAddress[]> {
  const read = async (path: string, accept: 'page' | 'file') =>
    visit.hasRequests() && visit.allows(path) ? await visit.get(path, accept) : undefined;
  const textOf = (got: Got | undefined) =>
    got?.kind === 'response' && got.status === 200 ? (reader.plainText(got) ?? '') : '';
  const security = textOf(await read('/.well-known/security.txt', 'file'));
  const printed = printedIn(
    contactsIn(security),
    isSecurityText(security, nowMs()) ? 'in_security_txt' : 'on_page',
    domain,
  );
  const sitemap = await read(visit.sitemapPath(), 'file');
  const urls = sitemap?.kind === 'response' && sitemap.status === 200 ? reader.sitemap(sitemap) : [];
  const links = new Map<string, PageKind>();
  noteLinks(links, visit, { ...emptyPage, links: urls.map(href => ({ href, words: '' })) });
  const path = nextPage(links, visited, visit);
  const got = path === undefined ? undefined : await read(path, 'page');
  const content = got && pageIn(got, reader);
  if (path !== undefined && got?.kind === 'response' && content !== undefined && !isParked(content)) {
    const kind = kindOfAnswer(links.get(path) ?? 'home', path, got.path);
    printed.push(...(kind === undefined ? [] : printedOn(content, kind, domain)));
  }
  const humans = textOf(await read('/humans.txt', 'file'));
  return [...printed, ...printedIn({ text: humans }, 'on_page', domain)];
}

/** Judges what pages print by what the page at a made-up path prints. */
function judgeSite(
  printed: readonly PrintedAddress[],
  control: ControlPage,
  madeUp: string,
  roles: ReadonlySet<string>,
): SiteLook {
  const onPages = new Set(printed.map(({ email }) => printedKey(email)));
  const onControl = new Set(control.printed.map(printedKey));
  const repeatsPath = [...onPages, ...onControl].some(key => key.includes(madeUp));
  // What all pages of a site print is on the others too. An address on the made-up page alone is made up, unless it is
  // a function's mailbox that such a page names for complaints.
  const invents = control.printed.some(
    email => !onPages.has(printedKey(email)) && !roles.has(email.localPart.text.toLowerCase()),
  );
  if (repeatsPath || invents || onPages.size > printedMax || areInvented(printed)) {
    return { kind: 'prints_anything' };
  }
  const best = new Map<string, PrintedAddress>();
  for (const found of printed.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    const key = printedKey(found.email);
    if (!best.has(key) && !(control.exists && onControl.has(key))) {
      best.set(key, found);
    }
  }
  return { kind: 'read', printed: [...best.values()] };
}

function areInvented(printed: readonly PrintedAddress[]): boolean {
  const localParts = [...new Set(printed.map(({ email }) => email.localPart.text.toLowerCase()))];
  return localParts.length >= inventedMin && localParts.filter(looksRandom).length * 2 > localParts.length;
}

function rankOf({ place }: PrintedAddress): number {
  return printPlaces.indexOf(place);
}

function emailOf({ email }: PrintedAddress): EmailAddress {
  return email;
}

function pageIn(got: Got, reader: PageReader): PageContent | undefined {
  const page = got.kind === 'response' && got.status === 200 ? reader.page(got) : undefined;
  return page === 'forbidden' ? undefined : page;
}

const placeOf: Readonly<Record<PageKind, PrintPlace>> = {
  contact: 'on_contact_page',
  imprint: 'on_contact_page',
  team: 'on_team_page',
  home: 'on_page',
  about: 'on_page',
  press: 'on_page',
};

function printedOn(content: PageContent, kind: PageKind, domain: OwnDomain): PrintedAddress[] {
  return [
    ...printedAddresses(content, domain).map((email): PrintedAddress => ({ email, place: placeOf[kind] })),
    ...statedAddresses(content.jsonLd, domain).map(
      // The data of a person is as old as the page that it is about.
      ({ email, isPersons }): PrintedAddress => ({
        email,
        place: isPersons ? placeOf[kind] : 'in_page_data',
      }),
    ),
  ];
}

const emptyPage: PageContent = { text: '', addresses: [], links: [], jsonLd: [] };

function printedIn(content: Partial<PageContent>, place: PrintPlace, domain: OwnDomain): PrintedAddress[] {
  return printedAddresses({ ...emptyPage, ...content }, domain).map(email => ({ email, place }));
}

/** The values of the contact fields (RFC 9116 section 2.5.3): a comment may thank a person who reported a fault. */
function contactsIn(text: string): Pick<PageContent, 'text' | 'addresses'> {
  const values = [...text.matchAll(/^contact:(.*)$/gim)].map(([, value = '']) => value.trim());
  const links = values.filter(value => /^mailto:/i.test(value));
  return {
    addresses: links.flatMap(mailtoAddresses),
    text: values.filter(value => !links.includes(value)).join('\n'),
  };
}

/** A security.txt (RFC 9116 section 2.5) that has not expired by its own account. */
function isSecurityText(text: string, nowMs: number): boolean {
  const expires = /^expires:\s*(\S+)/im.exec(text)?.[1];
  return /^contact:/im.test(text) && (expires === undefined || Date.parse(expires) > nowMs);
}
