import { createRequire } from 'node:module';
import {
  decodePage,
  forbidsIndexing,
  isJsonLdType,
  readContentType,
  readJsonLd,
  readRobots,
  robotsTags,
} from '@mailproof/service-kit/public-pages';
import { elementEdge, type PageContent, type PageLink } from '../../domain/catch-all/site/page.ts';
import { mailtoAddresses } from '../../domain/catch-all/site/printed-addresses.ts';
import type { PageReader, WebResponse } from '../../domain/catch-all/site/site-visit.ts';

const require = createRequire(import.meta.url);
/** Loads the parser with the first page: it takes 2 MB. */
const loadParser = (): typeof import('htmlparser2') => require('htmlparser2');

/** Limits on what is taken from one page. */
const linksMax = 1_000;
const addressesMax = 2_000;
const scriptsMax = 20;
const sitemapUrlsMax = 5_000;

/**
 * Reads the pages of sites. A compressed answer is not read: we ask for none, and a few octets could become gigabytes.
 */
export const pageReader: PageReader = {
  robots(host, response) {
    // Rules that we cannot read may forbid everything.
    if (response.status === 200 && !isPlain(response)) {
      return undefined;
    }
    const origin = `https://${host}`;
    const rules = readRobots(origin, response.status, response.body);
    return rules && { allows: path => rules.allows(`${origin}${path}`), sitemaps: rules.sitemaps };
  },
  page(response) {
    const { type, charset } = readContentType(response.headers['content-type']);
    if (!isPlain(response) || !['text/html', 'application/xhtml+xml'].includes(type)) {
      return undefined;
    }
    if (forbidsIndexing(robotsTags(response.headers['x-robots-tag']))) {
      return 'forbidden';
    }
    const page = parsePage(decodePage(response.body, charset));
    if (page === undefined || forbidsIndexing(page.robots)) {
      return page && 'forbidden';
    }
    const { robots: _directives, ...content } = page;
    return content;
  },
  plainText(response) {
    const { type, charset } = readContentType(response.headers['content-type']);
    return isPlain(response) && type === 'text/plain' ? decodePage(response.body, charset) : undefined;
  },
  sitemap(response) {
    const { type } = readContentType(response.headers['content-type']);
    if (!isPlain(response) || !['application/xml', 'text/xml'].includes(type)) {
      return [];
    }
    return unlessTooDeep(() => locationsIn(decodePage(response.body))) ?? [];
  },
};

function locationsIn(sitemap: string): string[] {
  const urls: string[] = [];
  let location: string | undefined;
  let depth = 0;
  const { Parser } = loadParser();
  const parser = new Parser(
    {
      onopentag(name) {
        depth += 1;
        assertDepth(depth);
        location = name === 'loc' ? '' : undefined;
      },
      ontext(text) {
        location = location === undefined ? undefined : location + text;
      },
      onclosetag() {
        depth -= 1;
        if (location !== undefined && urls.length < sitemapUrlsMax) {
          urls.push(location.trim());
        }
        location = undefined;
      },
    },
    { xmlMode: true },
  );
  parser.end(sitemap);
  return urls;
}

function isPlain({ headers }: WebResponse): boolean {
  return [undefined, '', 'identity'].includes(headers['content-encoding']);
}

/** Elements whose text is no statement to readers: code, forms, what is struck out, and what a browser does not show. */
const unread: ReadonlySet<string> = new Set(
  'script style template noscript textarea select option button code pre samp kbd del s strike svg iframe object title'.split(
    ' ',
  ),
);
/** Elements that begin a line of text. */
const blocks: ReadonlySet<string> = new Set(
  'address article aside blockquote br dd div dl dt fieldset figcaption footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p section table td th tr ul'.split(
    ' ',
  ),
);
/** Elements that a theme marks with states of the whole page, such as `comments-open`. */
const wholePage: ReadonlySet<string> = new Set(['html', 'body', 'main']);
/** Names of the parts of a page that visitors write. */
const visitorsPart =
  /^(?:comments?|commentlist|kommentare?|commentaires?|comentarios?|guestbook|gaestebuch|gastebuch|forum|posts?-list|replies|reviews?|rezensionen|testimonials?|discussion|disqus_thread|ugc|user-content)(?:$|[-_])|[-_](?:comments?|commentlist|guestbook|reviews?)$/i;
/** Styles that do not show an element, strike it out, or put it outside the page. */
const hiddenStyle =
  /display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?![.\d]*[1-9])|font-size\s*:\s*0(?!\.?\d*[1-9])|(?<![\w-])(?:max-)?(?:height|width)\s*:\s*0(?!\.?\d*[1-9])|(?<![\w-])color\s*:\s*transparent|text-decoration(?:-line)?\s*:[^;]{0,40}line-through|(?<![\w-])(?:left|right|top|bottom|text-indent)\s*:\s*-\d{3}/i;
/** Of these, a style sheet says only what scripts do not show later, as animations do. */
const hiddenInSheet =
  /display\s*:\s*none|(?<![\w-])(?:left|right|top|bottom|text-indent)\s*:\s*-(?:\d{4}|\d{3}r?em)/i;
/** Classes by which frameworks hide an element, unless another class shows it on some screens. */
const hidingClasses: ReadonlySet<string> = new Set(['d-none', 'hidden', 'hide', 'is-hidden', 'invisible']);
const showingClass =
  /^(?:d-(?:sm|md|lg|xl|xxl)-(?:(?:inline-)?(?:block|flex)|inline|grid|table|table-row|table-cell)|(?:sm|md|lg|xl|2xl):(?:(?:inline-)?(?:block|flex)|inline|grid|table|visible))$/;
const turnedStyle = /unicode-bidi\s*:\s*(?:bidi|isolate)-override/i;

type Attributes = Readonly<Record<string, string>>;

interface Open {
  /** Whether its text is a style sheet for all screens. */
  readonly isStyle: boolean;
  readonly isRead: boolean;
  /** Whether visitors write it. */
  readonly isVisitors: boolean;
  /** Whether a style shows its text backward. */
  readonly isTurned: boolean;
  /** Where its text begins, if it is the outermost element that is turned. */
  readonly turnedFrom?: number;
}

type ParsedPage = PageContent & {
  /** Its indexing directives. */
  readonly robots: readonly string[];
};

/** Deeper than pages nest; the parser's time grows with the square of the depth. */
const depthMax = 500;

class TooDeep extends Error {
  override readonly name = 'TooDeep';
}

function assertDepth(depth: number): void {
  if (depth > depthMax) {
    throw new TooDeep();
  }
}

/** Reads a page without running it; undefined if its elements are nested too deeply. */
export function parsePage(html: string): ParsedPage | undefined {
  return unlessTooDeep(() => parseElements(html));
}

function unlessTooDeep<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof TooDeep) {
      return undefined;
    }
    throw error;
  }
}

function parseElements(html: string): ParsedPage {
  const pieces: string[] = [];
  const addresses: string[] = [];
  const links: { href: string; words: string }[] = [];
  const jsonLd: unknown[] = [];
  const robots: string[] = [];
  const open: Open[] = [];
  const hiddenNames = new Set<string>();
  let script: string[] | undefined;
  let link: { href: string; words: string } | undefined;

  const isRead = () => open.at(-1)?.isRead ?? true;
  const isByVisitors = () => open.at(-1)?.isVisitors ?? false;
  function noteAddress(address: string | undefined): void {
    if (address !== undefined && isRead() && addresses.length < addressesMax) {
      addresses.push(address);
    }
  }

  function noteEdge(name: string, isShown = isRead()): void {
    if (blocks.has(name)) {
      pieces.push('\n');
    } else if (isShown && name !== 'wbr') {
      pieces.push(elementEdge);
    }
  }

  function noteLink(href: string): void {
    for (const address of mailtoAddresses(href)) {
      noteAddress(address);
    }
    noteAddress(decodeCloudflare(/\/cdn-cgi\/l\/email-protection#([\da-f]+)/i.exec(href)?.[1]));
    link = { href, words: '' };
    if (links.length < linksMax && !isByVisitors()) {
      links.push(link);
    }
  }

  const { Parser } = loadParser();
  const parser = new Parser({
    onopentag(name, attributes) {
      assertDepth(open.length + 1);
      const isInTurned = open.at(-1)?.isTurned ?? false;
      const isTurned = isInTurned || turnedStyle.test(attributes['style'] ?? '');
      const isVisitors = isByVisitors() || isOfVisitors(name, attributes);
      open.push({
        isStyle: name === 'style' && /^\s*(?:all|screen)?\s*$/i.test(attributes['media'] ?? ''),
        isRead: isRead() && !isVisitors && isForReaders(name, attributes, hiddenNames),
        isVisitors,
        isTurned,
        ...(isTurned && !isInTurned && { turnedFrom: pieces.length }),
      });
      noteEdge(name);
      if (name === 'script' && isJsonLdType(attributes['type']) && !isVisitors) {
        script = [];
      } else if (name === 'meta') {
        noteRobots(attributes, robots);
      } else if (name === 'a' && attributes['href'] !== undefined) {
        noteLink(attributes['href'].trim());
      }
      noteAddress(decodeCloudflare(attributes['data-cfemail']));
      if (attributes['itemprop'] === 'email') {
        noteAddress(attributes['content']);
      }
    },
    ontext(text) {
      script?.push(text);
      if (open.at(-1)?.isStyle) {
        noteHidden(text, hiddenNames);
      }
      if (link !== undefined) {
        link.words += text;
      }
      if (isRead()) {
        pieces.push(text);
      }
    },
    onclosetag(name) {
      if (name === 'script' && script !== undefined) {
        const content = readJsonLd(script.join(''));
        if (content !== undefined && jsonLd.length < scriptsMax) {
          jsonLd.push(content);
        }
        script = undefined;
      }
      if (name === 'a') {
        link = undefined;
      }
      const isShown = isRead();
      const closed = open.pop();
      if (closed?.turnedFrom !== undefined) {
        const shown = pieces.splice(closed.turnedFrom).join('');
        pieces.push([...shown].reverse().join(''));
      }
      noteEdge(name, isShown);
    },
  });
  parser.end(html);
  const text = pieces
    .join('')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim();
  return { text, addresses, links: links.map(trimmed), jsonLd, robots };
}

function trimmed({ href, words }: PageLink): PageLink {
  return { href, words: words.trim() };
}

function isForReaders(name: string, attributes: Attributes, hiddenNames: ReadonlySet<string>): boolean {
  const isHidden =
    'hidden' in attributes ||
    attributes['aria-hidden'] === 'true' ||
    hiddenStyle.test(attributes['style'] ?? '') ||
    (!wholePage.has(name) && isOfHidingClass(attributes['class'])) ||
    (!wholePage.has(name) && hiddenNames.size > 0 && namesOf(attributes).some(each => hiddenNames.has(each)));
  return !unread.has(name) && !isHidden;
}

function isOfHidingClass(names = ''): boolean {
  const classes = names.split(/\s+/);
  return classes.some(each => hidingClasses.has(each)) && !classes.some(each => showingClass.test(each));
}

/**
 * Notes the classes and ids that a page's own style sheet does not show. Only rules for all media count, and only those
 * for one class or id: others may show some of the elements.
 */
function noteHidden(css: string, hiddenNames: Set<string>): void {
  let depth = 0;
  const [start = '', ...commented] = css.split('/*');
  const rules = [start, ...commented.map(text => text.split('*/').slice(1).join(''))].join('');
  for (const rule of rules.split('}')) {
    const [selectors = '', declarations, ...deeper] = rule.split('{');
    depth += declarations === undefined ? 0 : 1 + deeper.length;
    if (depth === 1 && declarations !== undefined && hiddenInSheet.test(declarations)) {
      for (const [, name] of selectors.matchAll(/(?<=^|,)\s*[a-z\d]*([.#][\w-]+)\s*(?=,|$)/gi)) {
        hiddenNames.add(name ?? '');
      }
    }
    depth = Math.max(0, depth - 1);
  }
}

/** The classes and the id of an element, as a style sheet names them. */
function namesOf(attributes: Attributes): string[] {
  const classes = (attributes['class'] ?? '').split(/\s+/).map(name => `.${name}`);
  return [...classes, `#${attributes['id'] ?? ''}`];
}

function isOfVisitors(name: string, attributes: Attributes): boolean {
  return (
    (!wholePage.has(name) && namesOf(attributes).some(part => visitorsPart.test(part.slice(1)))) ||
    /\/(?:\w*Comment|\w*Review|DiscussionForumPosting)$/.test(attributes['itemtype'] ?? '') ||
    /\bugc\b/.test(attributes['rel'] ?? '')
  );
}

const hexMax = 1_000;

/** Cloudflare's encoding of addresses: the first octet is the key with which the others are exclusive-ored. */
function decodeCloudflare(hex: string | undefined): string | undefined {
  if (hex === undefined || hex.length > hexMax || !/^(?:[\da-f]{2}){4,}$/i.test(hex)) {
    return undefined;
  }
  const [key = 0, ...octets] = Buffer.from(hex, 'hex');
  return Buffer.from(octets.map(octet => octet ^ key))
    .toString('utf8')
    .split('?', 1)[0];
}

function noteRobots(attributes: Attributes, robots: string[]): void {
  const name = attributes['name']?.trim().toLowerCase();
  const content = attributes['content']?.toLowerCase() ?? '';
  if (name === 'robots') {
    robots.push(content);
  } else if (name === 'mailproof') {
    robots.push(`mailproof: ${content}`);
  }
}
