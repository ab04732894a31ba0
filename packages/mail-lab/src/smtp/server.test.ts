import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SmtpCounts } from '../counts.ts';
import { type MailLab, startMailLab } from '../lab.ts';
import { connectTo, greetedBy } from '../testing/in-lab.ts';

const mail = 'MAIL FROM:<probe@probe.example>';

describe('a scripted mail host', () => {
  let lab: MailLab;
  beforeAll(async () => {
    lab = await startMailLab();
  });
  beforeEach(() => lab.resetCounts());
  afterAll(() => lab.close());

  function countsOf(host: string): SmtpCounts {
    const counts = lab.counts().smtp[host];
    if (counts === undefined) throw new Error(`${host} was not contacted`);
    return counts;
  }

  it('answers pipelined commands in order and counts them as one round trip', async () => {
    const client = await greetedBy(lab, 'mx.ordinary.example');
    const replies = await client.send(mail, 'RCPT TO:<ada@ordinary.example>', 'RCPT TO:<x@ordinary.example>');
    expect(replies.map(reply => reply.slice(0, 3))).toEqual(['250', '250', '550']);
    expect(await client.ask('QUIT')).toBe('221 2.0.0 Bye');
    await client.closed();
    expect(countsOf('mx.ordinary.example')).toMatchObject({
      connections: 1,
      sessionsPeak: 1,
      commands: { EHLO: 1, MAIL: 1, RCPT: 2, QUIT: 1 },
      // The handshake, the banner, EHLO, the pipelined flight and QUIT.
      roundTrips: 5,
      recipientsAsked: 2,
      violations: [],
    });
  });

  it('counts commands sent one by one as a round trip each', async () => {
    const client = await greetedBy(lab, 'mx.ordinary.example');
    await client.ask(mail);
    await client.ask('RCPT TO:<ada@ordinary.example>');
    await client.ask('RSET');
    client.destroy();
    expect(countsOf('mx.ordinary.example').roundTrips).toBe(6);
  });

  it('lets a pipelined flight pay for latency once', async () => {
    const client = await greetedBy(lab, 'mx.ordinary.example');
    lab.setRoundTripMs(1_000);
    const startedMs = performance.now();
    await client.send(mail, 'RCPT TO:<a@ordinary.example>', 'RCPT TO:<b@ordinary.example>', 'RSET');
    const flightMs = performance.now() - startedMs;
    lab.setRoundTripMs(0);
    client.destroy();
    expect(flightMs).toBeGreaterThanOrEqual(998);
    // Four separate commands would take four times as long.
    expect(flightMs).toBeLessThan(3_900);
  });

  it('counts the sessions that are open now and their peak', async () => {
    const first = await greetedBy(lab, 'mx.catch-all.example');
    const second = await greetedBy(lab, 'mx.catch-all.example');
    expect(countsOf('mx.catch-all.example')).toMatchObject({ sessionsOpen: 2, sessionsPeak: 2 });
    await first.ask('QUIT');
    await first.closed();
    await second.ask('QUIT');
    await second.closed();
    expect(countsOf('mx.catch-all.example').sessionsPeak).toBe(2);
  });

  it('understands a character that arrives in two pieces', async () => {
    const client = await greetedBy(lab, 'mx.smtputf8.example');
    await client.ask(`${mail} SMTPUTF8`);
    const octets = Buffer.from('RCPT TO:<jörg@smtputf8.example>\r\n', 'utf8');
    const middleOfCharacter = octets.indexOf('ö') + 1;
    await client.write(octets.subarray(0, middleOfCharacter));
    await client.write(octets.subarray(middleOfCharacter));
    expect(await client.reply()).toMatch(/^250/);
    client.destroy();
  });

  it('speaks TLS after STARTTLS with a self-signed certificate', async () => {
    const client = await greetedBy(lab, 'mx.tls-required.example');
    expect(await client.ask(mail)).toMatch(/^530 5\.7\.0/);
    expect(await client.ask('STARTTLS')).toMatch(/^220/);
    await client.startTls();
    expect(await client.ask('EHLO probe.example')).toContain('PIPELINING');
    const replies = await client.send(mail, 'RCPT TO:<ada@tls-required.example>');
    expect(replies.map(reply => reply.slice(0, 3))).toEqual(['250', '250']);
    client.destroy();
    expect(countsOf('mx.tls-required.example')).toMatchObject({ roundTrips: 8, violations: [] });
  });

  it('makes STARTTLS, the handshake behind it and EHLO pay for latency once each', async () => {
    const client = await greetedBy(lab, 'mx.tls-required.example');
    lab.setRoundTripMs(60);
    const startedMs = performance.now();
    await client.ask('STARTTLS');
    await client.startTls();
    await client.ask('EHLO probe.example');
    const upgradeMs = performance.now() - startedMs;
    lab.setRoundTripMs(0);
    client.destroy();
    expect(upgradeMs).toBeGreaterThanOrEqual(175);
    expect(countsOf('mx.tls-required.example').roundTrips).toBe(6);
  });

  it('throws away commands injected in the clear behind STARTTLS', async () => {
    const client = await greetedBy(lab, 'mx.tls-required.example');
    await client.write(`STARTTLS\r\n${mail}\r\n`);
    expect(await client.reply()).toMatch(/^220/);
    await client.startTls();
    expect(await client.ask('NOOP')).toMatch(/^250/);
    client.destroy();
    expect(countsOf('mx.tls-required.example').commands).toEqual({ EHLO: 1, STARTTLS: 1, NOOP: 1 });
    expect(countsOf('mx.tls-required.example').violations).toContain(
      'The client sent commands in the clear after STARTTLS.',
    );
  });

  it('keeps a connection silent from the start', async () => {
    const client = await connectTo(lab, 'mx.silent.example', 150);
    await expect(client.reply()).rejects.toThrow('no reply');
    client.destroy();
  });

  it('falls silent when asked about a recipient', async () => {
    const client = await connectTo(lab, 'mx.silent-recipients.example', 3_000);
    await client.reply();
    await client.ask('EHLO probe.example');
    await client.ask(mail);
    await expect(client.ask('RCPT TO:<ada@silent-recipients.example>')).rejects.toThrow('no reply');
    client.destroy();
  });

  it('closes in place of the banner', async () => {
    const client = await connectTo(lab, 'mx.drops-at-connect.example');
    await expect(client.reply()).rejects.toThrow('closed');
  });

  it('closes in place of the reply to MAIL', async () => {
    const client = await greetedBy(lab, 'mx.drops-after-mail.example');
    await expect(client.ask(mail)).rejects.toThrow('closed');
  });

  it('refuses connections to a host that does not listen', async () => {
    await expect(connectTo(lab, 'mx.nobody-listening.example')).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
  });

  it('waits before a slow banner', async () => {
    const startedMs = performance.now();
    const client = await connectTo(lab, 'mx.slow-banner.example');
    expect(await client.reply()).toMatch(/^220/);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(2_990);
    client.destroy();
  });

  it('sends a long banner and an endless one', async () => {
    const long = await connectTo(lab, 'mx.long-banner.example');
    expect((await long.reply()).split('\n')).toHaveLength(40);
    long.destroy();
    const endless = await connectTo(lab, 'mx.endless-banner.example');
    expect(await endless.octets(20_000)).toMatch(/^(?:220-.*\r\n)+/);
    endless.destroy();
  });

  it('sends garbage in place of a banner', async () => {
    const client = await connectTo(lab, 'mx.garbage-banner.example');
    expect(await client.octets(10)).not.toMatch(/^\d{3}/);
    client.destroy();
  });

  it('delays every reply of a tarpit, also of pipelined commands', async () => {
    const client = await greetedBy(lab, 'mx.tarpit.example');
    const startedMs = performance.now();
    await client.send(mail, 'RCPT TO:<ada@tarpit.example>');
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(990);
    client.destroy();
  });

  it.each([
    ['first', ['250 2.1.0 Ok']],
    ['recipients', ['250 2.1.0 Ok', '250 2.0.0 Ok']],
    ['reversed', ['250 2.0.0 Ok', '250 2.1.5 Ok', '250 2.1.0 Ok']],
  ])('answers a group wrongly and single commands rightly (%s)', async (name, expected) => {
    const domain = `pipelining-${name}.example`;
    const client = await greetedBy(lab, `mx.${domain}`);
    await client.write(`${mail}\r\nRCPT TO:<ada@${domain}>\r\nRSET\r\n`);
    for (const reply of expected) expect(await client.reply()).toBe(reply);
    expect(await client.ask('NOOP')).toBe('250 2.0.0 Ok');
    expect(await client.ask(mail)).toBe('250 2.1.0 Ok');
    expect(await client.ask(`RCPT TO:<ada@${domain}>`)).toBe('250 2.1.5 Ok');
    client.destroy();
  });

  it('disconnects on a group if its script says so', async () => {
    const client = await greetedBy(lab, 'mx.pipelining-drops.example');
    await client.write(`${mail}\r\nRSET\r\n`);
    await client.closed();
  });

  it('rejects EHLO and accepts HELO if the script predates EHLO', async () => {
    const client = await connectTo(lab, 'mx.helo-only.example');
    await client.reply();
    expect(await client.ask('EHLO probe.example')).toMatch(/^502/);
    expect(await client.ask(mail)).toMatch(/^503/);
    expect(await client.ask('HELO probe.example')).toBe('250 mx.helo-only.example');
    expect(await client.ask(mail)).toMatch(/^250/);
    client.destroy();
  });

  it.each([
    ['mx.busy.example', /^421 4\.3\.2/],
    ['mx1.first-mx-busy.example', /^421 4\.3\.2/],
  ])('%s says 421 in its banner and closes', async (host, expected) => {
    const client = await connectTo(lab, host);
    expect(await client.reply()).toMatch(expected);
    await client.closed();
  });

  it('turns an address away in the banner and waits for QUIT', async () => {
    const client = await connectTo(lab, 'mx.blocked-at-banner.example');
    expect(await client.reply()).toMatch(/^554 .*\[127\.0\.0\.1\] blocked using/);
    expect(await client.ask('QUIT')).toMatch(/^221/);
    await client.closed();
  });

  it('turns an address away at MAIL or at every RCPT', async () => {
    const atMail = await greetedBy(lab, 'mx.blocked-at-mail.example');
    expect(await atMail.ask(mail)).toMatch(/^550 5\.7\.1/);
    atMail.destroy();
    const atRcpt = await greetedBy(lab, 'mx.blocked-at-rcpt.example');
    const asked = ['RCPT TO:<ada@blocked-at-rcpt.example>', 'RCPT TO:<x@blocked-at-rcpt.example>'];
    const [accepted, ...refused] = await atRcpt.send(mail, ...asked);
    expect(accepted).toMatch(/^250/);
    for (const reply of refused) expect(reply).toMatch(/^554 5\.7\.1 .*blocked using/);
    atRcpt.destroy();
  });

  it('serves one session at a time if the script says so', async () => {
    const first = await greetedBy(lab, 'mx.one-session.example');
    const second = await connectTo(lab, 'mx.one-session.example');
    expect(await second.reply()).toMatch(/^421 .*too many concurrent sessions/);
    await second.closed();
    first.destroy();
  });

  it('closes with 421 after too many refusals, with commands still in flight', async () => {
    const client = await greetedBy(lab, 'mx.error-limit.example');
    const asked = ['x1', 'x2', 'x3', 'ada'].map(local => `RCPT TO:<${local}@error-limit.example>`);
    const replies = await client.send(mail, ...asked);
    expect(replies.map(reply => reply.slice(0, 3))).toEqual(['250', '550', '550', '550', '421']);
    await client.closed();
  });

  it('refuses the recipients of a client that spoke first', async () => {
    const client = await connectTo(lab, 'mx.early-talkers.example');
    await client.write(`EHLO probe.example\r\n${mail}\r\nRCPT TO:<ada@early-talkers.example>\r\n`);
    const replies = [await client.reply(), await client.reply(), await client.reply(), await client.reply()];
    expect(replies.map(reply => reply.slice(0, 9))).toEqual([
      '220 mx.ea',
      '250-mx.ea',
      '250 2.1.0',
      '550 5.5.1',
    ]);
    client.destroy();
    const patient = await greetedBy(lab, 'mx.early-talkers.example');
    await patient.ask(mail);
    expect(await patient.ask('RCPT TO:<ada@early-talkers.example>')).toMatch(/^250/);
    patient.destroy();
    expect(countsOf('mx.early-talkers.example').violations).toContain('The client spoke before the banner.');
  });

  it('hangs up on a line without end', async () => {
    const client = await greetedBy(lab, 'mx.ordinary.example');
    await client.write('X'.repeat(10_000));
    expect(await client.reply()).toMatch(/^500/);
    await client.closed();
  });
});
