import { limits, parseEmailAddress } from '@mailproof/shared-types';
import type { ListKind } from './list-kinds.ts';

export interface ReadList {
  /** Domains as lower-case A-labels, local parts in lower case. */
  readonly names: ReadonlySet<string>;
  /** Lines that are neither a name nor a comment, numbered from 1; for an array, its items. */
  readonly faults: readonly ListFault[];
}

export interface ListFault {
  readonly line: number;
  readonly text: string;
}

/** Most names need only this check, which is a hundred times faster than parsing an address. */
const plainDomain =
  /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;
const plainLocalPart = /^[a-z0-9](?:[a-z0-9._+-]*[a-z0-9])?$/;
/** Enough of a line to identify it. */
const faultCharactersMax = 80;

/** Reads names from a JSON array, or one per line with blank lines and comments skipped. */
export function readList(text: string, kind: Pick<ListKind, 'names'>): ReadList {
  const names = new Set<string>();
  const faults: ListFault[] = [];
  for (const [index, entry] of entriesOf(text).entries()) {
    const trimmed = entry.trim();
    if (trimmed === '' || trimmed.startsWith('#') || trimmed.startsWith('//')) {
      continue;
    }
    const name = kind.names === 'domains' ? readDomain(trimmed) : readLocalPart(trimmed);
    if (name === undefined) {
      faults.push({ line: index + 1, text: trimmed.slice(0, faultCharactersMax) });
    } else {
      names.add(name);
    }
  }
  return { names, faults };
}

function entriesOf(text: string): string[] {
  const withoutMark = text.replace(/^\ufeff/, '');
  return jsonArray(withoutMark) ?? withoutMark.split(/\r\n|\r|\n/);
}

function jsonArray(text: string): string[] | undefined {
  if (!/^\s*\[/.test(text)) {
    return undefined;
  }
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.map(item => (typeof item === 'string' ? item : '?')) : undefined;
  } catch {
    return undefined;
  }
}

function readDomain(text: string): string | undefined {
  const lower = text.toLowerCase();
  if (plainDomain.test(lower) && !lower.includes('xn--')) {
    return lower;
  }
  const parsed = parseEmailAddress(`a@${text}`);
  const domain = parsed.ok && parsed.value.domain.kind === 'name' ? parsed.value.domain.ascii : '';
  // No top-level domain is a number (RFC 3696 section 2), so such a name is an IP address that got onto the list.
  return /\.[^.]*[^.\d][^.]*$/.test(domain) ? domain : undefined;
}

function readLocalPart(text: string): string | undefined {
  const lower = text.toLowerCase();
  return plainLocalPart.test(lower) && lower.length <= limits.localPartOctetsMax ? lower : undefined;
}
