import type { Deadline } from '../deadline.ts';
import { askDirectory, type DirectoryAnswer, readWebAnswer } from './ask-directory.ts';
import type { EvidenceDomain, EvidenceSource } from './evidence-source.ts';
import { webKeyName } from './mailbox-names.ts';
import { isOpenPgpKey } from './openpgp.ts';
import type { WebClient } from './web-client.ts';

/** An OpenPGP key in the domain's Web Key Directory (draft-koch-openpgp-webkey-service). */
export const webKeyDirectory: EvidenceSource = {
  id: 'web_key_directory',
  privacy: 'address_to_domain',
  // A request and a control request, each after a look for the sub-domain's and perhaps the domain's A and AAAA.
  cost: { smtpConnections: 0, dnsQuestions: 8, httpsRequests: 2 },
  enabledByDefault: true,
  async gather({ web }, { domain, errand, stranger }, deadline) {
    const finding = await askDirectory(
      localPart => askForKey(web, domain, localPart, deadline),
      errand.email.localPart.text,
      stranger,
    );
    return { observations: [{ source: 'web_key_directory', finding }] };
  },
};

const directory = '/.well-known/openpgpkey';

/** The advanced method, and the direct one only where the sub-domain does not exist (section 3.1). */
async function askForKey(
  web: WebClient,
  domain: EvidenceDomain,
  localPart: string,
  deadline: Deadline,
): Promise<DirectoryAnswer> {
  // The directory is told the local part as it is, beside the hash of its lower-case form.
  const file = `hu/${webKeyName(localPart)}?l=${encodeURIComponent(localPart)}`;
  const accept = 'application/octet-stream';
  const advanced = await web.get(
    { host: `openpgpkey.${domain.ascii}`, path: `${directory}/${domain.ascii}/${file}`, accept },
    deadline,
  );
  const outcome =
    advanced.kind === 'no_such_host'
      ? await web.get({ host: domain.ascii, path: `${directory}/${file}`, accept }, deadline)
      : advanced;
  return readWebAnswer(outcome, body => isKeyOf(body, domain, localPart));
}

/** A binary key whose user ID bears the address, as section 3.1 demands of what a directory returns. */
function isKeyOf(body: Uint8Array, { ascii, unicode }: EvidenceDomain, localPart: string): boolean {
  if (!isOpenPgpKey(body)) {
    return false;
  }
  const text = new TextDecoder().decode(body).toLowerCase();
  return [ascii, unicode].some(domain => text.includes(`${localPart}@${domain}`.toLowerCase()));
}
