/** A served page, as a crawler sees it. */
export interface SeenPage {
  readonly path: string;
  readonly status: number;
  /** Whether it is HTML. */
  readonly isPage: boolean;
  readonly title: string;
  readonly description: string;
  /** Paths on the same installation, with their fragments. */
  readonly links: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

/** What is followed: pages of the documentation in both forms, and what they lead to on this installation. */
const followed = /^\/(docs(\/|$)|status$|llms\.txt$|openapi)/;

/** Visits every page that can be reached from the given paths by links. */
export async function crawl(origin: string, from: readonly string[]): Promise<Map<string, SeenPage>> {
  const seen = new Map<string, SeenPage>();
  const waiting = [...from];
  for (const path of waiting) {
    if (seen.has(path)) continue;
    const page = await visit(origin, path);
    seen.set(path, page);
    waiting.push(...page.links.map(withoutFragment).filter(link => followed.test(link)));
  }
  return seen;
}

/** The links that lead nowhere: to a page that is not there, or to an anchor that the page does not have. */
export async function brokenLinks(origin: string, pages: ReadonlyMap<string, SeenPage>): Promise<string[]> {
  const others = new Map<string, number>();
  const broken: string[] = [];
  for (const { path, status, links } of pages.values()) {
    if (status !== 200) broken.push(`${path}: ${status}`);
    for (const link of links) {
      const [target = '', anchor] = link.split('#');
      const page = pages.get(target);
      if (!page && !others.has(target)) others.set(target, (await visit(origin, target)).status);
      const isThere = page ? page.status === 200 : others.get(target) === 200;
      const hasAnchor = !anchor || !page || page.anchors.has(decodeURIComponent(anchor));
      if (!isThere || !hasAnchor) broken.push(`${path} → ${link}`);
    }
  }
  return broken;
}

async function visit(origin: string, path: string): Promise<SeenPage> {
  const response = await fetch(`${origin}${path}`, { headers: { accept: 'text/html' } });
  const text = await response.text();
  const isPage = response.headers.get('content-type')?.startsWith('text/html') ?? false;
  const targets = isPage
    ? all(text, /<a\b[^>]*? href="([^"]*)"/g)
    : all(path.endsWith('.json') ? '' : text, /\]\(([^)\s]+)\)/g);
  return {
    path,
    status: response.status,
    isPage,
    title: all(text, /<title>([^<]*)<\/title>/g)[0] ?? '',
    description: all(text, /<meta name="description" content="([^"]*)"/g)[0] ?? '',
    links: targets.flatMap(target => {
      const url = new URL(target.replaceAll('&amp;', '&'), `${origin}${path}`);
      return url.origin === origin ? [`${url.pathname}${url.hash}`] : [];
    }),
    anchors: new Set(isPage ? all(text, / id="([^"]*)"/g) : anchorsOf(text)),
  };
}

/** The anchors of Markdown, as the code host makes them. */
function anchorsOf(markdown: string): string[] {
  const counts = new Map<string, number>();
  return all(markdown, /^#+ (.+)$/gm).map(heading => {
    const anchor = heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found);
}

function withoutFragment(link: string): string {
  return link.split('#')[0] ?? link;
}
