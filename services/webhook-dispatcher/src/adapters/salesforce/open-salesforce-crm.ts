import type { CrmObject } from '@mailproof/shared-types';
import { type Crm, CrmFault, type OpenCrm, recordsPerCallMax } from '../../domain/crm/crm.ts';
import { ensureProperties } from './custom-fields.ts';
import { findRecords, identifyingProperties } from './find-records.ts';
import type { ExchangeOptions } from './guarded-exchange.ts';
import { readListViews } from './list-views.ts';
import { Descriptions, propertyOf } from './object-description.ts';
import { ensureOwnKey } from './own-key.ts';
import { SalesforceSession } from './salesforce-session.ts';
import { countRecords, pageRecords } from './select-records.ts';
import { removeRecords, writeRecords } from './write-records.ts';

export interface SalesforceCrmOptions extends Pick<ExchangeOptions, 'outside' | 'userAgent'> {
  /** The deadline for one answer, in milliseconds. */
  readonly deadlineMs?: number;
  readonly now: () => Date;
}

/** Long, because an organization with many rules is slow to save a hundred records. */
const deadlineMsUsual = 60_000;

/** Opens Salesforce through its own client, whose requests go through our guard (ADR 0042). */
export function openSalesforceCrm(options: SalesforceCrmOptions): OpenCrm {
  const { deadlineMs = deadlineMsUsual } = options;
  return access => createCrm(new SalesforceSession(access, { ...options, deadlineMs }));
}

function createCrm(session: SalesforceSession): Crm {
  const descriptions = new Descriptions(session);
  return {
    provider: 'salesforce',
    identifyingProperty: object => identifyingProperties[object],
    async properties(object, signal) {
      const { fields } = await descriptions.read(object, signal);
      return [...fields.values()].map(propertyOf);
    },
    segments: (object, signal) => readListViews(session, object, signal),
    ensureOwnKey: (object, signal) => ensureOwnKey(session, descriptions, object, signal),
    ensureProperties: (object, wanted, signal) =>
      ensureProperties(session, descriptions, object, wanted, signal),
    async find(object, by, values, properties, signal) {
      assertCallSize(values.length);
      return findRecords(session, descriptions, object, by, values, properties, signal);
    },
    async write(object, writes, signal) {
      assertCallSize(writes.length);
      return writeRecords(session, descriptions, object, writes, signal);
    },
    async remove(object, recordIds, signal) {
      assertCallSize(recordIds.length);
      return removeRecords(session, await describe(object, signal), recordIds, signal);
    },
    count: (object, selection, signal) => countRecords({ session, descriptions, object, selection, signal }),
    page: (object, selection, request, signal) =>
      pageRecords({ session, descriptions, object, selection, signal }, request),
  };

  function describe(object: CrmObject, signal: AbortSignal) {
    return descriptions.of(object, [], signal);
  }
}

function assertCallSize(records: number): void {
  if (records > recordsPerCallMax) {
    throw new CrmFault('refused');
  }
}
