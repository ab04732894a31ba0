import { describe, expect, it } from '@jest/globals';
import {
  asStatus,
  cancelWords,
  canResend,
  countsOf,
  deleteWords,
  type Export,
  exportState,
  movedColumns,
  receiverName,
  resumesIn,
  rowsIn,
  takesDestination,
  timesOf,
} from './export-words.ts';

const record: Export = {
  export_id: 'exp_1',
  name: 'Rows',
  failed_rows_of: null,
  source: { kind: 'saved_people' },
  target: 'webhook',
  status: 'running',
  pause: null,
  failure: null,
  columns: ['name'],
  rows: { total: 1_200, delivered: 1_000, failed: 3, gone: 1, open: 0 },
  actions: null,
  undo: null,
  progress: 0.8,
  per_second: 8,
  seconds_left: 20,
  throttled: 0,
  options: {},
  created_by: 'user_1',
  created_at: '2026-01-01T00:00:00Z',
  started_at: '2026-01-01T00:00:00Z',
  ended_at: null,
  deleted_at: '2026-02-01T00:00:00Z',
  version: 1,
};

function failedFor(reason: NonNullable<Export['failure']>['reason']): Export {
  return { ...record, status: 'failed', failure: { reason, detail: '' }, ended_at: '2026-01-01T00:00:01Z' };
}

describe('the state of an export', () => {
  it('names the reason for a wait instead of saying that it is running', () => {
    const pause = { reason: 'receiver_asked', detail: '', resumes_at: null } as const;
    expect(exportState(record).name).toBe('In progress');
    expect(exportState({ ...record, pause }).name).toBe('Waiting for the receiver');
  });

  it('distinguishes a requested end from a failure, and from a failure that can be fixed', () => {
    expect(exportState(failedFor('cancelled')).name).toBe('Canceled');
    expect(exportState(failedFor('source_gone')).name).toBe('Failed');
    expect(exportState(failedFor('destination_lost')).name).toBe('Needs a destination');
  });

  it('shows failed rows after its end', () => {
    const done: Export = { ...record, status: 'succeeded', ended_at: '2026-01-01T00:00:01Z' };
    expect(exportState(done)).toEqual({ name: 'Done, some rows failed', tone: 'caution' });
    expect(exportState({ ...done, rows: { ...done.rows, failed: 0 } })).toEqual({
      name: 'Done',
      tone: 'good',
    });
  });
});

describe('a destination', () => {
  it('is accepted if it has an effect', () => {
    expect(takesDestination(record)).toBe(true);
    expect(takesDestination(failedFor('destination_refused'))).toBe(true);
    expect(takesDestination(failedFor('nothing_delivered'))).toBe(true);
    expect(takesDestination(failedFor('cancelled'))).toBe(false);
    expect(takesDestination({ ...record, target: 'crm' })).toBe(false);
    expect(takesDestination({ ...record, status: 'succeeded' })).toBe(false);
  });

  it('can send failed rows again once it has ended, unless it continues with another destination', () => {
    const ended: Export = { ...record, status: 'succeeded', ended_at: '2026-01-01T00:00:00.000Z' };
    const failedRows = { ...record.rows, failed: 2 };
    expect(canResend({ ...ended, rows: failedRows })).toBe(true);
    expect(canResend({ ...ended, rows: failedRows, target: 'crm' })).toBe(true);
    expect(canResend({ ...ended, rows: { ...failedRows, failed: 0 } })).toBe(false);
    expect(canResend({ ...record, rows: failedRows })).toBe(false);
    expect(canResend({ ...ended, ...failedFor('destination_refused'), rows: failedRows })).toBe(false);
  });
});

describe('counts', () => {
  it('omit zeros', () => {
    expect(countsOf(record)).toBe('1,000 rows of 1,200 delivered, 3 failed, 1 removed');
    const rows = { total: 1, delivered: 1, failed: 0, gone: 0, open: 0 };
    expect(countsOf({ rows, target: 'csv' })).toBe('1 row of 1 written');
  });

  it('of the states add up to all rows', () => {
    expect(rowsIn(record)).toEqual({ pending: 196, delivered: 1_000, failed: 3, gone: 1 });
  });
});

describe('renamed columns', () => {
  it('are those with the name of a Mailproof field', () => {
    const columns = [
      { name: 'email', exported_as: 'email' },
      { name: 'valid', exported_as: 'input_valid (2)' },
      { name: 'input_valid', exported_as: 'input_valid' },
      { name: 'validated_at', exported_as: 'validated_at' },
    ];
    const fields = ['input_valid (2)', 'input_valid', 'validated_at', 'email', 'valid'];
    const moved = [{ from: 'valid', to: 'input_valid (2)' }];
    expect(movedColumns(columns, fields)).toEqual(moved);
    expect(movedColumns(columns, [...fields, 'input_validated_at'])).toEqual([
      ...moved,
      { from: 'validated_at', to: 'input_validated_at' },
    ]);
  });
});

describe('a receiver', () => {
  it('is named if the user chose it', () => {
    expect(receiverName({ target: 'webhook', options: { preset: 'clay' } })).toBe('Webhook of Clay');
    expect(receiverName({ target: 'webhook', options: { preset: 'toString' } })).toBe('Webhook');
    expect(receiverName({ target: 'csv', options: {} })).toBe('File');
  });

  it('has rate limited once, or several times', () => {
    expect([timesOf(1), timesOf(1_200)]).toEqual(['once', '1,200 times']);
  });
});

describe('a wait', () => {
  it('is shown to the second, and to the minute if it is long', () => {
    expect([-5, 0, 400, 12_000, 240_000].map(resumesIn)).toEqual([
      'Continues shortly.',
      'Continues shortly.',
      'Continues in 1 second.',
      'Continues in 12 seconds.',
      'Continues in 4 minutes.',
    ]);
  });
});

describe('the words of an address', () => {
  it('are none that everything has', () => {
    expect([asStatus('running'), asStatus('constructor'), asStatus(['running'])]).toEqual([
      'running',
      undefined,
      undefined,
    ]);
  });

  it('says which rows stay after canceling, for one row and for many', () => {
    const rows = { total: 2, delivered: 1, failed: 0, gone: 0, open: 0 };
    expect(cancelWords({ ...record, rows })).toMatch(
      /^1 delivered row stays where it is; 1 row is not sent\./,
    );
    expect(cancelWords(record)).toMatch(/^1,000 delivered rows stay where they are; 196 rows are not sent\./);
    expect(cancelWords({ ...record, target: 'csv' })).toBe('The file will not be created.');
  });

  it('of deleting: a file, or the status of rows, and the end of running work', () => {
    expect(deleteWords({ ...record, ended_at: record.created_at, target: 'csv' })).toBe(
      'Its file can no longer be downloaded. The source is kept.',
    );
    expect(deleteWords({ ...record, target: 'crm' })).toBe(
      'It ends immediately. The status of its rows is deleted. Delivered rows stay where they are, and the source is kept.',
    );
  });
});
