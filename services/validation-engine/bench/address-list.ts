import { benchmarkCatalog, type ExpectedVerdict } from '@mailproof/mail-lab';
import { keyedRandom, shuffled } from '../src/domain/smtp/made-up-recipients.ts';
import type { CatalogSize } from './messages.ts';

/** All addresses of the benchmark in random order, like a customer's list; the same for the same seed. */
export function makeAddressList(size: CatalogSize): readonly ExpectedVerdict[] {
  const addresses = benchmarkCatalog(size).flatMap(({ expected }) => expected);
  return shuffled(addresses, keyedRandom(new TextEncoder().encode(String(size.seed)), 'address list', 0));
}
