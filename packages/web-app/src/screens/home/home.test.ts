import { describe, expect, it } from '@jest/globals';
import type { Schema } from '../../api/client.ts';
import { expiriesOf } from './expiries.ts';
import { newestFirst, type Work, workOfExport, workOfJob, workOfRun } from './recent-work.ts';
import { stepsDone } from './steps-done.ts';

describe('when credits expire', () => {
  it('is shown by day, the next one first, without spent credits', () => {
    expect(
      expiriesOf([
        { available: 5, expires_at: null },
        { available: 0, expires_at: '2026-03-01T00:00:00.000Z' },
        { available: 70, expires_at: '2026-04-01T10:00:00.000Z' },
        { available: 30, expires_at: '2026-04-01T09:00:00.000Z' },
        { available: 1, expires_at: '2026-03-20T00:00:00.000Z' },
      ]),
    ).toEqual([
      { at: '2026-03-20', credits: 1 },
      { at: '2026-04-01', credits: 100 },
      { at: null, credits: 5 },
    ]);
  });
});

const work = (id: string, createdAt: string, isActive = false) => ({ id, createdAt, isActive }) as Work;

describe('recent work', () => {
  it('has running work first, then the newest', () => {
    const mixed = [work('old', '2026-01-01'), work('new', '2026-03-01'), work('runs', '2026-02-01', true)];
    expect(newestFirst(mixed, 2).map(({ id }) => id)).toEqual(['runs', 'new']);
  });

  it('names each kind and its state', () => {
    const job = { job_id: 'j', name: 'My list', addresses: 1, state: 'ready', progress: 0, created_at: '' };
    const run = {
      run_id: 'r',
      kind: 'people',
      delivered: 3,
      requested: 9_000,
      state: 'running',
      progress: 0.3,
    };
    const made = {
      export_id: 'e',
      name: 'Out',
      target: 'crm',
      status: 'running',
      pause: { reason: 'asked' },
      ended_at: null,
    };
    expect([
      workOfJob(job as Schema['ValidationJob']),
      workOfRun(run as Schema['DiscoveryRun']),
      workOfExport(made as Schema['Export']),
    ]).toEqual([
      expect.objectContaining({
        about: 'List, 1 address',
        look: expect.objectContaining({ name: 'Ready to start' }),
        isActive: false,
      }),
      expect.objectContaining({
        about: '3 of 9,000 records',
        look: expect.objectContaining({ name: 'In progress' }),
        isActive: true,
      }),
      expect.objectContaining({
        about: 'Export to a CRM',
        look: expect.objectContaining({ name: 'Paused' }),
        isActive: true,
      }),
    ]);
  });
});

describe('the first steps', () => {
  it.each([
    [[], { check: false, api: false }],
    [['start-validation-job'], { check: false, api: false }],
    [['check-address'], { check: true, api: false }],
    [['profile-enrichment', 'start-discovery-run'], { check: false, api: true }],
  ])('that receipts of %j show', (operations, done) =>
    expect(stepsDone(operations.map(operation => ({ operation })))).toEqual(done),
  );
});
