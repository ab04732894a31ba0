import { limits } from '@mailproof/shared-types';
import type { CrmSelection } from '../crm.ts';
import type { ImportRequest } from './crm-import.ts';

/** Which records, as CRMs are asked for them. */
export function selectionOf(request: ImportRequest): CrmSelection {
  const { segment_id: segmentId, filters = [] } = request.selection;
  return {
    segmentId: segmentId ?? null,
    filters: filters.map(({ property, operator, values }) => ({ property, operator, values: values ?? [] })),
    recordsMax: recordsMaxOf(request),
  };
}

/** Results are written back into fewer records than are only read. */
export function recordsMaxOf({ write_back }: Pick<ImportRequest, 'write_back'>): number {
  return write_back === undefined ? limits.crmImportRecordsMax : limits.crmValidationRecordsMax;
}
