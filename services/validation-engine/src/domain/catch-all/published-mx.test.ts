import { describe, expect, test } from '@jest/globals';
import { amply } from '../testing/fakes.ts';
import { publishedMx } from './published-mx.ts';
import { acceptedAt, inquiryAbout, portsOf, type Script, sessionWith } from './testing/fakes.ts';

const front = acceptedAt('mx1.a.example', '8.0.0.1');

async function ask(
  hosts: Readonly<Record<string, Script>>,
  ...further: readonly (readonly [name: string, ...addresses: string[]])[]
) {
  const { ports, contacted } = portsOf({ hosts });
  const mailHosts = [
    { name: 'mx1.a.example', addresses: ['8.0.0.1'] },
    ...further.map(([name, ...addresses]) => ({ name, addresses })),
  ];
  const inquiry = inquiryAbout('ada@a.example', { mailHosts, attempts: [front] });
  const { observations, attempts } = await publishedMx.gather(ports, inquiry, amply());
  expect(contacted.length).toBeLessThanOrEqual(publishedMx.cost.smtpConnections);
  return {
    contacted,
    attempts,
    findings: observations.map(({ finding, host }) => `${host} ${finding}`),
  };
}

describe('another published mail host', () => {
  test.each([
    ['may have an old list says who is missing', sessionWith('550 5.1.1 User unknown'), 'missing_at_backup'],
    ['knows its recipients', sessionWith('250 Ok', '550 5.1.1 User unknown'), 'knows_recipient'],
    ['is a catch-all too', sessionWith('250 Ok', '250 Ok'), 'accepts_everybody'],
    ['reports a disabled mailbox', sessionWith('550 5.2.1 Account disabled'), 'disabled'],
    ['reports a full mailbox', sessionWith('452 4.2.2 Mailbox full'), 'full'],
    ['cannot say', sessionWith('250 Ok', '450 4.2.0 Later'), 'no_answer'],
    ['blocks us', sessionWith('554 5.7.1 Client host blocked using zen.spamhaus.org'), 'no_answer'],
    ['is busy', [[/^$/, '421 Busy']] as Script, 'no_answer'],
  ])('that %s', async (_name, script, finding) => {
    // An inconclusive made-up recipient is asked about again alone, so the script continues.
    const again: Script =
      finding === 'no_answer' && script.some(([, outcome]) => outcome === '450 4.2.0 Later')
        ? [
            ...script.slice(0, -1),
            [/^RSET/, '250 Ok'],
            [/^MAIL/, '250 Ok'],
            [/^RCPT/, '450 4.2.0 Later'],
            [/^QUIT/, '221 Bye'],
          ]
        : script;
    const { findings, attempts } = await ask({ '8.0.0.2': again }, ['mx2.a.example', '8.0.0.2']);
    expect(findings).toEqual([`mx2.a.example ${finding}`]);
    expect(attempts).toHaveLength(1);
  });

  test('that keeps the mailboxes knows who is missing', async () => {
    const host = 'a-example.mail.protection.outlook.com';
    const refusal = sessionWith('550 5.4.1 Recipient address rejected: Access denied');
    expect(await ask({ '8.0.0.2': refusal }, [host, '8.0.0.2'])).toMatchObject({
      findings: [`${host} missing`],
    });
  });

  test('that cannot be reached is no evidence', async () => {
    expect(await ask({}, ['mx2.a.example', '8.0.0.2'])).toMatchObject({
      findings: ['mx2.a.example no_answer'],
    });
  });

  test('is asked where no address was asked before, and never at a forbidden one', async () => {
    const { contacted, findings } = await ask(
      { '8.0.0.9': sessionWith('550 5.1.1 User unknown') },
      ['mx2.a.example', '8.0.0.1', '127.0.0.1', '10.0.0.1'],
      ['mx3.a.example', '8.0.0.9'],
      ['mx4.a.example', '8.0.0.9'],
    );
    expect(contacted).toEqual(['8.0.0.9']);
    expect(findings).toEqual([
      'mx2.a.example no_answer',
      'mx3.a.example missing_at_backup',
      'mx4.a.example no_answer',
    ]);
  });

  test('is asked once for each provider, since the machines of one house answer alike', async () => {
    const { ports, contacted } = portsOf({});
    const mailHosts = [
      { name: 'mxa-1.gslb.pphosted.com', addresses: ['8.0.0.1'] },
      { name: 'mxb-1.gslb.pphosted.com', addresses: ['8.0.0.2'] },
      { name: 'aspmx.l.google.com', addresses: ['8.0.0.3'] },
      { name: 'alt1.aspmx.l.google.com', addresses: ['8.0.0.4'] },
    ];
    const attempts = [acceptedAt('mxa-1.gslb.pphosted.com', '8.0.0.1')];
    await publishedMx.gather(ports, inquiryAbout('ada@a.example', { mailHosts, attempts }), amply());
    expect(contacted).toEqual(['8.0.0.3']);
  });

  test('is one of three at most', async () => {
    const busy = ['8.0.0.2', '8.0.1.2', '8.0.2.2', '8.0.0.3', '8.0.1.3', '8.0.0.4', '8.0.1.4'];
    const { contacted } = await ask(
      Object.fromEntries(busy.map(address => [address, [[/^$/, { failure: 'closed' }]] as const])),
      ['mx2.a.example', '8.0.0.2', '8.0.1.2', '8.0.2.2'],
      ['mx3.a.example', '8.0.0.3', '8.0.1.3'],
      ['mx4.a.example', '8.0.0.4', '8.0.1.4'],
      ['mx5.a.example', '8.0.0.5', '8.0.1.5'],
    );
    expect(contacted).toHaveLength(publishedMx.cost.smtpConnections);
    expect(contacted.some(address => address.endsWith('.5'))).toBe(false);
  });

  test('of the same preference that was asked before is heard as well', async () => {
    const { ports } = portsOf({});
    const attempts = [
      {
        kind: 'probed',
        host: 'mx2.a.example',
        address: '8.0.0.2',
        result: { kind: 'answered', recipient: 'missing', madeUp: [], comparedMsAgo: 0 },
        transcript: [],
      } as const,
      front,
    ];
    const mailHosts = ['mx1.a.example', 'mx2.a.example'].map(name => ({ name, preference: 10 }));
    const inquiry = inquiryAbout('ada@a.example', { mailHosts, attempts });
    const { observations } = await publishedMx.gather(ports, inquiry, amply());
    expect(observations).toEqual([
      { source: 'published_mx', finding: 'missing_at_backup', host: 'mx2.a.example' },
    ]);
  });

  test('leaves nothing to ask where there is none', async () => {
    expect(await ask({})).toEqual({ contacted: [], attempts: [], findings: [] });
  });
});
