import {
  type CrmObject,
  type ExportedValue,
  type ExportSource,
  parseEmailAddress,
} from '@mailproof/shared-types';
import type { IdentifyingProperty } from '../crm.ts';
import { domainOf } from '../domain-of.ts';

/** The value by which a record is looked for, in the one spelling that it is looked for in; undefined where it is none. */
export function identifyingValueOf(
  written: ExportedValue | undefined,
  { kind }: Pick<IdentifyingProperty, 'kind'>,
): string | undefined {
  if (typeof written !== 'string' || written.trim() === '') {
    return undefined;
  }
  return kind === 'email' ? addressOf(written) : domainOf(written);
}

/** What rows of a source are known by for good: their own id, their address, or else the value that tells records apart. */
export type RowKey =
  | { readonly by: 'column'; readonly column: string; readonly isAddress: boolean }
  /** Rows are about something else than the records, such as people whose companies are pushed. */
  | { readonly by: 'identifying' };

/** Undefined where rows of the source cannot become such records at all. */
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

/** Our key of the record that a row becomes; undefined where the row has nothing that would be found again. */
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
  // The local part's case belongs to its host; no CRM tells records apart by it.
  return parsed.ok ? parsed.value.normalised.toLowerCase().normalize('NFC') : undefined;
}
