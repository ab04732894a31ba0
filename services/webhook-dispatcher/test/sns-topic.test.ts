import { execFileSync } from 'node:child_process';
import { createSign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { makeTestCertificate } from '@mailproof/dev-house';
import { createAddressGuard, createOutside, type Outside } from '@mailproof/service-kit';
import { newId } from '@mailproof/shared-types';
import { createAmazonSes } from '../src/adapters/mail-providers/amazon-ses.ts';
import { createSnsTopic } from '../src/adapters/mail-providers/sns-topic.ts';
import type { MailProvider } from '../src/domain/outcomes/receive-events.ts';

/* Amazon SNS on loopback, with TLS under its own names: certificates, signatures of both versions, subscriptions. */

const host = 'sns.eu-west-1.amazonaws.com';
const topicArn = 'arn:aws:sns:eu-west-1:123456789012:bounces';
const certificatePath = '/SimpleNotificationService-0123abcd.pem';
const email = 'ada@a.example';

/** A certificate as Amazon SNS has it, for RSA and with its name. */
function signingIdentity(name: string) {
  const folder = mkdtempSync(join(tmpdir(), 'sns-'));
  try {
    const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
    const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', `/CN=${name}`];
    execFileSync('openssl', [...kind, ...files], { stdio: 'ignore' });
    const read = (file: string) => readFileSync(join(folder, file), 'utf8');
    return { key: read('key.pem'), cert: read('cert.pem') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const own = signingIdentity('sns.amazonaws.com');
const stranger = signingIdentity('evil.example');
/** After the certificates, which are valid from the second in which they were made. */
const now = new Date();
const site = makeTestCertificate(`DNS:${host}`, 'DNS:bucket.s3.amazonaws.com');

let server: Server;
let https: Outside;
let ses: MailProvider;
let asked: string[] = [];
let confirmation = 200;
let certificateStatus = 200;

beforeAll(async () => {
  server = createServer({ key: site.key, cert: site.cert }, (request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    if (request.url?.startsWith('/?')) {
      response
        .writeHead(confirmation, { location: 'http://127.0.0.1/' })
        .end('<ConfirmSubscriptionResponse/>');
    } else {
      const pem = request.url?.includes('stranger') ? stranger.cert : own.cert;
      response.writeHead(certificateStatus).end(request.url?.includes('garbage') ? 'x' : pem);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  https = createOutside({
    guard: createAddressGuard(['127.0.0.1/32']),
    allowsHttp: false,
    extraCa: site.cert,
    connectPort: () => port,
    lookup: (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  });
});

afterAll(async () => {
  await https?.close();
  server?.closeAllConnections();
  server?.close();
});

beforeEach(() => {
  asked = [];
  confirmation = certificateStatus = 200;
  // Without the certificates of the test before.
  ses = createAmazonSes(createSnsTopic(https, 'Mailproof/1.0'));
});

const bounce = {
  notificationType: 'Bounce',
  bounce: {
    bounceType: 'Permanent',
    bounceSubType: 'General',
    timestamp: now.toISOString(),
    bouncedRecipients: [
      {
        emailAddress: email,
        action: 'failed',
        status: '5.1.1',
        diagnosticCode: 'smtp; 550 5.1.1 User unknown',
      },
    ],
  },
};

type Message = Record<string, string>;

const subscribeUrl = (given: Record<string, string> = {}) =>
  `https://${host}/?${new URLSearchParams({ Action: 'ConfirmSubscription', TopicArn: topicArn, Token: 'abc', ...given })}`;

/** A message as SNS signs it (documentation of Amazon SNS, “Verifying the signatures of Amazon SNS messages”). */
function signed(given: Message = {}, key = own.key): Message {
  const message: Message = {
    Type: 'Notification',
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: topicArn,
    Message: JSON.stringify(bounce),
    Timestamp: now.toISOString(),
    SignatureVersion: '1',
    SigningCertURL: `https://${host}${certificatePath}`,
    ...given,
  };
  const names =
    message['Type'] === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
  const text = names
    .flatMap(name => (message[name] === undefined ? [] : [name, message[name]]))
    .map(line => `${line}\n`)
    .join('');
  const algorithm = message['SignatureVersion'] === '2' ? 'RSA-SHA256' : 'RSA-SHA1';
  return { ...message, Signature: createSign(algorithm).update(text).sign(key, 'base64') };
}

const confirmationOf = (url: string, given: Message = {}) =>
  signed({
    Type: 'SubscriptionConfirmation',
    Message: 'You have chosen to subscribe to the topic.',
    Token: 'abc',
    SubscribeURL: url,
    ...given,
  });

const read = (message: unknown, key = topicArn) =>
  ses.read(
    {
      headers: { 'content-type': 'text/plain; charset=UTF-8' },
      content: Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)),
      now,
      signal: new AbortController().signal,
    },
    { sourceId: newId('outcomeSource'), key },
  );

describe('a notification', () => {
  it.each(['1', '2'])(
    'with a signature of version %s is accepted, and its certificate is kept',
    async version => {
      const message = signed({ SignatureVersion: version, Subject: 'Amazon SES Email Event Notification' });
      for (let times = 0; times < 2; times += 1) {
        expect(await read(message)).toMatchObject({
          kind: 'events',
          events: [{ email, outcome: 'bounced', text: expect.stringContaining('User unknown') }],
        });
      }
      expect(asked).toEqual([`${host}${certificatePath}`]);
    },
  );

  it('is refused with another signature, content or version', async () => {
    const message = signed();
    for (const forged of [
      { ...message, Message: JSON.stringify({ ...bounce, notificationType: 'Delivery' }) },
      { ...message, Subject: 'x' },
      { ...message, SignatureVersion: '2' },
      { ...message, Signature: 'AAAA' },
      { ...message, Type: 'UnsubscribeConfirmation' },
      signed({}, stranger.key),
    ]) {
      await expect(read(forged)).rejects.toMatchObject({ reason: 'signature_wrong' });
    }
  });

  it('of another topic is refused: every AWS account can have SNS sign its messages', async () => {
    const other = signed({ TopicArn: 'arn:aws:sns:eu-west-1:999999999999:bounces' });
    await expect(read(other)).rejects.toMatchObject({ reason: 'other_topic' });
    expect(asked).toEqual([]);
  });

  it.each([
    `https://bucket.s3.amazonaws.com${certificatePath}`,
    `https://sns.us-east-1.amazonaws.com${certificatePath}`,
    `https://${host}.evil.example${certificatePath}`,
    `https://evil.example/${host}${certificatePath}`,
    `https://${host}@evil.example${certificatePath}`,
    `http://${host}${certificatePath}`,
    `https://${host}:8443${certificatePath}`,
    `https://${host}/other.pem`,
    `https://${host}/x/../?a=${certificatePath}`,
    `https://${host}${certificatePath}?Action=Publish`,
    'https://169.254.169.254/SimpleNotificationService-x.pem',
    'x',
  ])('is refused, and nothing is fetched, if its certificate is at %s', async SigningCertURL => {
    await expect(read(signed({ SigningCertURL }))).rejects.toMatchObject({ reason: 'signature_wrong' });
    expect(asked).toEqual([]);
  });

  it('is refused if the certificate has another name, or is none', async () => {
    for (const name of ['stranger', 'garbage']) {
      const SigningCertURL = `https://${host}/SimpleNotificationService-${name}.pem`;
      const message = signed({ SigningCertURL }, stranger.key);
      await expect(read(message)).rejects.toMatchObject({ reason: 'signature_wrong' });
    }
    certificateStatus = 404;
    await expect(read(signed())).rejects.toMatchObject({ reason: 'signature_wrong' });
  });

  it('must come again if the certificate cannot be fetched now', async () => {
    certificateStatus = 503;
    await expect(read(signed())).rejects.toMatchObject({ code: 'service_unavailable' });
    certificateStatus = 200;
    expect(await read(signed())).toMatchObject({ kind: 'events' });
  });

  it('is refused after a day, and from the future', async () => {
    for (const hours of [-26, 1]) {
      const Timestamp = new Date(now.getTime() + hours * 3_600_000).toISOString();
      await expect(read(signed({ Timestamp }))).rejects.toMatchObject({ reason: 'signature_expired' });
    }
    await expect(read(signed({ Timestamp: 'x' }))).rejects.toMatchObject({ reason: 'signature_expired' });
  });

  it.each(['{"notificationType":"Bounce"}', '[]', '{', '', 'null'])(
    'is refused without its envelope: %s',
    async body => {
      await expect(read(body)).rejects.toMatchObject({ reason: 'body_not_readable' });
    },
  );
});

describe('a subscription', () => {
  it('is confirmed by visiting its URL', async () => {
    expect(await read(confirmationOf(subscribeUrl()))).toEqual({ kind: 'subscribed' });
    expect(asked[1]).toBe(subscribeUrl().slice('https://'.length));
  });

  it.each([
    subscribeUrl({ TopicArn: 'arn:aws:sns:eu-west-1:123456789012:other' }),
    subscribeUrl({ Action: 'Publish' }),
    subscribeUrl().replace(host, 'bucket.s3.amazonaws.com'),
    subscribeUrl().replace('https:', 'http:'),
    subscribeUrl().replace('/?', '/admin?'),
    'http://169.254.169.254/',
  ])('is not confirmed at %s', async url => {
    const message = confirmationOf(url);
    await expect(read(message)).rejects.toMatchObject({ reason: 'subscription_not_confirmed' });
    expect(asked).toEqual([`${host}${certificatePath}`]);
  });

  it('of which SNS refuses the confirmation is refused; a redirect is not followed', async () => {
    for (confirmation of [400, 302]) {
      const message = confirmationOf(subscribeUrl());
      await expect(read(message)).rejects.toMatchObject({ reason: 'subscription_not_confirmed' });
    }
    expect(asked.filter(each => each.includes('/?'))).toHaveLength(2);
    confirmation = 500;
    await expect(read(confirmationOf(subscribeUrl()))).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('with a forged signature is not visited', async () => {
    const forged = { ...confirmationOf(subscribeUrl()), Token: 'other' };
    await expect(read(forged)).rejects.toMatchObject({ reason: 'signature_wrong' });
    expect(asked).toEqual([`${host}${certificatePath}`]);
  });

  it('that ends says nothing about mail', async () => {
    const message = confirmationOf(subscribeUrl(), { Type: 'UnsubscribeConfirmation' });
    expect(await read(message)).toEqual({ kind: 'events', events: [{ ignored: 'not_an_outcome' }] });
  });
});
