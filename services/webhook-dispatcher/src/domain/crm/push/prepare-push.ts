import {
  type AccountId,
  type CrmConnectionId,
  type CrmObject,
  type CrmOptions,
  type ExportSource,
  limits,
} from '@mailproof/shared-types';
import type { RowSources } from '../../exports/row-sources.ts';
import type { ConnectedCrms, Crm } from '../crm.ts';
import { MappingFault, mappingIssues, objectIssues } from './mapping-faults.ts';
import { type MappingSuggestion, suggestMapping } from './suggest-mapping.ts';

/** The account does not have this connection. */
export class NoSuchConnection extends Error {
  override readonly name = 'NoSuchConnection';
  readonly connectionId: CrmConnectionId;

  constructor(connectionId: CrmConnectionId) {
    super('The account does not have this CRM connection.');
    this.connectionId = connectionId;
  }
}

/** The deadline for a CRM to describe its properties while a user waits, in milliseconds. */
const askedMsMax = 12_000;

/**
 * Checks before any work whether rows can become records as requested, and creates our property in the CRM unless it is
 * a dry run.
 *
 * @throws NoSuchConnection, MappingFault, CrmFault
 */
export async function preparePush(
  { connected }: { readonly connected: ConnectedCrms },
  accountId: AccountId,
  { source, columns, options }: PushToPrepare,
): Promise<void> {
  const signal = AbortSignal.timeout(askedMsMax);
  const crm = await openFor({ connected }, accountId, {
    connectionId: options.connection_id,
    object: options.object,
    source,
  });
  const properties = await crm.properties(options.object, signal);
  const issues = mappingIssues(options, { crm, source, columns, properties });
  if (issues.length > 0) {
    throw new MappingFault(issues);
  }
  if (options.dry_run !== true && options.record_id_column === undefined) {
    await crm.ensureOwnKey(options.object, signal);
  }
}

export interface PushToPrepare {
  readonly source: ExportSource;
  /** The names of the source's fields. */
  readonly columns: readonly string[];
  readonly options: CrmOptions;
}

const samplesMax = 5;

/**
 * Suggests which column of a source could fill which property.
 *
 * @throws NoSuchConnection, MappingFault, CrmFault, or any error from the source
 */
export async function suggestMappingFor(
  { connected, sources }: { readonly connected: ConnectedCrms; readonly sources: RowSources },
  accountId: AccountId,
  question: {
    readonly connectionId: CrmConnectionId;
    readonly object: CrmObject;
    readonly source: ExportSource;
  },
): Promise<MappingSuggestion & { readonly rows: number }> {
  const { object, source } = question;
  const signal = AbortSignal.timeout(askedMsMax);
  const crm = await openFor({ connected }, accountId, question);
  const [properties, page] = await Promise.all([
    crm.properties(object, signal),
    sources.list(accountId, source, undefined, signal),
  ]);
  const keys = page.keys.slice(0, Math.min(samplesMax, limits.exportRowsPerReadMax));
  const read = keys.length > 0 ? await sources.read(accountId, source, keys, signal) : undefined;
  const columns = page.columns.map((column, at) => ({
    column,
    samples: read?.rows.map(({ values }) => values[at] ?? null) ?? [],
  }));
  return { ...suggestMapping({ columns, properties, source, object }), rows: page.total };
}

async function openFor(
  { connected }: { readonly connected: ConnectedCrms },
  accountId: AccountId,
  {
    connectionId,
    object,
    source,
  }: { readonly connectionId: CrmConnectionId; readonly object: CrmObject; readonly source: ExportSource },
): Promise<Crm> {
  const crm = await connected.open(accountId, connectionId);
  if (!crm) {
    throw new NoSuchConnection(connectionId);
  }
  const issues = objectIssues(crm.provider, object, source);
  if (issues.length > 0) {
    throw new MappingFault(issues);
  }
  return crm;
}
