import type { Schema } from '../../api/client.ts';

/** The operations that only the API answers. */
const ofTheApi: readonly string[] = ['validate-single-email', 'profile-enrichment'];

/** Returns which first steps an account has taken, by the receipts of its runs. */
export function stepsDone(receipts: readonly Pick<Schema['Receipt'], 'operation'>[]): {
  readonly check: boolean;
  readonly api: boolean;
} {
  return {
    check: receipts.some(({ operation }) => operation === 'check-address'),
    api: receipts.some(({ operation }) => ofTheApi.includes(operation)),
  };
}
