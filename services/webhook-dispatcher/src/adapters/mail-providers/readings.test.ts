import { describe, expect, test } from '@jest/globals';
import { simulatedProviders } from '@mailproof/dev-house';
import { limits, newId } from '@mailproof/shared-types';
import type { MailProvider, Reading } from '../../domain/outcomes/receive-events.ts';
import { createAmazonSes } from './amazon-ses.ts';
import { deliveryStatus } from './delivery-status.ts';
import { createMailgun } from './mailgun.ts';
import { postmark } from './postmark.ts';
import { sendgrid } from './sendgrid.ts';
import { signedJson } from './signed-json.ts';

/* What the events of each provider mean. The payloads have the form of the provider's documentation. */

const now = new Date();
const email = 'ada@a.example';
const observedAt = '2026-11-26T10:00:00.000Z';
const seconds = Date.parse(observedAt) / 1_000;
const delivered = { email, outcome: 'delivered', observedAt };
const userUnknown = '550 5.1.1 <ada@a.example>: Recipient address rejected: User unknown';
const bounced = (given: object = {}) => ({
  email,
  outcome: 'bounced',
  observedAt,
  text: `Diagnostic-Code: smtp; ${userUnknown}`,
  ...given,
});

async function eventsOf(
  provider: MailProvider,
  { headers, body }: { headers: object; body: string },
  key: string | null,
): Promise<Extract<Reading, { kind: 'events' }>['events']> {
  const request = { headers, content: Buffer.from(body), now, signal: new AbortController().signal };
  const reading = await provider.read(request, { sourceId: newId('outcomeSource'), key });
  return reading.kind === 'events' ? reading.events : [];
}

/** Reads one event, signed as its provider signs it. */
function readerOf(name: keyof typeof simulatedProviders, adapter: MailProvider) {
  const { key, post } = simulatedProviders[name]();
  return (body: unknown) => eventsOf(adapter, post(body), key);
}

describe('SendGrid', () => {
  const read = readerOf('sendgrid', sendgrid);
  const event = { email, timestamp: seconds, sg_event_id: 'x', 'smtp-id': '<x@ismtpd>', category: ['cat'] };

  test.each([
    [{ event: 'delivered', response: '250 OK' }, delivered],
    [{ event: 'open', sg_machine_open: true }, delivered],
    [{ event: 'click', url: 'https://sender.example/' }, delivered],
    [{ event: 'spamreport' }, delivered],
    [{ event: 'bounce', type: 'bounce', status: '5.0.0', reason: userUnknown }, bounced()],
    [
      { event: 'bounce', type: 'bounce', status: '5.1.1', reason: '550 No such user' },
      bounced({ code: '5.1.1', text: 'Diagnostic-Code: smtp; 550 No such user' }),
    ],
    [{ event: 'bounce', type: 'blocked', reason: userUnknown }, bounced({ isSoft: true })],
    [
      { event: 'bounce', type: 'bounce', bounce_classification: 'Reputation', reason: userUnknown },
      bounced({ isSoft: true }),
    ],
    [
      { event: 'bounce', type: 'bounce', bounce_classification: 'Invalid Address', reason: userUnknown },
      bounced(),
    ],
    [{ event: 'dropped', reason: 'Bounced Address' }, { ignored: 'suppressed' }],
    [{ event: 'deferred', response: '400 try again later' }, { ignored: 'not_final' }],
    [{ event: 'processed' }, { ignored: 'not_an_outcome' }],
    [{ event: 'unsubscribe' }, { ignored: 'not_an_outcome' }],
    [{ event: 'group_resubscribe' }, { ignored: 'not_an_outcome' }],
    [{ event: 'delivered', timestamp: 1e300 }, { ignored: 'not_readable' }],
    [{ event: 'delivered', email: null }, { ignored: 'not_readable' }],
    [{ event: 7 }, { ignored: 'not_readable' }],
  ])('%j', async (given, expected) => {
    expect(await read([{ ...event, ...given }])).toEqual([expected]);
  });

  test('reports many events at once, and a broken one does not affect the others', async () => {
    const events = await read([{ ...event, event: 'delivered' }, null, 'text', { ...event, event: 'open' }]);
    const broken = { ignored: 'not_readable' };
    expect(events).toEqual([delivered, broken, broken, delivered]);
  });
});

describe('Postmark', () => {
  const read = readerOf('postmark', postmark);

  test.each([
    [
      { RecordType: 'Delivery', Recipient: email, DeliveredAt: '2026-11-26T11:00:00.0000000+01:00' },
      delivered,
    ],
    [{ RecordType: 'Open', Recipient: email, ReceivedAt: observedAt, FirstOpen: true }, delivered],
    [{ RecordType: 'Click', Recipient: email, ReceivedAt: observedAt }, delivered],
    [{ RecordType: 'SpamComplaint', Email: email, BouncedAt: observedAt, Type: 'SpamComplaint' }, delivered],
    [{ Type: 'HardBounce', Details: `smtp;${userUnknown}` }, bounced()],
    // Its own sentence names many reasons, so it is no reason.
    [{ Type: 'HardBounce', Description: 'The server was unable to deliver (ex: unknown user).' }, noText()],
    [{ Type: 'SoftBounce', Details: userUnknown }, bounced({ isSoft: true })],
    [{ Type: 'Blocked', Details: userUnknown }, bounced({ isSoft: true })],
    [{ Type: 'SpamNotification', Details: userUnknown }, bounced({ isSoft: true })],
    [{ Type: 'AutoResponder', Details: 'I am on holiday.' }, { ignored: 'not_an_outcome' }],
    [{ Type: 'BadEmailAddress' }, { ignored: 'not_an_outcome' }],
    [{ Type: 'ManuallyDeactivated' }, { ignored: 'suppressed' }],
    [{ Type: 'constructor' }, { ignored: 'not_an_outcome' }],
    [
      { RecordType: 'SubscriptionChange', Recipient: email, SuppressSending: true },
      { ignored: 'not_an_outcome' },
    ],
    [{ RecordType: 'Delivery', Recipient: email, DeliveredAt: 'yesterday' }, { ignored: 'not_readable' }],
    [{ RecordType: 'Other' }, { ignored: 'not_readable' }],
  ])('%j', async (given, expected) => {
    const bounce = { RecordType: 'Bounce', Email: email, BouncedAt: observedAt };
    expect(await read('RecordType' in given ? given : { ...bounce, ...given })).toEqual([expected]);
  });

  function noText() {
    const { text: _, ...others } = bounced();
    return others;
  }
});

describe('Mailgun', () => {
  const read = readerOf(
    'mailgun',
    createMailgun(async () => true),
  );
  const failed = (status: object, given: object = {}) => ({
    event: 'failed',
    severity: 'permanent',
    reason: 'bounce',
    'delivery-status': { 'mx-host': 'mx.a.example', message: userUnknown, code: 550, ...status },
    ...given,
  });
  const fromHost = (given: object = {}) =>
    bounced({ text: `Remote-MTA: dns; mx.a.example\r\nDiagnostic-Code: smtp; ${userUnknown}`, ...given });

  test.each([
    [{ event: 'delivered' }, delivered],
    [{ event: 'opened', 'client-info': { bot: 'apple' } }, delivered],
    [{ event: 'clicked' }, delivered],
    [{ event: 'complained' }, delivered],
    [failed({ 'bounce-type': 'hard', 'enhanced-code': '5.1.1' }), fromHost()],
    [failed({ 'bounce-type': 'soft' }), fromHost({ isSoft: true })],
    [failed({}, { reason: 'old' }), fromHost({ isSoft: true })],
    [failed({ message: '', 'enhanced-code': '', 'mx-host': 'x y' }), { ...noText(), code: '550' }],
    [
      failed({ code: 605, message: 'Not delivering' }, { reason: 'suppress-bounce' }),
      { ignored: 'suppressed' },
    ],
    [failed({}, { reason: 'suppress-unsubscribe' }), { ignored: 'suppressed' }],
    [failed({ code: 450 }, { severity: 'temporary', reason: 'generic' }), { ignored: 'not_final' }],
    [{ event: 'accepted' }, { ignored: 'not_an_outcome' }],
    [{ event: 'rejected', reject: { reason: 'x' } }, { ignored: 'not_an_outcome' }],
    [{ event: 'unsubscribed' }, { ignored: 'not_an_outcome' }],
    [{ event: 'delivered', recipient: 7 }, { ignored: 'not_readable' }],
  ])('%j', async (given, expected) => {
    expect(await read({ recipient: email, timestamp: seconds, id: 'x', ...given })).toEqual([expected]);
  });

  function noText() {
    const { text: _, ...others } = bounced();
    return others;
  }
});

describe('Amazon SES', () => {
  const ses = (message: unknown) =>
    createAmazonSes({
      open: async () => ({ Type: 'Notification', Message: text(message) }) as never,
      confirm: async () => undefined,
    });
  const text = (message: unknown) => (typeof message === 'string' ? message : JSON.stringify(message));
  const read = (message: unknown) => eventsOf(ses(message), { headers: {}, body: '' }, 'arn');
  const bounce = (bounceType: string, bounceSubType: string, recipient: object = {}) => ({
    notificationType: 'Bounce',
    bounce: {
      bounceType,
      bounceSubType,
      timestamp: observedAt,
      bouncedRecipients: [{ emailAddress: email, ...recipient }],
    },
  });
  const diagnosed = { status: '5.1.1', diagnosticCode: `smtp; ${userUnknown.replace(': ', ':\n ')}` };
  const { text: _, ...bare } = bounced();

  test.each([
    [{ notificationType: 'Delivery', delivery: { timestamp: observedAt, recipients: [email] } }, delivered],
    [
      { eventType: 'Delivery', delivery: { timestamp: observedAt, recipients: [`Ada <${email}>`] } },
      delivered,
    ],
    [bounce('Permanent', 'General', diagnosed), bounced()],
    [bounce('Permanent', 'NoEmail'), { ...bare, code: '5.1.1' }],
    [bounce('Permanent', 'General'), bare],
    [bounce('Transient', 'General', diagnosed), bounced({ isSoft: true })],
    [bounce('Transient', 'MailboxFull'), { ...bare, code: '5.2.2', isSoft: true }],
    [bounce('Undetermined', 'Undetermined', diagnosed), bounced({ isSoft: true })],
    [bounce('Permanent', 'Suppressed', diagnosed), { ignored: 'suppressed' }],
    [bounce('Permanent', 'OnAccountSuppressionList', diagnosed), { ignored: 'suppressed' }],
    [complaint([email]), delivered],
    [complaint([email, 'bob@a.example']), { ignored: 'several_recipients' }],
    [complaint([email], 'OnAccountSuppressionList'), { ignored: 'suppressed' }],
    [{ eventType: 'Open', mail: { destination: [email] }, open: { timestamp: observedAt } }, delivered],
    [{ eventType: 'Click', mail: { destination: [email] }, click: { timestamp: observedAt } }, delivered],
    [
      { eventType: 'Open', mail: { destination: [email, 'bob@a.example'] }, open: { timestamp: observedAt } },
      { ignored: 'several_recipients' },
    ],
    [{ eventType: 'DeliveryDelay', deliveryDelay: { delayType: 'MailboxFull' } }, { ignored: 'not_final' }],
    [{ eventType: 'Send' }, { ignored: 'not_an_outcome' }],
    [{ eventType: 'Reject' }, { ignored: 'not_an_outcome' }],
    [{ hello: 'world' }, { ignored: 'not_an_outcome' }],
    ['Successfully validated SNS topic for Amazon SES event publishing.', { ignored: 'not_an_outcome' }],
  ])('%j', async (given, expected) => {
    expect(await read(given)).toEqual([expected]);
  });

  function complaint(recipients: string[], complaintSubType: string | null = null) {
    return {
      notificationType: 'Complaint',
      complaint: {
        complaintSubType,
        timestamp: observedAt,
        complainedRecipients: recipients.map(emailAddress => ({ emailAddress })),
      },
    };
  }

  test.each(['{', '{"notificationType":"Bounce"}', '{"notificationType":"Delivery","delivery":[]}'])(
    'is refused: %s',
    async message => {
      await expect(read(message)).rejects.toMatchObject({ reason: 'body_not_readable' });
    },
  );
});

describe('JSON', () => {
  const read = readerOf('json', signedJson);

  test.each([
    [{ email, outcome: 'delivered', date: '2026-11-26T11:00:00+01:00' }, delivered],
    [
      { email, outcome: 'replied', date: observedAt },
      { ...delivered, outcome: 'replied' },
    ],
    [{ email, outcome: 'bounced', date: observedAt, text: userUnknown }, bounced()],
    [{ email, outcome: 'eaten', date: observedAt }, { ignored: 'not_readable' }],
    [{ email, outcome: 'delivered' }, { ignored: 'not_readable' }],
  ])('%j', async (given, expected) => {
    expect(await read({ outcomes: [given] })).toEqual([expected]);
  });

  test('never hands on more, or other characters, than the engine takes', async () => {
    const hostile = `\u0000\ud800\u0007 \r\n ${'x'.repeat(5_000)}\u0000`;
    const [event] = await read({
      outcomes: [{ email: hostile, outcome: 'bounced', date: observedAt, code: hostile, text: hostile }],
    });
    const { email: address = '', code = '', text = '' } = event as Record<string, string>;
    expect([address.length, code.length]).toEqual([1_000, 100]);
    expect(text).toHaveLength(limits.bounceTextCharactersMax);
    for (const each of [address, code, text]) {
      expect(each.isWellFormed()).toBe(true);
      expect(each).not.toMatch(/\0/);
    }
  });
});

test.each([
  ['json', signedJson, { outcomes: Array.from({ length: 260_000 }, () => ({})) }],
  ['sendgrid', sendgrid, Array.from({ length: 260_000 }, () => ({}))],
] as const)(
  'a request of %s with too many events is refused before they are read',
  async (name, adapter, body) => {
    const before = process.cpuUsage();
    await expect(readerOf(name, adapter)(body)).rejects.toMatchObject({ reason: 'too_many_events' });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(2_000);
  },
);

describe('A delivery status notification', () => {
  const read = readerOf('dsn', deliveryStatus);
  const recipient = (...fields: string[]) =>
    ['Final-Recipient: rfc822; ada@a.example', ...fields].join('\r\n');
  const report = (groups: readonly string[], type = 'message/delivery-status') =>
    [
      'From: MAILER-DAEMON@sender.example',
      'Date: Thu, 26 Nov 2026 10:00:00 +0000',
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'Your mail to someone@else.example was lost. 550 5.1.1 User unknown',
      '--b',
      `Content-Type: ${type}`,
      '',
      'Reporting-MTA: dns; mx.sender.example',
      '',
      groups.join('\r\n\r\n'),
      '',
      '--b',
      'Content-Type: message/rfc822',
      '',
      'Content-Type: message/delivery-status',
      '',
      'Final-Recipient: rfc822; original@a.example',
      '--b--',
      '',
    ].join('\r\n');
  const { text: _, ...bare } = bounced();

  test.each([
    [recipient('Action: failed', 'Status: 5.0.0', `Diagnostic-Code: smtp; ${userUnknown}`), bounced()],
    [
      recipient(
        'Action: Failed',
        'Status: 5.1.1 (bad destination)',
        'Remote-MTA: dns; mx.a.example',
        'Diagnostic-Code: smtp; 550 5.1.1',
        '  <ada@a.example>: Recipient address rejected:',
        '\tUser unknown',
      ),
      bounced({ text: `Remote-MTA: dns; mx.a.example\r\nDiagnostic-Code: smtp; ${userUnknown}` }),
    ],
    [recipient('Action: failed', 'Status: 5.1.1'), { ...bare, code: '5.1.1' }],
    [recipient('Action: delivered', 'Status: 2.0.0'), delivered],
    [
      recipient('Action: delivered', 'Last-Attempt-Date: Thu, 26 Nov 2026 12:00:00 +0000'),
      { ...delivered, observedAt: '2026-11-26T12:00:00.000Z' },
    ],
    [recipient('Action: delayed', 'Status: 4.4.1'), { ignored: 'not_final' }],
    [recipient('Action: relayed'), { ignored: 'not_an_outcome' }],
    [recipient('Action: expanded'), { ignored: 'not_an_outcome' }],
    [recipient('Status: 5.1.1'), { ignored: 'not_readable' }],
    ['Final-Recipient: x400; /G=Ada/\r\nAction: failed', { ignored: 'not_readable' }],
    ['Original-Recipient: rfc822; ada@a.example\r\nAction: failed', { ignored: 'not_readable' }],
  ])('%j', async (group, expected) => {
    expect(await read(report([group]))).toEqual([expected]);
    // Some mail servers end their lines with a line feed alone.
    expect(await read(report([group]).replaceAll('\r\n', '\n'))).toEqual([expected]);
  });

  test('names each recipient, and is not read from the original message', async () => {
    const groups = ['ada', 'bob'].map(name =>
      recipient('Action: failed', 'Status: 5.1.1').replace('ada@', `${name}@`),
    );
    const events = await read(report(groups));
    expect(events.map(event => 'email' in event && event.email)).toEqual(['ada@a.example', 'bob@a.example']);
  });

  test('can have an address in UTF-8 (RFC 6533), and an encoded part', async () => {
    const fields = 'Final-Recipient: utf-8; jörg@a.example\r\nAction: failed\r\nStatus: 5.1.1';
    const [event] = await read(report([fields], 'message/global-delivery-status'));
    expect(event).toMatchObject({ email: 'jörg@a.example', outcome: 'bounced' });
    const encoded = Buffer.from(`Reporting-MTA: dns; x\r\n\r\n${fields}`).toString('base64');
    const [same] = await read(
      [
        'Content-Type: multipart/report; boundary=b',
        '',
        '--b',
        'Content-Type: message/delivery-status',
        'Content-Transfer-Encoding: base64',
        '',
        encoded,
        '--b--',
      ].join('\r\n'),
    );
    expect(same).toMatchObject({ email: 'jörg@a.example', code: '5.1.1' });
  });

  test('can come without the message around it', async () => {
    const [, ...body] = report([recipient('Action: failed', 'Status: 5.1.1')]).split('\r\n\r\n');
    const headers = { 'content-type': 'multipart/report; report-type=delivery-status; boundary="b"' };
    const events = await eventsOf(deliveryStatus, { headers, body: body.join('\r\n\r\n') }, null);
    expect(events).toMatchObject([{ email, outcome: 'bounced', code: '5.1.1' }]);
    expect(Date.parse((events[0] as { observedAt: string }).observedAt) % 86_400_000).toBe(0);
  });

  test.each([
    ['an ordinary message', 'Subject: Hello\r\n\r\nAction: failed'],
    ['a report without recipients', report([])],
    ['nothing', '\r\n'],
    ['garbage', '\u0000\u0001\u00ff'.repeat(1_000)],
  ])('is refused: %s', async (_name, message) => {
    await expect(read(message)).rejects.toMatchObject({ reason: 'body_not_readable' });
  });

  const mib = limits.outcomeEventsBytesMax;
  test.each([
    ['headers', 'a: b\r\n'.repeat(mib / 6)],
    ['one long header', `Subject: ${'='.repeat(mib)}`],
    ['folded lines', `Subject: x${'\r\n y'.repeat(mib / 4)}`],
    ['nested parts', nested(2_000)],
    ['many parts', `Content-Type: multipart/report; boundary=b\r\n\r\n${'--b\r\n\r\n'.repeat(mib / 7)}`],
    ['many recipients', report([`${recipient('Action: failed')}\r\n\r\n`.repeat(mib / 60)])],
    ['a long field', report([`Final-Recipient: rfc822; ${'\r\n '.repeat(mib / 4)}x`])],
    ['blank lines', report(['\r\n'.repeat(mib / 3)])],
    ['spaces', report([` ${' '.repeat(mib / 2)}\r\n`, `x:${'\t'.repeat(mib / 4)}`])],
  ])('takes bounded processor time, in milliseconds: %s', async (_name, message) => {
    const before = process.cpuUsage();
    await read(message.slice(0, mib)).catch(() => undefined);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(2_000);
  });

  function nested(depth: number): string {
    return Array.from(
      { length: depth },
      (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
    ).join('');
  }
});
