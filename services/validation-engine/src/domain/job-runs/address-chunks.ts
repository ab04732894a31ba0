import { type EmailAddress, parseEmailAddress } from '@mailproof/shared-types';
import { forEachRow } from '../concurrency/for-each-row.ts';
import type { ChunkedAddress, OpenAddress } from './job-run-store.ts';

/** How many addresses a chunk has at most. */
export const chunkMax = 100;
/** How many domains are looked up at once. */
const lookUpsAtOnceMax = 100;

/** Finds the preferred mail host of a domain; undefined if there is none, or none was found in time. */
export type FindMailHost = (
  domain: EmailAddress['domain'],
  signal: AbortSignal,
) => Promise<string | undefined>;

interface Domain {
  readonly domain: EmailAddress['domain'];
  readonly addressNos: number[];
}

/** Looks up the mail hosts of the distinct domains, and divides the addresses into chunks. */
export async function divideIntoChunks(
  addresses: readonly Pick<OpenAddress, 'addressNo' | 'email'>[],
  findMailHost: FindMailHost,
  signal: AbortSignal,
): Promise<ChunkedAddress[]> {
  const byDomain = new Map<string, Domain>();
  for (const { addressNo, email } of addresses) {
    // Each spelling is parsed once, since a list may contain it tens of thousands of times.
    const written = email.slice(email.lastIndexOf('@') + 1);
    const known = byDomain.get(written);
    if (known) {
      known.addressNos.push(addressNo);
    } else {
      const parsed = parseEmailAddress(email);
      if (!parsed.ok) {
        throw new Error(`Address ${addressNo} of a job is not an email address.`);
      }
      byDomain.set(written, { domain: parsed.value.domain, addressNos: [addressNo] });
    }
  }
  const byHost = new Map<string, number[]>();
  await forEachRow(byDomain, lookUpsAtOnceMax, signal, async ([, { domain, addressNos }]) => {
    // Without a host there is no session to share, but the addresses of the domain stay together.
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
 * Gives a host with many addresses its own chunks. Hosts with few addresses share chunks, and none of them is in two,
 * so that chunks with different first hosts never probe the same host at the same time.
 */
export function inChunks(byHost: ReadonlyMap<string, readonly number[]>): ChunkedAddress[] {
  const chunked: ChunkedAddress[] = [];
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
      chunked.push({ addressNo, mailHost, chunkNo });
      filled += 1;
    }
    if (addressNos.length > chunkMax) {
      // The remainder gets its own chunk: a shared chunk would probe the host in parallel with the host's own chunks.
      chunkNo += 1;
      filled = 0;
    }
  }
  return chunked;
}
