import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { type Deadline, deadlineAfter } from '../concurrency/deadline.ts';
import { amply, createStillClock, emailOf } from '../testing/fakes.ts';
import type { Cost, EvidenceSource } from './evidence-source.ts';
import { gatherCatchAllEvidence } from './gather-evidence.ts';
import { noSiteLooks, type SiteLooks } from './site/site-looks.ts';
import { evidenceSources } from './sources.ts';
import { acceptedAt, portsOf } from './testing/fakes.ts';
import { weights } from './weights.ts';

const madeUp = [
  { shape: 'alike', localPart: 'name.digits' },
  { shape: 'random', localPart: 'letters' },
] as const;
const further = acceptedAt('mx2.a.example', '8.0.0.2');

function sourceThat(gather: EvidenceSource['gather']): EvidenceSource {
  return {
    id: 'openpgpkey',
    privacy: 'hash_to_name_servers',
    cost: { smtpConnections: 0, dnsQuestions: 0, httpsRequests: 0 },
    enabledByDefault: true,
    gather,
  };
}

const finds = sourceThat(async () => ({
  observations: [{ source: 'openpgpkey', finding: 'published' }],
  attempts: [further],
}));
const breaks = sourceThat(() => Promise.reject(new Error('broken')));

function gather(
  sources: readonly EvidenceSource[],
  address = 'ada@a.example',
  deadline: Deadline = amply(),
  sites: SiteLooks = noSiteLooks,
) {
  const question = {
    mailHosts: { kind: 'found', preferred: 'mx1.a.example', hosts: [], hostsLeftOut: 0 } as const,
    attempts: [acceptedAt('mx1.a.example', '8.0.0.1')],
    task: { email: emailOf(address), madeUp, mailFrom: '', heloName: 'probe.example' },
  };
  return gatherCatchAllEvidence(
    portsOf({ sites, web: { get: async () => ({ kind: 'failure' }) } }).ports,
    { weights, prior: weights.prior, sources },
    question,
    deadline,
  );
}

describe('gathering evidence', () => {
  test('weighs what the sources found, and keeps the hosts that were asked', async () => {
    expect(await gather([finds])).toMatchObject({
      weightsVersion: weights.version,
      observations: [{ source: 'openpgpkey', finding: 'published', llr: 4 }],
      attempts: [further],
    });
  });

  test('does without a source that breaks', async () => {
    expect(await gather([breaks, finds])).toMatchObject({ observations: [{ finding: 'published' }] });
    expect(await gather([breaks])).toMatchObject({
      posterior: expect.closeTo(weights.prior),
      observations: [],
    });
  });

  test('lets all sources ask at once, about a made-up one that looks like a person', async () => {
    const heard: string[] = [];
    let release = () => {};
    const allAsked = new Promise<void>(resolve => {
      release = resolve;
    });
    const waits = sourceThat(async (_ports, { stranger }) => {
      heard.push(stranger);
      if (heard.length === 2) {
        release();
      }
      await allAsked;
      return { observations: [] };
    });
    await gather([waits, waits]);
    expect(heard).toEqual(['name.digits', 'name.digits']);
  });

  test('ends with the caller’s deadline and ten seconds at the latest', async () => {
    const seen: number[] = [];
    const looks = sourceThat(async (_ports, _inquiry, deadline) => {
      seen.push(deadline.remainingMs());
      return { observations: [] };
    });
    const after = (ms: number) => deadlineAfter(createStillClock(), ms, new AbortController().signal);
    await gather([looks], undefined, after(3_000));
    await gather([looks], undefined, after(60_000));
    await gather([looks], undefined, after(0));
    expect(seen).toEqual([3_000, 10_000]);
  });

  test('asks no source about an address literal', async () => {
    expect(await gather([finds], 'ada@[8.0.0.1]')).toMatchObject({ observations: [], attempts: [] });
  });
});

describe('requests that sources do not need', () => {
  const get = { host: 'a.example', path: '/', accept: '*/*' };
  const directory = (requests: number, httpsRequests = 2): EvidenceSource => ({
    ...sourceThat(async ({ web }, _inquiry, deadline) => {
      for (let made = 0; made < requests; made += 1) {
        await web.get(get, deadline);
      }
      return { observations: [] };
    }),
    cost: { smtpConnections: 0, dnsQuestions: 0, httpsRequests },
  });
  const site: EvidenceSource = {
    ...sourceThat(async ({ sites }, { task }, deadline) => {
      await sites.about(task.email, deadline);
      return { observations: [] };
    }),
    id: 'published_on_site',
    cost: { smtpConnections: 0, dnsQuestions: 0, httpsRequests: 4 },
  };

  test.each<readonly [string, EvidenceSource[], number]>([
    ['no other source', [], 0],
    ['two directories that say no', [directory(1), directory(1)], 2],
    ['one that says yes', [directory(2), directory(1)], 1],
    ['two that say yes', [directory(2), directory(2)], 0],
    ['a source that breaks', [directory(1), { ...breaks, cost: directory(0).cost }], 3],
  ])('are left for the site: %s', async (_, others, left) => {
    const seen: number[] = [];
    const about: SiteLooks['about'] = async (_email, _deadline, spare) => {
      seen.push((await spare?.()) ?? -1);
      return undefined;
    };
    await gather([site, ...others], undefined, amply(), { about });
    expect(seen).toEqual([left]);
  });
});

describe('the sources', () => {
  test('are weighed, each under its own name', () => {
    expect(evidenceSources.map(({ id }) => id).sort()).toEqual(Object.keys(weights.sources).sort());
  });

  test('are what the README says', () => {
    const page = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
    for (const { id, cost, enabledByDefault } of evidenceSources) {
      const row = page.split('\n').find(line => line.startsWith(`| \`${id}\``)) ?? '';
      const cells = row.split('|').map(cell => cell.trim());
      const counted = Object.values(weights.sources[id].llr).filter(llr => llr > 0);
      const [most, default_] = cells.slice(-3);
      expect([id, ...counted.filter(llr => !cells[4]?.includes(`+${llr}`))]).toEqual([id]);
      expect([id, ...(most?.match(/\d+ [A-Z]+/g) ?? [])]).toEqual([id, ...costInWords(cost)]);
      expect([id, default_]).toEqual([id, enabledByDefault ? 'on' : 'off']);
    }
  });

  test.each([
    ['by default', evidenceSources.filter(({ enabledByDefault }) => enabledByDefault), [6, 24, 8]],
    ['all together', evidenceSources, [8, 34, 12]],
  ])('ask for no more than this %s', (_, sources, most) => {
    const total = (unit: 'smtpConnections' | 'dnsQuestions' | 'httpsRequests') =>
      sources.reduce((sum, { cost }) => sum + cost[unit], 0);
    expect([total('smtpConnections'), total('dnsQuestions'), total('httpsRequests')]).toEqual(most);
  });

  test('that are on by default cost what ADR 0013 says', () => {
    const adr = readFileSync(new URL('../../../../../docs/adr/0013-evidence.md', import.meta.url), 'utf8');
    expect(adr).toContain('Up to 6 SMTP connections, 8 HTTPS requests and 24 DNS queries');
  });
});

function costInWords({ smtpConnections, httpsRequests, dnsQuestions }: Cost): string[] {
  const amounts = [
    [smtpConnections, 'SMTP'],
    [httpsRequests, 'HTTPS'],
    [dnsQuestions, 'DNS'],
  ] as const;
  return amounts.filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount} ${unit}`);
}
