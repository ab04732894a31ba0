import { askDirectory, readWebAnswer } from './ask-directory.ts';
import type { EvidenceSource } from './evidence-source.ts';

/** An account of this name at the domain (RFC 7033), which need not be a mailbox. */
export const webFinger: EvidenceSource = {
  id: 'webfinger',
  privacy: 'address_to_domain',
  // A request and a control request, each after a look for A and AAAA.
  cost: { smtpConnections: 0, dnsQuestions: 4, httpsRequests: 2 },
  enabledByDefault: true,
  async gather({ web }, { domain, errand, stranger }, deadline) {
    const finding = await askDirectory(
      async localPart => {
        const resource = encodeURIComponent(accountUri(localPart, domain.ascii));
        const path = `/.well-known/webfinger?resource=${resource}`;
        const outcome = await web.get({ host: domain.ascii, path, accept: 'application/jrd+json' }, deadline);
        return readWebAnswer(outcome, isResourceDescriptor);
      },
      errand.email.localPart.text,
      stranger,
    );
    return { observations: [{ source: 'webfinger', finding }] };
  },
};

/** An `acct` URI; what RFC 7565 section 7 lets stand unescaped stays so, since some servers compare octets. */
function accountUri(localPart: string, domain: string): string {
  const user = encodeURIComponent(localPart).replace(/%(?:24|26|2B|2C|3B|3D)/g, decodeURIComponent);
  return `acct:${user}@${domain}`;
}

/** A JSON resource descriptor (RFC 7033 section 4.4), and not an error that happens to be JSON. */
function isResourceDescriptor(body: Uint8Array): boolean {
  const descriptor = parseObject(new TextDecoder().decode(body));
  return typeof descriptor?.['subject'] === 'string' || Array.isArray(descriptor?.['links']);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
