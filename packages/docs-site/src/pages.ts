import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A page of the site. */
export interface Page {
  /** The address below the installation, without an extension, such as `/docs/quick-start`. */
  readonly address: string;
  readonly title: string;
  /** The first paragraph as plain text. */
  readonly summary: string;
  /** Its first sentences, for search engines and lists. */
  readonly description: string;
  /** Markdown whose links are addresses of the site. */
  readonly text: string;
}

/** A heading of the list of guides, with the links below it. */
export interface Group {
  readonly title: string;
  readonly links: readonly { readonly text: string; readonly address: string; readonly about: string }[];
}

/** The list of guides: every other page is found from it, and the sidebar is made of it. */
const entry = 'docs/README.md';
const alsoServed = ['CHANGELOG.md'];
const descriptionCharactersMax = 160;

/** Decisions, and pages about tests. */
const notServed = /^docs\/adr\/|\/test\//;

/** Files that users of a spreadsheet copy. */
const offered = /^sdks\/google-sheets\/.+\.(js|json)$/;

/** Addresses that the gateway answers, which guides name as code. */
const served =
  /(?<![[`])`(\/(?:docs\/(?:reference(?:\/app)?|errors)|openapi(?:-app)?\.json|llms\.txt|status))`/g;
const fence = /^ *```[\s\S]*?^ *```$/gm;
const link = /(!?)\[((?:[^\][]|\[[^\][]*\])*)\]\(([^)\s]+)\)/g;

export interface Guides {
  /** The list of guides first. */
  readonly pages: readonly [Page, ...Page[]];
  /** Other files that pages show or link to, by their paths in the checkout. */
  readonly files: ReadonlySet<string>;
}

/** Reads the list of guides and every Markdown file that can be reached from it, so that no link leads nowhere. */
export function readGuides(): Guides {
  const pages = new Map<string, Page>();
  const files = new Set<string>();
  const waiting = [entry, ...alsoServed];
  for (const file of waiting) {
    if (pages.has(file)) continue;
    const text = outsideCode(readFileSync(join(root, file), 'utf8'), part =>
      part
        .replace(link, (whole, mark, label, target) => {
          if (/^([a-z]+:|#)/.test(target)) return whole;
          const [path = '', hash] = target.split('#');
          const named = normalize(join(dirname(file), path));
          const isFile = mark !== '' || offered.test(named);
          if (isFile) files.add(named);
          else if (named.endsWith('.md') && !notServed.test(named)) waiting.push(named);
          // What is read in a checkout is not served: here, its name remains.
          else return label;
          const address = isFile ? addressOf(named) : `${addressOf(named)}.md`;
          return `${mark}[${label}](${address}${hash ? `#${hash}` : ''})`;
        })
        .replace(served, '[`$1`]($1)'),
    );
    pages.set(file, pageOf(addressOf(file), text));
  }
  return { pages: [...pages.values()] as [Page, ...Page[]], files };
}

export function pageOf(address: string, text: string): Page {
  const [, title = address] = /^# (.+)$/m.exec(text) ?? [];
  const paragraphs = text.replace(fence, '').split(/\n{2,}/);
  const first = paragraphs.find(part => !/^(#|\||!|- |<)/.test(part.trim())) ?? title;
  const summary = plain(first);
  return { address, title: plain(title), summary, description: shortened(summary), text };
}

/** The groups of the list of guides; each is about one kind of reader. */
export function groupsOf(text: string): Group[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map(part => ({
      title: part.split('\n')[0] ?? '',
      links: [...part.matchAll(/^- \[([^\]]+)\]\((\S+)\): (.+)$/gm)].map(
        ([, label = '', target = '', about = '']) => ({
          text: label,
          address: target.replace(/\.md$/, ''),
          about,
        }),
      ),
    }));
}

/** Where a file is served: a README at its folder's address, guides directly below `/docs`. */
export function addressOf(file: string): string {
  const path = file.toLowerCase().replace(/^docs\//, '');
  if (path === 'readme.md') return file === entry ? '/docs/index' : '/docs/readme';
  return `/docs/${path.replace(/(\/readme)?\.md$/, '')}`;
}

function outsideCode(text: string, change: (part: string) => string): string {
  let from = 0;
  let changed = '';
  for (const { 0: code, index } of text.matchAll(fence)) {
    changed += change(text.slice(from, index)) + code;
    from = index + code.length;
  }
  return changed + change(text.slice(from));
}

function plain(markdown: string): string {
  return markdown
    .replace(link, '$2')
    .replace(/[*`]|(?<=^|\s)_|_(?=\s|[.,]|$)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function shortened(text: string): string {
  if (text.length <= descriptionCharactersMax) return text;
  return `${text.slice(0, text.lastIndexOf(' ', descriptionCharactersMax - 1))}…`;
}
