import { createHash } from 'node:crypto';
import { askDirectory, readWebAnswer } from './ask-directory.ts';
import type { EvidenceSource } from './evidence-source.ts';
import { isOpenPgpKey } from './key-records.ts';

/** Returns a key for an address only after the owner of the mailbox has confirmed it by mail. */
const keyServerHost = 'keys.openpgp.org';

/** A key on the public key server. The server learns the address, so the operator must enable this source. */
export const keyServer: EvidenceSource = {
  id: 'key_server',
  privacy: 'address_to_third_party',
  // A request and a control request, each after A and AAAA lookups.
  cost: { smtpConnections: 0, dnsQuestions: 4, httpsRequests: 2 },
  enabledByDefault: false,
  async gather({ web }, { domain, task, stranger }, deadline) {
    const finding = await askDirectory(
      async localPart => {
        const address = `${localPart}@${domain.ascii}`;
        const path = `/vks/v1/by-email/${encodeURIComponent(address)}`;
        const outcome = await web.get(
          { host: keyServerHost, path, accept: 'application/pgp-keys' },
          deadline,
        );
        return readWebAnswer(outcome, body => isKeyOf(body, address));
      },
      task.email.localPart.text,
      stranger,
    );
    return { observations: [{ source: 'key_server', finding }] };
  },
};

const armored =
  /-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n(?:[\w-]+: .*\r?\n)*\r?\n([A-Za-z0-9+/=\s]+?)(?:\r?\n=[A-Za-z0-9+/]{4})?\r?\n-----END/;

/** True for a key in ASCII armor (RFC 9580 section 6.2) whose user ID contains the address. */
function isKeyOf(body: Uint8Array, address: string): boolean {
  const base64 = armored.exec(new TextDecoder().decode(body))?.[1];
  const octets = Buffer.from(base64 ?? '', 'base64');
  return (
    isOpenPgpKey(octets) && new TextDecoder().decode(octets).toLowerCase().includes(address.toLowerCase())
  );
}

const gravatarHost = 'gravatar.com';

/**
 * A picture that its owner published under the address. The address was confirmed then, but pictures outlive mailboxes.
 */
export const gravatar: EvidenceSource = {
  id: 'gravatar',
  privacy: 'hash_to_third_party',
  // A request and a control request, each after A and AAAA lookups.
  cost: { smtpConnections: 0, dnsQuestions: 4, httpsRequests: 2 },
  enabledByDefault: false,
  async gather({ web }, { domain, task, stranger }, deadline) {
    const finding = await askDirectory(
      async localPart => {
        const hash = createHash('sha256').update(`${localPart}@${domain.ascii}`.toLowerCase()).digest('hex');
        // Requests the smallest picture, and no substitute for a missing one.
        const path = `/avatar/${hash}?d=404&s=1`;
        return readWebAnswer(
          await web.get({ host: gravatarHost, path, accept: 'image/*' }, deadline),
          isPicture,
        );
      },
      task.email.localPart.text,
      stranger,
    );
    return { observations: [{ source: 'gravatar', finding }] };
  },
};

/** The first bytes of PNG, JPEG, GIF and WebP files. */
const signatures = ['89504e47', 'ffd8ff', '47494638', '52494646'];

function isPicture(body: Uint8Array): boolean {
  const head = Buffer.from(body.subarray(0, 4)).toString('hex');
  return signatures.some(signature => head.startsWith(signature));
}
