import type {
  CrmAction,
  CrmFieldMapping,
  CrmProperty,
  CrmRowFault,
  ExportedValue,
} from '@mailproof/shared-types';
import type { CrmValue, FoundRecord, IdentifyingProperty } from '../crm.ts';
import { isSameValue, propertyValueOf } from './property-value.ts';
import { identifyingValueOf } from './row-key.ts';

/** A field of the mapping with the CRM's description of its property. */
export interface MappedField {
  readonly field: CrmFieldMapping;
  readonly property: CrmProperty;
}

/** A row converted to values of the CRM's properties. */
export interface ReadyRow {
  readonly rowNo: number;
  readonly attempts: number;
  /** Blank cells are left out. */
  readonly values: Readonly<Record<string, Exclude<CrmValue, null>>>;
}

/** Why a row cannot be written, and the property at fault. */
export interface RowFault {
  readonly fault: CrmRowFault;
  readonly property: string | null;
}

export type Written =
  | { readonly kind: 'ready'; readonly values: ReadyRow['values'] }
  | ({ readonly kind: 'fault' } & RowFault);

/**
 * Converts a row to the values of the mapped properties. A value that its property does not accept is a fault of the
 * whole row: nothing is dropped silently.
 */
export function valuesOfRow(
  mapping: readonly MappedField[],
  cellOf: (column: string) => ExportedValue | undefined,
  identifying: IdentifyingProperty | undefined,
): Written {
  const values: Record<string, Exclude<CrmValue, null>> = {};
  for (const { field, property } of mapping) {
    const read = propertyValueOf(cellOf(field.column), property);
    if (read.kind === 'fault') {
      return { kind: 'fault', fault: read.fault, property: property.name };
    }
    if (read.kind === 'value') {
      // A domain is written in its normalized form, so that it is found again.
      const isDomain = identifying?.kind === 'domain' && identifying.property === property.name;
      const domain = isDomain ? identifyingValueOf(String(read.value), identifying) : undefined;
      values[property.name] = domain ?? read.value;
    }
  }
  return { kind: 'ready', values };
}

/** The action for a row. */
export type RowPlan =
  | { readonly action: Extract<CrmAction, 'created'>; readonly values: ReadyRow['values'] }
  | {
      readonly action: Extract<CrmAction, 'updated'>;
      readonly recordId: string;
      readonly values: ReadyRow['values'];
    }
  | {
      readonly action: Extract<CrmAction, 'skipped'>;
      readonly recordId: string | null;
      readonly note: RowFault | null;
    }
  | ({ readonly action: 'failed' } & RowFault);

export interface PlanOptions {
  readonly mapping: readonly MappedField[];
  readonly identifying: IdentifyingProperty | undefined;
  readonly creates: boolean;
  /** Properties that a new record needs. */
  readonly required: readonly string[];
}

/** Decides what to do with a row, given the record that was found for it, if any. */
export function planRow(
  { mapping, identifying, creates, required }: PlanOptions,
  { values }: Pick<ReadyRow, 'values'>,
  found: Pick<FoundRecord, 'recordId' | 'values'> | undefined,
): RowPlan {
  if (!found) {
    if (!creates) {
      return { action: 'skipped', recordId: null, note: { fault: 'crm_no_record', property: null } };
    }
    const missing = required.find(name => values[name] === undefined);
    return missing === undefined
      ? { action: 'created', values }
      : { action: 'failed', fault: 'crm_missing_value', property: missing };
  }
  const changed = mapping.flatMap(({ field, property }) => {
    const wanted = values[property.name];
    const current = found.values[property.name];
    return wanted !== undefined && isWritten(field, property, { current, wanted }, identifying)
      ? [[property.name, wanted] as const]
      : [];
  });
  return changed.length === 0
    ? { action: 'skipped', recordId: found.recordId, note: null }
    : { action: 'updated', recordId: found.recordId, values: Object.fromEntries(changed) };
}

function isWritten(
  { policy }: CrmFieldMapping,
  property: CrmProperty,
  { current, wanted }: { readonly current: CrmValue | undefined; readonly wanted: Exclude<CrmValue, null> },
  identifying: IdentifyingProperty | undefined,
): boolean {
  const isBlank = current === null || current === undefined || String(current).trim() === '';
  switch (policy) {
    case 'never':
      return false;
    case 'fill_blank':
      return isBlank;
    case 'overwrite':
      return isBlank || !isSameValue(current, wanted, property, spellingOf(property, identifying));
  }
}

/** CRMs store addresses and domains in their own format, so identifying values are compared in normalized form. */
function spellingOf({ name }: CrmProperty, identifying: IdentifyingProperty | undefined) {
  return identifying?.property === name
    ? (text: string) => identifyingValueOf(text, identifying) ?? text
    : undefined;
}
