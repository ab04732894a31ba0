import type { AccountTable, TablesWithoutAccount } from '@mailproof/service-kit';

/** What profile enrichment keeps of an account. */
export const profileAccountTables: readonly AccountTable[] = [
  {
    table: 'profile_provider',
    ofAccount: 'account_id = $1',
    key: ['account_id'],
    exported: [
      'account_id',
      'settings',
      'updated_at',
      'last_success_at',
      'last_failure_at',
      'last_failure',
      'last_failure_status',
    ],
    withheld: { sealed_secrets: 'Secrets, sealed.' },
    whenDeleted: 'deleted',
  },
  {
    table: 'provider_answer',
    ofAccount: 'account_id = $1',
    key: ['key_hash'],
    exported: ['account_id', 'answer', 'said_at', 'expires_at'],
    withheld: { key_hash: 'The hash of a profile’s key.' },
    whenDeleted: 'deleted',
  },
];

export const profileTablesWithoutAccount: TablesWithoutAccount = {
  page_answer: 'What public pages say, to everybody the same.',
};
