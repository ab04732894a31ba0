import type { AccountTable, TablesWithoutAccount } from '@mailproof/service-kit';

/** What the engine keeps of an account. */
export const accountTables: readonly AccountTable[] = [
  {
    table: 'outcome',
    ofAccount: 'account_id = $1',
    // The order of the index that begins with the account.
    key: ['address_hash', 'kind', 'observed_at'],
    exported: [
      'outcome_id',
      'outcome_report_id',
      'account_id',
      'address_hash',
      'domain_hash',
      'kind',
      'pattern_class',
      'observed_at',
    ],
    withheld: {},
    whenDeleted: 'deleted',
  },
];

export const tablesWithoutAccount: TablesWithoutAccount = {
  deferred_probe:
    'Addresses that wait for a second question, shared by all who asked; a row goes within two days, with its answer.',
  evidence_snapshot: 'What was found about an address, under a keyed hash, shared by all who asked.',
  do_not_probe: 'Domains and mail hosts whose owners asked to be left alone; nobody’s account is named.',
  outbox: 'Jobs that name a report or a deferred probe by its id; they go seven days after they are done.',
  schema_migrations: 'The migrations that have run.',
};
