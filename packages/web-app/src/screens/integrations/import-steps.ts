import type { Schema } from '../../api/client.ts';

type CrmImport = Pick<
  Schema['CrmImport'],
  'state' | 'start_when_ready' | 'write_back' | 'job_id' | 'written_back'
>;

export interface ImportStep {
  readonly name: string;
  readonly place: 'done' | 'current' | 'ahead';
}

/** What an import does one after the other, and where it is. One without a task behind the reading ends with it. */
export function importSteps(crmImport: CrmImport): readonly ImportStep[] {
  const { state } = crmImport;
  const goesOn = crmImport.start_when_ready || crmImport.write_back !== null;
  const names = [
    'Read records',
    ...(goesOn ? ['Validate addresses'] : []),
    ...(crmImport.write_back ? ['Write results back'] : []),
  ];
  const reached = stepOf(crmImport);
  const isOver = state === 'failed' || state === 'cancelled';
  return names.map((name, at) => ({
    name,
    place: at < reached || state === 'succeeded' ? 'done' : at === reached && !isOver ? 'current' : 'ahead',
  }));
}

function stepOf({ state, job_id: jobId, written_back: writtenBack }: CrmImport): number {
  if (state === 'writing_back' || writtenBack) return 2;
  // Of what has ended: records that became a job were all read.
  return state === 'ready' || state === 'validating' || jobId ? 1 : 0;
}
