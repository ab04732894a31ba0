import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  createDoNotProbeList,
  type DoNotProbeEntry,
  type DoNotProbeList,
  type ListedEntry,
  listAgeMsMax,
} from './do-not-probe.ts';

let nowMs: number;
let kept: DoNotProbeEntry[];
let isUnavailable: boolean;
let reads: number;
let failures: unknown[];
let list: DoNotProbeList;

beforeEach(() => {
  nowMs = 0;
  kept = [];
  isUnavailable = false;
  reads = 0;
  failures = [];
  list = createDoNotProbeList({
    store: {
      async list() {
        reads += 1;
        if (isUnavailable) {
          throw new Error('away');
        }
        return kept.map(
          (entry): ListedEntry => ({
            ...entry,
            origin: 'operator',
            note: undefined,
            createdAt: new Date(0),
          }),
        );
      },
    },
    nowMs: () => nowMs,
    onStoreFailed: error => void failures.push(error),
  });
});

const domain = (name: string): DoNotProbeEntry => ({ scope: 'domain', name });
const host = (name: string): DoNotProbeEntry => ({ scope: 'mail_host', name });
const settled = () => new Promise(resolve => setImmediate(resolve));

test('an entry covers its name and those below it, in its own scope', async () => {
  kept = [domain('company.example'), host('mx.provider.example')];
  const covered = await Promise.all(
    [
      domain('company.example'),
      domain('news.company.example'),
      domain('other-company.example'),
      domain('example'),
      host('company.example'),
      host('eu.mx.provider.example'),
      host('provider.example'),
    ].map(list.covers),
  );
  expect(covered).toEqual([true, true, false, false, false, true, false]);
  expect(reads).toBe(1);
});

describe('a list in memory', () => {
  test('is read again when it is old, without any validation waiting', async () => {
    expect(await list.covers(domain('company.example'))).toBe(false);
    kept = [domain('company.example')];
    nowMs = listAgeMsMax - 1;
    expect(await list.covers(domain('company.example'))).toBe(false);
    nowMs = listAgeMsMax;
    await list.covers(domain('company.example'));
    await settled();
    expect(await list.covers(domain('company.example'))).toBe(true);
    expect(reads).toBe(2);
  });

  test('is used on while the store is away, and asked for again only when it is old again', async () => {
    kept = [domain('company.example')];
    await list.refresh();
    isUnavailable = true;
    nowMs = listAgeMsMax;
    for (let turn = 0; turn < 5; turn += 1) {
      expect(await list.covers(domain('company.example'))).toBe(true);
      await settled();
    }
    expect(reads).toBe(2);
    expect(failures).toHaveLength(1);
  });

  test('that was never read clears no one', async () => {
    isUnavailable = true;
    await expect(list.covers(domain('company.example'))).rejects.toThrow('away');
    isUnavailable = false;
    expect(await list.covers(domain('company.example'))).toBe(false);
  });

  test('holds a change at once where it was made', async () => {
    await list.covers(domain('company.example'));
    kept = [domain('company.example')];
    await list.refresh();
    expect(await list.covers(domain('company.example'))).toBe(true);
  });
});
