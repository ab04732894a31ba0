import { describe, expect, it } from '@jest/globals';
import { type ExportId, newId, type WebhookDestination } from '@mailproof/shared-types';
import { type BeginPushPorts, DestinationFault, keepDestination, pushBeginningOf } from './begin-push.ts';
import type { Destination } from './destination.ts';

const clay = { url: 'https://api.clay.com/v3/sources/webhook/1', header: null, signingSecret: 'whsec_a' };

describe('what to know before a push', () => {
  it('warns when a push uses much of what the receiver accepts in total', () => {
    expect(pushBeginningOf({}, clay, 24_999).notices).toHaveLength(1);
    const { notices } = pushBeginningOf({}, clay, 40_000);
    expect(notices).toHaveLength(2);
    expect(notices[1]).toContain('40,000 rows, and one Clay webhook accepts 50,000');
  });

  it('names the ceiling, which is the lower one of the receiver’s and the customer’s', () => {
    expect(pushBeginningOf({}, clay, 1)).toMatchObject({ preset: 'clay', rows_per_second_max: 10 });
    expect(pushBeginningOf({ rows_per_second_max: 3 }, clay, 1).rows_per_second_max).toBe(3);
    expect(pushBeginningOf({ rows_per_second_max: 300 }, clay, 1).rows_per_second_max).toBe(10);
    expect(pushBeginningOf({ preset: 'none' }, clay, 50_000).notices).toEqual([]);
  });
});

describe('keeping a destination', () => {
  const kept = new Map<ExportId, Destination>();
  let secrets = 0;
  const ports: BeginPushPorts = {
    destinations: {
      keep: async (exportId, destination) => void kept.set(exportId, destination),
      find: async exportId => kept.get(exportId),
      forget: async exportId => void kept.delete(exportId),
    },
    classifyHost: () => 'unknown',
    newSigningSecret: () => `whsec_${++secrets}`,
  };
  const wanted: WebhookDestination = { url: 'https://receiver.example/hook' };

  it('makes a secret up once for a destination, and takes one that is given', async () => {
    const exportId = newId('export');
    const first = await keepDestination(ports, exportId, wanted);
    expect(await keepDestination(ports, exportId, wanted)).toEqual(first);
    const elsewhere = await keepDestination(ports, exportId, { url: 'https://other.example/' });
    expect(elsewhere.signingSecret).not.toBe(first.signingSecret);
    const given = await keepDestination(ports, exportId, { ...wanted, signing_secret: 'whsec_given' });
    expect(given.signingSecret).toBe('whsec_given');
    expect(kept.get(exportId)).toEqual(given);
  });

  it('keeps no destination that may not be contacted, and does not repeat it', async () => {
    const exportId = newId('export');
    const bad = { url: 'https://canary:secret@receiver.example/' };
    const fault = await keepDestination(ports, exportId, bad).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(DestinationFault);
    expect(JSON.stringify([String(fault), (fault as DestinationFault).issues])).not.toContain('canary');
    expect(kept.has(exportId)).toBe(false);
  });
});
