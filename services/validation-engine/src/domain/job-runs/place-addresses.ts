import { type EmailAddress, parseEmailAddress } from '@mailproof/shared-types';
import { forEachRow } from '../for-each-row.ts';
import type { AddressPlace, OpenAddress } from './job-run-store.ts';

/** Addresses of one chunk at most. */
export const chunkMax = 100;
/** Domains whose mail hosts are looked up at once. */
const lookUpsAtOnceMax = 100;

/** Names the preferred mail host of a domain; undefined where there is none, or none could be found in time. */
export type FindMailHost = (
  domain: EmailAddress['domain'],
  signal: AbortSignal,
) => Promise<string | undefined>;

interface Domain {
  readonly domain: EmailAddress['domain'];
  readonly addressNos: number[];
}

/** Looks up the mail hosts of the different domains, and puts the addresses into chunks. */
export async function placeAddresses(
  addresses: readonly Pick<OpenAddress, 'addressNo' | 'email'>[],
  findMailHost: FindMailHost,
  signal: AbortSignal,
): Promise<AddressPlace[]> {
  const byDomain = new Map<string, Domain>();
  for (const { addressNo, email } of addresses) {
    // Parsed once for each way in which it is written, since a list may hold tens of thousands of it.
    const written = email.slice(email.lastIndexOf('@') + 1);
    const known = byDomain.get(written);
    if (known) {
      known.addressNos.push(addressNo);
    } else {
      const parsed = parseEmailAddress(email);
      if (!parsed.ok) {
        throw new Error(`Address ${addressNo} of a job was taken in, and is none.`);
      }
      byDomain.set(written, { domain: parsed.value.domain, addressNos: [addressNo] });
    }
  }
  const byHost = new Map<string, number[]>();
  await forEachRow(byDomain, lookUpsAtOnceMax, signal, async ([, { domain, addressNos }]) => {
    // Without a host nobody shares anything; its addresses stay together all the same.
    const mailHost = (await findMailHost(domain, signal)) ?? domain.ascii;
    const ofHost = byHost.get(mailHost) ?? [];
    byHost.set(mailHost, ofHost);
    for (const addressNo of addressNos) {
      ofHost.push(addressNo);
    }
  });
  signal.throwIfAborted();
  return inChunks(byHost);
}

/**
 * A host with many addresses has chunks of its own. Hosts with few share chunks, and none of these is in two of them, so
 * that chunks with different first hosts never ask the same host at the same time.
 */
export function inChunks(byHost: ReadonlyMap<string, readonly number[]>): AddressPlace[] {
  const places: AddressPlace[] = [];
  let chunkNo = 1;
  let filled = 0;
  const hosts = [...byHost].sort(
    ([one, those], [other, others]) => others.length - those.length || (one < other ? -1 : 1),
  );
  for (const [mailHost, addressNos] of hosts) {
    if (filled > 0 && filled + addressNos.length > chunkMax) {
      chunkNo += 1;
      filled = 0;
    }
    for (const addressNo of addressNos) {
      if (filled === chunkMax) {
        chunkNo += 1;
        filled = 0;
      }
      places.push({ addressNo, mailHost, chunkNo });
      filled += 1;
    }
    if (addressNos.length > chunkMax) {
      // What is left of it stays apart: a chunk that it shares would ask it beside its own.
      chunkNo += 1;
      filled = 0;
    }
  }
  return places;
}
