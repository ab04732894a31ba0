import { createVerify, X509Certificate } from 'node:crypto';
import { type Outside, OutsideFault, unavailable } from '@mailproof/service-kit';
import { z } from 'zod';
import { RequestRefused } from '../../domain/outcomes/receive-events.ts';
import { assertFresh, jsonOf } from './provider-request.ts';

const snsMessage = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: z.string(),
  TopicArn: z.string(),
  Message: z.string(),
  Subject: z.string().nullish(),
  Timestamp: z.string(),
  SubscribeURL: z.string().nullish(),
  Token: z.string().nullish(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.string(),
  SigningCertURL: z.string(),
});

export type SnsMessage = z.output<typeof snsMessage>;

/** Opens messages of SNS topics. */
export interface SnsTopic {
  /**
   * Verifies a message. Every AWS account can have SNS sign its messages, so the topic must be the one of the source.
   *
   * @throws RequestRefused, or `service_unavailable` if the signing certificate cannot be fetched
   */
  open(content: Buffer, topicArn: string, now: Date, signal: AbortSignal): Promise<SnsMessage>;
  /** Visits the `SubscribeURL` of a verified message. Throws the same. */
  confirm(message: SnsMessage, signal: AbortSignal): Promise<void>;
}

const deadlineMs = 10_000;
const bytesMax = 65_536;
/** How many certificates are kept; each region has one at a time. */
const certificatesMax = 100;

export function createSnsTopic(https: Outside, userAgent: string): SnsTopic {
  const certificates = new Map<string, X509Certificate>();

  async function visit(url: URL, signal: AbortSignal) {
    try {
      const headers = { 'user-agent': userAgent };
      return await https.request({ url, headers, deadlineMs, bytesMax, signal });
    } catch (error) {
      throw error instanceof OutsideFault ? unavailable('Amazon SNS cannot be reached.', error) : error;
    }
  }

  async function certificateAt(url: URL, signal: AbortSignal): Promise<X509Certificate> {
    const known = certificates.get(url.href);
    if (known) {
      return known;
    }
    const { status, body } = await visit(url, signal);
    if (status >= 500 || status === 429) {
      throw unavailable(`Amazon SNS answered ${status} instead of its certificate.`);
    }
    const certificate = parseCertificate(body, status);
    const [oldest] = certificates.keys();
    if (certificates.size >= certificatesMax && oldest !== undefined) {
      certificates.delete(oldest);
    }
    certificates.set(url.href, certificate);
    return certificate;
  }

  return {
    async open(content, topicArn, now, signal) {
      const message = jsonOf(snsMessage, content);
      if (message.TopicArn !== topicArn) {
        throw new RequestRefused('other_topic');
      }
      const url = urlOf(message.SigningCertURL, topicArn);
      if (url?.search !== '' || !/^\/SimpleNotificationService-[\w-]{1,100}\.pem$/.test(url.pathname)) {
        throw new RequestRefused('signature_wrong');
      }
      const certificate = await certificateAt(url, signal);
      if (!isValid(certificate, now) || !isSigned(message, certificate)) {
        throw new RequestRefused('signature_wrong');
      }
      assertFresh(Date.parse(message.Timestamp), now);
      return message;
    },
    async confirm({ SubscribeURL, TopicArn }, signal) {
      const url = urlOf(SubscribeURL ?? '', TopicArn);
      if (
        url?.pathname !== '/' ||
        url.searchParams.get('Action') !== 'ConfirmSubscription' ||
        url.searchParams.get('TopicArn') !== TopicArn
      ) {
        throw new RequestRefused('subscription_not_confirmed');
      }
      const { status } = await visit(url, signal);
      if (status >= 500 || status === 429) {
        throw unavailable(`Amazon SNS answered ${status} to the confirmation.`);
      }
      if (status !== 200) {
        throw new RequestRefused('subscription_not_confirmed');
      }
    },
  };
}

/**
 * A URL that a message names, if it is at SNS in the topic's region. Other hosts of `amazonaws.com` serve what AWS
 * customers put there.
 */
function urlOf(text: string, topicArn: string): URL | undefined {
  const [, partition, , region] = topicArn.split(':');
  const host = `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`;
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.host === host && url.hash === '' ? url : undefined;
}

function parseCertificate(body: Uint8Array, status: number): X509Certificate {
  try {
    if (status === 200) return new X509Certificate(body);
  } catch {
    // It is no certificate.
  }
  throw new RequestRefused('signature_wrong');
}

function isValid({ subject, validFromDate, validToDate }: X509Certificate, now: Date): boolean {
  return (
    /(?:^|\n)CN=sns\.(?:[a-z\d-]+\.)?amazonaws\.com(?:\.cn)?(?:\n|$)/.test(subject) &&
    validFromDate <= now &&
    now <= validToDate
  );
}

/** RSA with SHA-1 (version 1) or SHA-256 (version 2), over these members of the message in this order. */
function isSigned(message: SnsMessage, certificate: X509Certificate): boolean {
  const names =
    message.Type === 'Notification'
      ? (['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const)
      : (['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const);
  const signed = names
    .map(name => [name, message[name]] as const)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}\n${value}\n`)
    .join('');
  const algorithm = message.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256';
  try {
    return createVerify(algorithm)
      .update(signed, 'utf8')
      .verify(certificate.publicKey, message.Signature, 'base64');
  } catch {
    // The certificate has a key of another kind.
    return false;
  }
}
