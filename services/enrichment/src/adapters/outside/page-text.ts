import { parseInParts } from './visit-page.ts';

/** Elements whose text is not what a company says of itself: code, forms, menus, and what a browser does not show. */
const unread: ReadonlySet<string> = new Set(
  'script style template noscript textarea select option button code pre svg iframe object nav footer form aside dialog'.split(
    ' ',
  ),
);
/** Elements that begin a line of text. */
const blocks: ReadonlySet<string> = new Set(
  'address article aside blockquote br dd div dl dt figcaption footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p section table td th title tr ul'.split(
    ' ',
  ),
);
const hiddenStyle = /display\s*:\s*none|visibility\s*:\s*hidden/i;
const consentPart = /cookie|consent|gdpr/i;

const charactersMax = 6_000;
/**
 * Returns the title and the visible text of a page, one line for each block, up to some thousand characters. Runs no
 * script.
 */
export async function pageText(html: string): Promise<string> {
  const lines: string[] = [];
  const open: boolean[] = [];
  let line = '';
  let characters = 0;
  const endLine = () => {
    const text = line.replace(/\s+/g, ' ').trim();
    if (text !== '') {
      lines.push(text);
    }
    line = '';
  };
  const handler: Parameters<typeof parseInParts>[0] = {
    onopentag(name, attributes) {
      if (blocks.has(name)) {
        endLine();
      }
      open.push((open.at(-1) ?? true) && isRead(name, attributes));
    },
    ontext(text) {
      if (open.at(-1) !== true || characters >= charactersMax) {
        return;
      }
      // Otherwise, indentation would use up the room.
      const kept = text.replace(/\s+/g, ' ').slice(0, charactersMax - characters);
      characters += kept.length;
      line += kept;
    },
    onclosetag(name) {
      open.pop();
      if (blocks.has(name)) {
        endLine();
      }
    },
  };
  await parseInParts(handler, html, () => characters >= charactersMax);
  endLine();
  return lines.join('\n');
}

function isRead(name: string, attributes: Readonly<Record<string, string>>): boolean {
  return !(
    unread.has(name) ||
    'hidden' in attributes ||
    attributes['aria-hidden'] === 'true' ||
    hiddenStyle.test(attributes['style'] ?? '') ||
    (!['html', 'body', 'main'].includes(name) &&
      consentPart.test(`${attributes['id'] ?? ''} ${attributes['class'] ?? ''}`))
  );
}
