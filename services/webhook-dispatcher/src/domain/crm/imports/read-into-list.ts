import type { Advance } from '@mailproof/durable-work';
import type { CrmImportFailure, SavedListId } from '@mailproof/shared-types';
import { type Crm, CrmFault } from '../crm.ts';
import { companyDomainOf } from './company-domain.ts';
import type { CrmImport } from './crm-import.ts';
import { fail, succeed } from './end-import.ts';
import { type ImportPorts, type ListAddition, RowsRefused } from './import-ports.ts';
import { noteRead, readPages, Superseded } from './read-records.ts';
import { waitOrFail } from './wait-for.ts';

/**
 * Reads the records of an import and adds their companies to a list, all at once in the end. An interrupted attempt
 * starts over; enrichment knows which domains an earlier one has added (ADR 0041).
 */
export async function readIntoList(
  ports: ImportPorts,
  record: CrmImport,
  listId: SavedListId,
  signal: AbortSignal,
): Promise<Advance> {
  const { accountId, importId } = record;
  const add = (domains: readonly string[]) =>
    ports.lists.add({ accountId, listId, importId }, domains, signal);
  const crm = await ports.connected.open(accountId, record.connectionId);
  if (!crm) {
    return fail(ports, record, 'connection_gone');
  }
  // Checked before the records are read, which costs calls of the CRM.
  const checked = await add([]);
  if (checked.kind !== 'added') {
    return fail(ports, record, failureOf[checked.kind]);
  }
  const started = await ports.imports.change(record, { state: 'reading', recordsRead: 0 });
  if (!started) {
    return 'more';
  }
  const found = await tryToRead(ports, crm, started, signal);
  const current = await ports.imports.find(importId);
  if (found instanceof Superseded || current?.runner !== record.runner || current.endedAt !== null) {
    return 'more';
  }
  if (found instanceof CrmFault) {
    return waitOrFail(ports, current, found);
  }
  if (found instanceof RowsRefused) {
    return fail(ports, current, found.failure);
  }
  if (found.size === 0) {
    return fail(ports, current, current.recordsRead === 0 ? 'nothing_to_import' : 'no_domains_found');
  }
  const outcome = await add([...found]);
  return outcome.kind === 'added'
    ? succeed(ports, current, {
        recordsTotal: current.recordsRead,
        domainsAdded: outcome.added,
        domainsPresent: outcome.present,
      })
    : fail(ports, current, failureOf[outcome.kind]);
}

const failureOf = {
  gone: 'list_gone',
  // No list of people was accepted, and a list keeps its kind.
  ofPeople: 'list_gone',
  full: 'list_full',
} as const satisfies Record<Exclude<ListAddition['kind'], 'added'>, CrmImportFailure>;

/** The distinct company domains of the records, or why they were not read to the end. */
async function tryToRead(
  ports: ImportPorts,
  crm: Crm,
  record: CrmImport,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | CrmFault | RowsRefused | Superseded> {
  const { address_property: property } = record.request;
  const found = new Set<string>();
  let [read, withoutDomain] = [0, 0];
  try {
    for await (const records of readPages(ports, crm, record, signal)) {
      if (records === null) {
        continue;
      }
      for (const { values } of records) {
        const domain = companyDomainOf(values[property] ?? '');
        if (domain === undefined) {
          withoutDomain += 1;
        } else {
          found.add(domain);
        }
      }
      read += records.length;
      await noteRead(ports, record, { read, shortened: 0, withoutDomain });
    }
    return found;
  } catch (error) {
    if (error instanceof CrmFault || error instanceof RowsRefused || error instanceof Superseded) {
      return error;
    }
    throw error;
  }
}
