import { getDomain } from 'tldts';
import { type Deadline, isOver } from '../../concurrency/deadline.ts';
import { lookUp } from '../../outcomes/outcome-store.ts';
import type { WebClient, WebOutcome } from '../web-client.ts';
import type { PageContent } from './page.ts';
import type { OwnDomain } from './printed-addresses.ts';

export type WebResponse = Extract<WebOutcome, { kind: 'response' }>;

/** What a site's robots.txt says, by path. */
export interface SiteRules {
  allows(path: string): boolean;
  /** URLs. */
  readonly sitemaps: readonly string[];
}

/** Reads what web servers send; undefined for what is not of the expected kind. */
export interface PageReader {
  /** Undefined if nothing may be read for now. */
  robots(host: string, response: WebResponse): SiteRules | undefined;
  /** `forbidden` if the page asks programs not to store what it says. */
  page(response: WebResponse): PageContent | 'forbidden' | undefined;
  plainText(response: WebResponse): string | undefined;
  /** The URLs in a sitemap. */
  sitemap(response: WebResponse): readonly string[];
}

/** The most requests of one visit, redirects included. */
export const requestsMax = 4;
/** How many more there may be if others did not need theirs. */
const spareRequestsMax = 2;
/** The domain and one other host, such as www: each costs DNS queries. */
const hostsMax = 2;
/** Longer answers are not read. */
export const pageOctetsMax = 512 * 1_024;

/** Longer paths are not requested: comparing one with robots.txt takes time in proportion to its length. */
const pathCharactersMax = 2_000;

export type Accept = 'page' | 'file';

const accepts: Readonly<Record<Accept, string>> = {
  page: 'text/html, application/xhtml+xml',
  file: 'text/plain, application/xml, text/xml, */*;q=0.1',
};

/** Says how many HTTPS requests for the address are left that its other sources did not need, once these have ended. */
export type SpareRequests = () => Promise<number>;

export type Got =
  | (WebResponse & {
      /** Where the site answered, after redirects. */
      readonly path: string;
    })
  | Exclude<WebOutcome, WebResponse>
  | { readonly kind: 'elsewhere' };

/** A visit to the site of a domain: a few requests to one host, within robots.txt and a deadline. */
export interface SiteVisit {
  /** Reads robots.txt, which also shows whether the site is at another host of the domain. */
  enter(): Promise<'entered' | 'no_site' | 'failed'>;
  /** `elsewhere` if the site redirects to where we do not follow, `failure` also if no request is left. */
  get(path: string, accept: Accept, follows?: boolean): Promise<Got>;
  hasRequests(): boolean;
  /** Takes requests that others did not need, once; true if there are any. */
  extend(): Promise<boolean>;
  allows(path: string): boolean;
  /** The path on the site's host that a link on a page leads to, if it leads there. */
  pathOf(href: string, from?: string): string | undefined;
  sitemapPath(): string;
}

export function createSiteVisit(
  web: WebClient,
  reader: PageReader,
  domain: OwnDomain,
  deadline: Deadline,
  spare: SpareRequests,
): SiteVisit {
  let requestsLeft = requestsMax;
  let isExtended = false;
  const hosts = new Set<string>();
  let host = domain.ascii;
  let rules: SiteRules = { allows: () => true, sitemaps: [] };
  const allowed = new Map<string, boolean>();

  function allows(path: string): boolean {
    const known = allowed.get(path) ?? rules.allows(path);
    allowed.set(path, known);
    return known;
  }

  interface Place {
    readonly host: string;
    readonly path: string;
  }

  /** Requests a place, and those that it redirects to as long as they may be followed. */
  async function request(
    start: Place,
    accept: Accept,
    mayFollow: (to: Place) => boolean,
  ): Promise<{ readonly got: Got; readonly at: Place }> {
    let at = start;
    for (;;) {
      if (requestsLeft === 0 || isOver(deadline)) {
        return { got: { kind: 'failure' }, at };
      }
      if (hosts.add(at.host).size > hostsMax) {
        return { got: { kind: 'elsewhere' }, at };
      }
      requestsLeft -= 1;
      const got = await web.get({ ...at, accept: accepts[accept], octetsMax: pageOctetsMax }, deadline);
      if (got.kind === 'no_such_host') {
        // DNS has answered, and no request was made.
        requestsLeft += 1;
      }
      const location = redirectOf(got);
      if (location === undefined) {
        return { got: got.kind === 'response' ? { ...got, path: at.path } : got, at };
      }
      const target = ownPlace(location, at);
      if (target === undefined || !mayFollow(target)) {
        return { got: { kind: 'elsewhere' }, at };
      }
      at = target;
    }
  }

  /** Only pages of the same registrable domain speak for a domain, and only at the usual port. */
  function ownPlace(href: string, from: Place): Place | undefined {
    const url = URL.parse(href, `https://${from.host}${from.path}`);
    const isOwn =
      url !== null &&
      url.protocol === 'https:' &&
      url.port === '' &&
      url.username === '' &&
      registrable(url.hostname) === registrable(domain.ascii);
    const path = `${url?.pathname}${url?.search}`;
    return isOwn && path.length <= pathCharactersMax ? { host: url.hostname, path } : undefined;
  }

  function pathOf(href: string, from = '/'): string | undefined {
    // Many sites that have moved to HTTPS still link by HTTP.
    const place = ownPlace(href.replace(/^http:/i, 'https:'), { host, path: from });
    return place?.host === host ? place.path : undefined;
  }

  return {
    async enter() {
      const path = '/robots.txt';
      let { got, at } = await request({ host, path }, 'file', () => true);
      if (got.kind === 'no_such_host' || got.kind === 'failure') {
        // Registrars redirect many domains to their www host by HTTP alone.
        const www = await request({ host: `www.${domain.ascii}`, path }, 'file', () => true);
        if (got.kind === 'no_such_host' || www.got.kind === 'response') {
          ({ got, at } = www);
        }
      }
      if (got.kind === 'no_such_host' || got.kind === 'elsewhere') {
        return 'no_site';
      }
      const read = got.kind === 'response' ? reader.robots(at.host, got) : undefined;
      host = at.host;
      rules = read ?? rules;
      return read === undefined ? 'failed' : 'entered';
    },
    async get(path, accept, follows = true) {
      const mayFollow = (to: Place) => follows && to.host === host && allows(to.path);
      return (await request({ host, path }, accept, mayFollow)).got;
    },
    hasRequests: () => requestsLeft > 0,
    async extend() {
      if (!isExtended && !isOver(deadline)) {
        isExtended = true;
        // What has been read so far must be known in time, also if another source is slow.
        requestsLeft += Math.min(spareRequestsMax, await lookUp(spare(), deadline).catch(() => 0));
      }
      return requestsLeft > 0;
    },
    allows,
    pathOf,
    sitemapPath: () => rules.sitemaps.flatMap(url => pathOf(url) ?? [])[0] ?? '/sitemap.xml',
  };
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function redirectOf(got: WebOutcome): string | undefined {
  return got.kind === 'response' && redirects.has(got.status) ? got.headers['location'] : undefined;
}

function registrable(host: string): string {
  // Names under a private suffix, such as github.io, belong to different people.
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}
