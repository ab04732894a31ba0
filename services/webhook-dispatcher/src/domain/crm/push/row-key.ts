import {
  type CrmObject,
  type ExportedValue,
  type ExportSource,
  parseEmailAddress,
} from '@mailproof/shared-types';
import type { IdentifyingProperty } from '../crm.ts';

/** The normalized value by which a record is searched; undefined if the text is not an address or a domain. */
export function identifyingValueOf(
  written: ExportedValue | undefined,
  { kind }: Pick<IdentifyingProperty, 'kind'>,
): string | undefined {
  if (typeof written !== 'string' || written.trim() === '') {
    return undefined;
  }
  return kind === 'email' ? addressOf(written) : domainOf(written);
}

/** The permanent key of a source's rows: an id, an address, or else the value that identifies records. */
export type RowKey =
  | { readonly by: 'column'; readonly column: string; readonly isAddress: boolean }
  /** The rows describe something other than the records, such as people whose companies are pushed. */
  | { readonly by: 'identifying' };

/** Undefined if rows of the source cannot become such records. */
export function rowKeyOf(source: ExportSource, object: CrmObject): RowKey | undefined {
  const isCompany = object === 'company';
  switch (source.kind) {
    case 'saved_people':
      return isCompany ? { by: 'identifying' } : { by: 'column', column: 'person_id', isAddress: false };
    case 'saved_companies':
      return isCompany ? { by: 'column', column: 'company_id', isAddress: false } : undefined;
    case 'validation_job':
      return isCompany ? { by: 'identifying' } : { by: 'column', column: 'email', isAddress: true };
  }
}

/** Our key of the record that a row becomes; undefined if the row has no value that would be found again. */
export function ownKeyOf(
  key: RowKey,
  cellOf: (column: string) => ExportedValue | undefined,
  identifying: string | undefined,
): string | undefined {
  if (key.by === 'identifying') {
    return identifying;
  }
  const cell = cellOf(key.column);
  if (typeof cell !== 'string' || cell === '') {
    return undefined;
  }
  return key.isAddress ? addressOf(cell) : cell;
}

function addressOf(written: string): string | undefined {
  const parsed = parseEmailAddress(written);
  // The case of the local part is up to its host, but no CRM distinguishes records by it.
  return parsed.ok ? parsed.value.normalized.toLowerCase().normalize('NFC') : undefined;
}

/**
 * The domain of a website, which identifies a company: `https://www.example.com/about` is `example.com`.
 * Internationalized names are in their DNS form (RFC 5891). Undefined if the text is not a website.
 */
export function domainOf(website: string): string | undefined {
  const text = website.trim();
  if (text === '' || text.length > 2_000 || /[\s\\]/.test(text)) {
    return undefined;
  }
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return undefined;
  }
  const host = url.hostname.replace(/\.$/, '').replace(/^www\.(?=[^.]+\.)/, '');
  // A host that ends with a number is an IP address (RFC 3986 section 3.2.2), which does not identify a company.
  return /\.(?=[^.]*[a-z])[^.]+$/.test(host) ? host : undefined;
}
