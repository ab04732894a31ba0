import { describe, expect, it } from '@jest/globals';
import { importSteps } from './import-steps.ts';

const begun = {
  state: 'queued',
  start_when_ready: false,
  write_back: null,
  job_id: null,
  written_back: null,
} as const;
const round = { ...begun, write_back: { fields: [] } };
const places = (...given: Parameters<typeof importSteps>) => importSteps(...given).map(({ place }) => place);

describe('the steps of an import', () => {
  it('end with the reading where nothing follows it', () => {
    expect(importSteps(begun)).toEqual([{ name: 'Read records', place: 'current' }]);
    expect(places({ ...begun, state: 'succeeded', job_id: 'vjob_1' })).toEqual(['done']);
  });

  it('go on to validating and writing back', () => {
    expect(places({ ...round, state: 'reading' })).toEqual(['current', 'ahead', 'ahead']);
    expect(places({ ...round, state: 'ready', job_id: 'vjob_1' })).toEqual(['done', 'current', 'ahead']);
    expect(places({ ...round, state: 'writing_back', job_id: 'vjob_1' })).toEqual([
      'done',
      'done',
      'current',
    ]);
    expect(places({ ...round, state: 'succeeded', job_id: 'vjob_1' })).toEqual(['done', 'done', 'done']);
  });

  it('have none that is under way once it has failed or was cancelled', () => {
    expect(places({ ...round, state: 'failed' })).toEqual(['ahead', 'ahead', 'ahead']);
    expect(places({ ...round, state: 'cancelled', job_id: 'vjob_1' })).toEqual(['done', 'ahead', 'ahead']);
  });
});
