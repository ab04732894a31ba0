import type { AccountTable, TablesWithoutAccount } from '@mailproof/service-kit';
import { profileAccountTables, profileTablesWithoutAccount } from './profile-tables.ts';

const ofList = 'list_id IN (SELECT list_id FROM saved_list WHERE account_id = $1)';
const ofSearch = 'search_id IN (SELECT search_id FROM discovery_search WHERE account_id = $1)';

/** What belongs to an `Idempotency-Key`: with the key, which the customer has, it says nothing new. */
const keyHashes = {
  idempotency_hash: 'The hash of a key of the customer’s own.',
  request_hash: 'The hash of a request.',
};

/**
 * What this service keeps of an account: searches, runs, saved records and lists. People and companies themselves belong
 * to the profile store; an export names those that the account has saved. In the order in which they are deleted.
 */
export const accountTables: readonly AccountTable[] = [
  {
    table: 'saved_list_entry',
    ofAccount: ofList,
    key: ['entry_id'],
    exported: ['entry_id', 'list_id', 'person_no', 'company_no', 'added_at'],
    withheld: {},
    whenDeleted: 'deleted',
  },
  {
    table: 'saved_list',
    ofAccount: 'account_id = $1',
    key: ['list_id'],
    exported: ['list_id', 'account_id', 'kind', 'name', 'tags', 'created_by', 'created_at', 'updated_at'],
    withheld: {},
    whenDeleted: 'deleted',
  },
  {
    table: 'saved_person',
    ofAccount: 'account_id = $1',
    key: ['person_no'],
    exported: ['account_id', 'person_no', 'run_id', 'saved_at'],
    withheld: {},
    whenDeleted: 'deleted',
  },
  {
    table: 'paid_company',
    ofAccount: 'account_id = $1',
    key: ['company_no'],
    exported: ['account_id', 'company_no', 'run_id', 'paid_at'],
    withheld: {},
    whenDeleted: 'deleted',
  },
  {
    table: 'lookalike_result',
    ofAccount: ofSearch,
    key: ['search_id', 'company_no'],
    exported: ['search_id', 'company_no', 'run_id', 'rank', 'strength', 'reasons'],
    withheld: {},
    whenDeleted: 'deleted',
  },
  {
    table: 'discovery_run',
    ofAccount: 'account_id = $1',
    key: ['run_id'],
    exported: [
      'run_id',
      'search_id',
      'account_id',
      'state',
      'requested',
      'price',
      'holds',
      'hold_amount',
      'hold_id',
      'hold_expires_at',
      'position',
      'delivered',
      'ending',
      'charge',
      'failure',
      'has_more',
      'spent',
      'list_id',
      'failed_attempts',
      'version',
      'created_by',
      'request_id',
      'created_at',
      'started_at',
      'moved_at',
      'ended_at',
    ],
    withheld: keyHashes,
    whenDeleted: 'deleted',
  },
  {
    table: 'discovery_search',
    ofAccount: 'account_id = $1',
    key: ['search_id'],
    exported: [
      'search_id',
      'account_id',
      'kind',
      'name',
      'query',
      'state',
      'has_more',
      'last_attempt_failed_at',
      'created_by',
      'created_at',
      'updated_at',
    ],
    withheld: { ...keyHashes, previewed: 'Hashes of filters that were previewed.' },
    whenDeleted: 'deleted',
  },
  ...profileAccountTables,
];

export const tablesWithoutAccount: TablesWithoutAccount = {
  ...profileTablesWithoutAccount,
  source: 'Loads of the profile store.',
  company: 'The profile store, which is the operator’s.',
  person: 'The profile store, which is the operator’s.',
  removed_record: 'Numbers of records that have left the profile store.',
  record_history: 'What records of the profile store said before.',
  suppression: 'Keyed hashes of who asked to be left out.',
  import_run: 'Files that are being loaded into the profile store.',
  privacy_event: 'What was done for privacy’s sake, naming nobody.',
  outbox: 'Work that is still to be done; it names runs and holds by their ids.',
  schema_migrations: 'The migrations that have run.',
};
