import { benchmarkCatalogue, type ExpectedVerdict } from '@mailproof/mail-lab';
import { keyedRandom } from '../src/domain/keyed-random.ts';
import { shuffled } from '../src/domain/random.ts';
import type { CatalogueSize } from './messages.ts';

/** All addresses of the benchmark in the order of a customer's list, which is none; the same for the same seed. */
export function makeAddressList(size: CatalogueSize): readonly ExpectedVerdict[] {
  const addresses = benchmarkCatalogue(size).flatMap(({ expected }) => expected);
  return shuffled(addresses, keyedRandom(new TextEncoder().encode(String(size.seed)), 'address list', 0));
}
