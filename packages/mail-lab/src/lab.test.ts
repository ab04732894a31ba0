import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { benchmarkCatalog } from './benchmark-catalog.ts';
import { postfix } from './catalog/servers.ts';
import { startMailLab } from './lab.ts';
import type { Catalog } from './script.ts';
import { addressOf, askOverUdp, connectTo, greetedBy, resolverFor, serverOf } from './testing/in-lab.ts';

const small: Catalog = [
  {
    domain: 'small.example',
    story: 'A catalog of one domain.',
    dns: { mx: [[10, 'mx.small.example']] },
    hosts: { 'mx.small.example': postfix(['ada']) },
    expected: [],
  },
];

/** Returns a block that no lab chooses by default, and most likely no parallel run of these tests. */
function ownBlock(): string {
  return `127.${220 + randomInt(34)}.0.0/16`;
}

describe('a mail lab', () => {
  it('runs next to a second lab without sharing an address', async () => {
    const [first, second] = await Promise.all([startMailLab(), startMailLab()]);
    expect(first.allowedRanges).not.toEqual(second.allowedRanges);
    for (const lab of [first, second]) {
      const client = await greetedBy(lab, 'mx.ordinary.example');
      client.destroy();
      expect(Object.keys(lab.counts().smtp)).toEqual(['mx.ordinary.example']);
    }
    await Promise.all([first.close(), second.close()]);
  });

  it('places all of its hosts inside the ranges it announces', async () => {
    const lab = await startMailLab({ catalog: small });
    const prefix = lab.allowedRanges[0]?.replace('0.0/16', '') ?? 'none';
    expect(lab.dnsServer.startsWith(prefix)).toBe(true);
    expect((await addressOf(lab, 'mx.small.example')).startsWith(prefix)).toBe(true);
    await lab.close();
  });

  it('frees everything on close, also under live and silent connections', async () => {
    const options = { addressBlock: ownBlock(), smtpPort: 12_600, httpsPort: 12_601, dnsPort: 12_602 };
    const lab = await startMailLab({ ...options, roundTripMs: 5 });
    const clients = [
      await greetedBy(lab, 'mx.ordinary.example'),
      await connectTo(lab, 'mx.silent.example'),
      await connectTo(lab, 'mx.endless-banner.example'),
      await connectTo(lab, 'mx.slow-banner.example'),
    ];
    const handshakes = [
      connect(lab.httpsPort, await addressOf(lab, 'webfinger.example')),
      connect(serverOf(lab).port, serverOf(lab).host),
    ];
    const unanswered = resolverFor(lab);
    const pending = unanswered.resolveMx('dns-silent.example').catch(() => undefined);
    for (const socket of handshakes) {
      socket.on('error', () => undefined);
      await once(socket, 'connect');
    }
    await lab.close();
    for (const client of clients) await client.closed();
    unanswered.cancel();
    await pending;
    for (const socket of handshakes) socket.destroy();
    const again = await startMailLab(options);
    expect(again.dnsServer).toBe(lab.dnsServer);
    await again.close();
  });

  it('reports to its owner what the catalog does not script', async () => {
    const reported: string[] = [];
    const lab = await startMailLab({ catalog: small, onUnscripted: what => reported.push(what) });
    await askOverUdp(lab, 'elsewhere.test', 'MX');
    const client = await greetedBy(lab, 'mx.small.example');
    await client.ask('MAIL FROM:<>');
    expect(await client.ask('RCPT TO:<ada@elsewhere.test>')).toMatch(/^554/);
    client.destroy();
    expect(reported).toEqual([
      'DNS question MX elsewhere.test',
      'RCPT for a foreign domain at mx.small.example: ada@elsewhere.test',
    ]);
    expect(lab.counts().unscripted).toEqual(reported);
    lab.resetCounts();
    expect(lab.counts()).toMatchObject({ dns: { queries: 0, byName: {} }, unscripted: [] });
    await lab.close();
  });

  it('rejects a catalog that contradicts itself, and says why', async () => {
    const [domain] = small;
    if (domain === undefined) throw new Error('unreachable');
    const broken = { ...domain, dns: { mx: [[10, 'mx.forgotten.example']] } } as const;
    await expect(startMailLab({ catalog: [broken] })).rejects.toThrow(
      'small.example has MX mx.forgotten.example, which has no script.',
    );
  });

  it('reports that the requested address block is in use', async () => {
    const addressBlock = ownBlock();
    const lab = await startMailLab({ catalog: small, addressBlock });
    const second = startMailLab({ catalog: small, addressBlock, smtpPort: lab.smtpPort });
    await expect(second).rejects.toThrow('No address block has the ports the lab needs.');
    await lab.close();
  });

  it('serves six hundred hosts', async () => {
    const catalog = benchmarkCatalog({ domains: 600, addresses: 2_000, seed: 7 });
    const lab = await startMailLab({ catalog });
    for (const host of ['mx.bench-1.test', 'mx.bench-600.test']) {
      const client = await connectTo(lab, host);
      expect(await client.reply()).toBe(`220 ${host} ESMTP Postfix`);
      client.destroy();
    }
    await lab.close();
  });
});
