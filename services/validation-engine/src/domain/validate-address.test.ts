import { expect, test } from '@jest/globals';
import { portsOf } from './catch-all/testing/fakes.ts';
import { weights } from './catch-all/weights.ts';
import { emptyDoNotProbeList } from './standing/do-not-probe.ts';
import { emailOf } from './testing/fakes.ts';
import { type ValidationPorts, validateAddress } from './validate-address.ts';

/** Asks about an address whose mail host does not answer, and tells the time that DNS and the host were given. */
async function timesGiven(deadlineMs: number): Promise<{ dnsMs: number[]; hostMs: number[] }> {
  const dnsMs: number[] = [];
  const hostMs: number[] = [];
  const { ports } = portsOf({});
  const world: ValidationPorts = {
    ...ports,
    dns: {
      async resolveMx(_name, deadline) {
        dnsMs.push(deadline.remainingMs());
        return { kind: 'answer', records: [{ preference: 10, exchange: 'mx.a.example' }], ttlSeconds: 60 };
      },
      async resolveAddresses(_name, family) {
        return family === 4
          ? { kind: 'answer', records: ['8.0.0.1'], ttlSeconds: 60 }
          : { kind: 'nodata', ttlSeconds: 60 };
      },
    },
    evidenceDns: { ...ports.evidenceDns, resolveText: async () => ({ kind: 'nodata' }) },
    asker: {
      async ask(_question, deadline) {
        hostMs.push(deadline.remainingMs());
        return { kind: 'not_connected', failure: 'unreachable' };
      },
    },
    blockWatch: { mayAsk: async () => ({ kind: 'ask', isTrial: false }), heard: async () => undefined },
    doNotProbe: emptyDoNotProbeList,
    randomOf: () => () => 0,
    evidencePolicy: { weights, prior: weights.prior, sources: [] },
    domainLists: {
      disposable: new Set(),
      disposableParents: new Set(),
      agreed: new Set(),
      suspected: new Set(),
      personal: new Set(),
    },
  };
  await validateAddress(world, emailOf('ada@a.example'), deadlineMs, new AbortController().signal);
  return { dnsMs, hostMs };
}

test.each([
  ['a tenth of a short time', 1_000, 900],
  ['half a second of a long one', 60_000, 59_500],
])('%s is kept back for the answer, and DNS gets half of the rest', async (_part, deadlineMs, usableMs) => {
  const { dnsMs, hostMs } = await timesGiven(deadlineMs);
  expect(dnsMs).toEqual([usableMs / 2]);
  expect(new Set(hostMs)).toEqual(new Set([usableMs]));
});
