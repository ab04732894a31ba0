import { createHash } from 'node:crypto';
import type { Deadline } from '../concurrency/deadline.ts';
import { askDirectory, type DirectoryAnswer, readWebAnswer } from './ask-directory.ts';
import type { EvidenceDomain, EvidenceSource } from './evidence-source.ts';
import { isOpenPgpKey } from './key-records.ts';
import type { WebClient } from './web-client.ts';

/** An OpenPGP key in the domain's Web Key Directory (draft-koch-openpgp-webkey-service). */
export const webKeyDirectory: EvidenceSource = {
  id: 'web_key_directory',
  privacy: 'address_to_domain',
  // A request and a control request, each after A and AAAA lookups for the subdomain and perhaps for the domain.
  cost: { smtpConnections: 0, dnsQuestions: 8, httpsRequests: 2 },
  enabledByDefault: true,
  async gather({ web }, { domain, task, stranger }, deadline) {
    const finding = await askDirectory(
      localPart => askForKey(web, domain, localPart, deadline),
      task.email.localPart.text,
      stranger,
    );
    return { observations: [{ source: 'web_key_directory', finding }] };
  },
};

const directory = '/.well-known/openpgpkey';

/** Uses the advanced method, and the direct one only if the subdomain does not exist (section 3.1). */
async function askForKey(
  web: WebClient,
  domain: EvidenceDomain,
  localPart: string,
  deadline: Deadline,
): Promise<DirectoryAnswer> {
  // The directory gets the unchanged local part, along with the hash of its lowercase form.
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

/**
 * True for a binary key whose user ID contains the address, as section 3.1 requires of the keys that a directory
 * returns.
 */
function isKeyOf(body: Uint8Array, { ascii, unicode }: EvidenceDomain, localPart: string): boolean {
  if (!isOpenPgpKey(body)) {
    return false;
  }
  const text = new TextDecoder().decode(body).toLowerCase();
  return [ascii, unicode].some(domain => text.includes(`${localPart}@${domain}`.toLowerCase()));
}

/**
 * The file name of a key in a Web Key Directory (draft-koch-openpgp-webkey-service section 3.1): SHA-1 of the local
 * part with only its ASCII letters in lower case, encoded in Z-Base-32.
 */
export function webKeyName(localPart: string): string {
  const mapped = localPart.replace(/[A-Z]/g, letter => letter.toLowerCase());
  return zBase32(createHash('sha1').update(mapped, 'utf8').digest());
}

/** Five bits per letter (RFC 6189 section 5.1.6). SHA-1 has 160 bits, so none are left over. */
function zBase32(octets: Uint8Array): string {
  const alphabet = 'ybndrfg8ejkmcpqxot1uwisza345h769';
  const bits = [...octets].map(octet => octet.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map(group => alphabet.charAt(Number.parseInt(group, 2))).join('');
}

/** An account of this name at the domain (RFC 7033), which need not be a mailbox. */
export const webFinger: EvidenceSource = {
  id: 'webfinger',
  privacy: 'address_to_domain',
  // A request and a control request after A and AAAA lookups. Both are cached for longer than the first request takes.
  cost: { smtpConnections: 0, dnsQuestions: 2, httpsRequests: 2 },
  enabledByDefault: true,
  async gather({ web }, { domain, task, stranger }, deadline) {
    const finding = await askDirectory(
      async localPart => {
        const resource = encodeURIComponent(accountUri(localPart, domain.ascii));
        const path = `/.well-known/webfinger?resource=${resource}`;
        const outcome = await web.get({ host: domain.ascii, path, accept: 'application/jrd+json' }, deadline);
        return readWebAnswer(outcome, isResourceDescriptor);
      },
      task.email.localPart.text,
      stranger,
    );
    return { observations: [{ source: 'webfinger', finding }] };
  },
};

/**
 * An `acct` URI. Characters that RFC 7565 section 7 allows unescaped stay unescaped, since some servers compare octets.
 */
function accountUri(localPart: string, domain: string): string {
  const user = encodeURIComponent(localPart).replace(/%(?:24|26|2B|2C|3B|3D)/g, decodeURIComponent);
  return `acct:${user}@${domain}`;
}

/** True for a JSON resource descriptor (RFC 7033 section 4.4), but not for an error that happens to be JSON. */
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
