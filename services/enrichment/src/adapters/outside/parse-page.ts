import { Parser } from 'htmlparser2';
import type { PageFacts } from '../../domain/public-page/page-facts.ts';

const scriptsMax = 20;
const scriptCharactersMax = 262_144;
const metaMax = 200;
const metaCharactersMax = 4_096;

/** Reads what a page says to programs. Nothing is kept of its text, and no script is run. */
export function parsePage(html: string): PageFacts {
  const jsonLd: unknown[] = [];
  const meta = new Map<string, string>();
  const robots: string[] = [];
  let script: string[] | undefined;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'script' && /^application\/ld\+json\s*(?:;|$)/i.test(attributes['type'] ?? '')) {
        script = [];
      } else if (name === 'meta') {
        noteMeta(attributes, meta, robots);
      }
    },
    ontext(text) {
      script?.push(text);
    },
    onclosetag(name) {
      if (name === 'script' && script !== undefined) {
        const content = parsed(script.join(''));
        if (content !== undefined && jsonLd.length < scriptsMax) {
          jsonLd.push(content);
        }
        script = undefined;
      }
    },
  });
  parser.end(html);
  return { jsonLd, meta, robots };
}

function noteMeta(
  attributes: Readonly<Record<string, string>>,
  meta: Map<string, string>,
  robots: string[],
): void {
  const name = (attributes['property'] ?? attributes['name'] ?? '').trim().toLowerCase();
  const content = attributes['content']?.slice(0, metaCharactersMax);
  if (name === '' || content === undefined || meta.size >= metaMax) {
    return;
  }
  if (name === 'robots') {
    robots.push(content.toLowerCase());
  } else if (name === 'mailproof') {
    robots.push(`mailproof: ${content.toLowerCase()}`);
  }
  if (!meta.has(name)) {
    meta.set(name, content);
  }
}

function parsed(text: string): unknown {
  try {
    return text.length > scriptCharactersMax ? undefined : JSON.parse(text);
  } catch {
    // Many pages have broken scripts; what the others say still counts.
    return undefined;
  }
}
