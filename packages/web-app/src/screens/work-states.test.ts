import { describe, expect, it } from '@jest/globals';
import type { Schema } from '../api/client.ts';
import { hasEnded, importState, isActive, jobStates, newerOf, runStates } from './work-states.ts';

describe('the states of work', () => {
  it('are called the same for jobs and runs', () => {
    for (const state of ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const) {
      expect(jobStates[state]).toEqual(runStates[state]);
    }
  });

  it('are in progress or ended, unless the work has not started', () => {
    const states = Object.keys(jobStates) as Schema['ValidationJob']['state'][];
    expect(states.filter(state => isActive({ state }))).toEqual(['queued', 'running', 'paused']);
    expect(states.filter(state => hasEnded({ state }))).toEqual(['succeeded', 'failed', 'cancelled']);
  });

  it('distinguish a paused import, except before its validation', () => {
    const pause = {} as Schema['CrmImport']['pause'];
    expect(importState({ state: 'reading', pause: null })).toEqual({ name: 'Reading records', tone: 'fair' });
    expect(importState({ state: 'reading', pause })).toEqual({
      name: 'Reading records, paused',
      tone: 'caution',
    });
    expect(importState({ state: 'ready', pause }).name).toBe('Ready to validate');
  });
});

describe('the state of changing work', () => {
  it('is not replaced by an older response that arrives late', () => {
    const [older, newer] = [{ version: 1 }, { version: 2 }];
    expect(newerOf(undefined, older)).toBe(older);
    expect(newerOf(older, newer)).toBe(newer);
    expect(newerOf(newer, older)).toBe(newer);
    // For the same version, the later answer may contain more, such as the current rate.
    const again = { version: 2 };
    expect(newerOf(newer, again)).toBe(again);
  });
});
