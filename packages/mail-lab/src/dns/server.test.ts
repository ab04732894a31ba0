import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Answer } from 'dns-packet';
import { type MailLab, startMailLab } from '../lab.ts';
import { askOverTcp, askOverUdp, resolverFor, serverOf } from '../testing/in-lab.ts';

describe('the lab name server', () => {
  let lab: MailLab;
  beforeAll(async () => {
    lab = await startMailLab();
  });
  beforeEach(() => lab.resetCounts());
  afterAll(() => lab.close());

  it('answers MX, TXT and A the way Node resolves them', async () => {
    const resolver = resolverFor(lab);
    expect(await resolver.resolveMx('ordinary.example')).toMatchObject([
      { exchange: 'mx.ordinary.example', priority: 10 },
    ]);
    expect(await resolver.resolveTxt('ordinary.example')).toEqual([['v=spf1 mx -all']]);
    expect(await resolver.resolve4('aspmx.l.google.com')).toEqual([expect.stringMatching(/^127\./)]);
  });

  it('gives a null MX as an empty exchange', async () => {
    const answers = await resolverFor(lab).resolveMx('null-mx.example');
    expect(answers).toMatchObject([{ exchange: '', priority: 0 }]);
  });

  it('follows a CNAME to the MX behind it', async () => {
    const [mx] = await resolverFor(lab).resolveMx('alias.ordinary.example');
    expect(mx?.exchange).toBe('mx.ordinary.example');
  });

  it.each([
    ['nxdomain.example', 'ENOTFOUND'],
    ['below.nxdomain.example', 'ENOTFOUND'],
    ['no-such-name.ordinary.example', 'ENOTFOUND'],
    ['no-records.example', 'ENODATA'],
    ['servfail.example', 'ESERVFAIL'],
    ['dns-refused.example', 'EREFUSED'],
  ])('makes Node report %s as %s', async (name, code) => {
    await expect(resolverFor(lab).resolveMx(name)).rejects.toMatchObject({ code });
  });

  it('makes Node report a name server that never answers as ETIMEOUT', async () => {
    await expect(resolverFor(lab, 200).resolveMx('dns-silent.example')).rejects.toMatchObject({
      code: 'ETIMEOUT',
    });
  });

  it('treats a name with a record below it as existing', async () => {
    expect((await askOverUdp(lab, '_openpgpkey.keys-in-dns.example', 'TXT')).rcode).toBe('NOERROR');
    expect((await askOverUdp(lab, '_openpgpkey.catch-all.example', 'TXT')).rcode).toBe('NXDOMAIN');
  });

  it('sends negative answers with the SOA that says how long they last', async () => {
    const { authorities } = await askOverUdp(lab, 'no-records.example', 'MX');
    expect(authorities?.[0]).toMatchObject({ type: 'SOA', name: 'no-records.example' });
  });

  it('ignores the case of names and echoes the question as it was asked', async () => {
    const response = await askOverUdp(lab, 'OrDiNaRy.ExAmPlE', 'MX');
    expect(response.answers).toHaveLength(1);
    expect(response.questions?.[0]?.name).toBe('OrDiNaRy.ExAmPlE');
    expect(lab.counts().dns.byName).toEqual({ 'ordinary.example': { MX: 1 } });
  });

  it('truncates an answer that exceeds a datagram and gives all of it over TCP', async () => {
    const truncated = await askOverUdp(lab, 'huge-answer.example', 'MX');
    expect([truncated.flag_tc, truncated.answers?.length]).toEqual([true, 0]);
    expect((await askOverTcp(lab, 'huge-answer.example', 'MX')).answers).toHaveLength(12);
    expect(lab.counts().dns).toMatchObject({ queries: 2, overTcp: 1, truncated: 1 });
  });

  it('sends a bigger datagram to a resolver that offers room for it', async () => {
    const edns = { name: '.', type: 'OPT', udpPayloadSize: 4_096, flags: 0, options: [] };
    const response = await askOverUdp(lab, 'huge-answer.example', 'MX', [edns as unknown as Answer]);
    expect([response.flag_tc, response.answers?.length]).toEqual([false, 12]);
    expect(response.additionals?.[0]?.type).toBe('OPT');
  });

  it('makes Node fall back to TCP for a huge answer', async () => {
    const resolver = resolverFor(lab);
    expect(await resolver.resolveMx('huge-answer.example')).toHaveLength(12);
    expect(await resolver.resolveTxt('huge-answer.example')).toHaveLength(9);
    expect(lab.counts().dns.overTcp).toBe(2);
  });

  it.each([
    ['OPENPGPKEY', 'UNKNOWN_61', '_openpgpkey'],
    ['SMIMEA', 'UNKNOWN_53', '_smimecert'],
  ])('publishes %s for one mailbox and not for another', async (_, type, label) => {
    const owner = (local: string) =>
      `${createHash('sha256').update(local).digest('hex').slice(0, 56)}.${label}.keys-in-dns.example`;
    const [record] = (await askOverUdp(lab, owner('ada'), type)).answers ?? [];
    expect(record).toMatchObject({ type });
    expect((record as unknown as { data: Buffer }).data.length).toBeGreaterThan(30);
    expect((await askOverUdp(lab, owner('nobody'), type)).rcode).toBe('NXDOMAIN');
  });

  it('refuses unscripted names and reports them', async () => {
    expect((await askOverUdp(lab, 'www.elsewhere.test', 'A')).rcode).toBe('REFUSED');
    expect(lab.counts().unscripted).toEqual(['DNS question A www.elsewhere.test']);
  });

  it('answers octets that are no question with FORMERR and survives', async () => {
    const socket = createSocket('udp4');
    const { host, port } = serverOf(lab);
    socket.send(Buffer.concat([Buffer.from([0x12, 0x34, 0, 0, 0, 9]), Buffer.alloc(6, 0xff)]), port, host);
    const [octets] = (await once(socket, 'message', { signal: AbortSignal.timeout(20_000) })) as [Buffer];
    socket.close();
    expect([octets.readUInt16BE(0), octets.readUInt16BE(2) & 0xf]).toEqual([0x1234, 1]);
    expect((await askOverUdp(lab, 'ordinary.example', 'MX')).rcode).toBe('NOERROR');
  });

  it('imitates latency', async () => {
    lab.setRoundTripMs(80);
    const startedMs = performance.now();
    await askOverUdp(lab, 'ordinary.example', 'MX');
    lab.setRoundTripMs(0);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(78);
  });
});
