import type { HubSpotSimulator } from '@mailproof/crm-lab';
import type { Person } from './house.ts';
import { until } from './until.ts';

let seeded = 0;

/** Creates contacts in the simulated HubSpot and a list of them; returns the list and the contacts' ids. */
export function seedContacts(
  hubspot: HubSpotSimulator,
  count: number,
  values: (index: number) => Record<string, string> = () => ({}),
): { readonly segmentId: string; readonly ids: readonly string[] } {
  seeded += 1;
  const family = seeded;
  const ids = hubspot.seed('contacts', count, index => ({
    email: `p${index}@family${family}.example`,
    firstname: `P ${index}`,
    ...values(index),
  }));
  return { segmentId: hubspot.addList(`Family ${family}`, 'contacts', ids), ids };
}

/** Starts an import, which must succeed; returns its id. */
export async function beginImport(owner: Person, body: object): Promise<string> {
  const answer = await owner.post('/crm-imports', body);
  if (answer.status !== 202) {
    throw new Error(`The import was answered with ${answer.status} ${JSON.stringify(answer.body)}.`);
  }
  return String(answer.body['import_id']);
}

/** Waits until an import has the expected state, and returns it. */
export function untilImport(
  what: string,
  owner: Person,
  importId: string,
  isReached: (record: Record<string, unknown>) => boolean,
  timeoutMs = 60_000,
): Promise<Record<string, unknown>> {
  return until(what, async () => (await owner.get(`/crm-imports/${importId}`)).body, isReached, timeoutMs);
}

/** Waits until an import has ended, and returns it. */
export function untilImportEnded(
  owner: Person,
  importId: string,
  timeoutMs?: number,
): Promise<Record<string, unknown>> {
  const hasEnded = ({ ended_at }: Record<string, unknown>) => ended_at !== null;
  return untilImport('the end of the import', owner, importId, hasEnded, timeoutMs);
}

/** The cells of all rows of a validation job, in order. */
export async function cellsOf(owner: Person, jobId: string): Promise<string[][]> {
  const cells: string[][] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { body } = await owner.get(
      `/validation-jobs/${jobId}/rows?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    cells.push(...(body['rows'] as { cells: string[] }[]).map(row => row.cells));
    cursor = body['next_cursor'] as string | undefined;
  }
  return cells;
}
