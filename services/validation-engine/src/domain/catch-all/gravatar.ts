import { createHash } from 'node:crypto';
import { askDirectory, readWebAnswer } from './ask-directory.ts';
import type { EvidenceSource } from './evidence-source.ts';

const host = 'gravatar.com';

/** A picture that somebody has published under the address: it was confirmed once, and pictures outlive mailboxes. */
export const gravatar: EvidenceSource = {
  id: 'gravatar',
  privacy: 'hash_to_third_party',
  // A request and a control request, each after a look for A and AAAA.
  cost: { smtpConnections: 0, dnsQuestions: 4, httpsRequests: 2 },
  enabledByDefault: false,
  async gather({ web }, { domain, errand, stranger }, deadline) {
    const finding = await askDirectory(
      async localPart => {
        const hash = createHash('sha256').update(`${localPart}@${domain.ascii}`.toLowerCase()).digest('hex');
        // The smallest picture, and none in place of one that is not there.
        const path = `/avatar/${hash}?d=404&s=1`;
        return readWebAnswer(await web.get({ host, path, accept: 'image/*' }, deadline), isPicture);
      },
      errand.email.localPart.text,
      stranger,
    );
    return { observations: [{ source: 'gravatar', finding }] };
  },
};

/** What PNG, JPEG, GIF and WebP begin with. */
const signatures = ['89504e47', 'ffd8ff', '47494638', '52494646'];

function isPicture(body: Uint8Array): boolean {
  const head = Buffer.from(body.subarray(0, 4)).toString('hex');
  return signatures.some(signature => head.startsWith(signature));
}
