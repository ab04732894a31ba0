import { askDirectory, readWebAnswer } from './ask-directory.ts';
import type { EvidenceSource } from './evidence-source.ts';
import { isOpenPgpKey } from './openpgp.ts';

/** Gives a key out by an address only after the owner of the mailbox has confirmed it by mail. */
const host = 'keys.openpgp.org';

/** A key on the public key server. It learns the address, so the operator has to want it. */
export const keyServer: EvidenceSource = {
  id: 'key_server',
  privacy: 'address_to_third_party',
  // A request and a control request, each after a look for A and AAAA.
  cost: { smtpConnections: 0, dnsQuestions: 4, httpsRequests: 2 },
  enabledByDefault: false,
  async gather({ web }, { domain, errand, stranger }, deadline) {
    const finding = await askDirectory(
      async localPart => {
        const address = `${localPart}@${domain.ascii}`;
        const path = `/vks/v1/by-email/${encodeURIComponent(address)}`;
        const outcome = await web.get({ host, path, accept: 'application/pgp-keys' }, deadline);
        return readWebAnswer(outcome, body => isKeyOf(body, address));
      },
      errand.email.localPart.text,
      stranger,
    );
    return { observations: [{ source: 'key_server', finding }] };
  },
};

const armored =
  /-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n(?:[\w-]+: .*\r?\n)*\r?\n([A-Za-z0-9+/=\s]+?)(?:\r?\n=[A-Za-z0-9+/]{4})?\r?\n-----END/;

/** A key in ASCII armor (RFC 9580 section 6.2) whose user ID bears the address. */
function isKeyOf(body: Uint8Array, address: string): boolean {
  const base64 = armored.exec(new TextDecoder().decode(body))?.[1];
  const octets = Buffer.from(base64 ?? '', 'base64');
  return (
    isOpenPgpKey(octets) && new TextDecoder().decode(octets).toLowerCase().includes(address.toLowerCase())
  );
}
