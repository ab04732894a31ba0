import type { AccountTable, TablesWithoutAccount } from '@mailproof/service-kit';

const ofList = 'list_id IN (SELECT list_id FROM saved_list WHERE account_id = $1)';
const ofSearch = 'search_id IN (SELECT search_id FROM discovery_search WHERE account_id = $1)';

/** Columns of an `Idempotency-Key`: the customer has the key, so they contain no further information. */
const keyHashes = {
  idempotency_hash: 'The hash of a key of the customer’s own.',
  request_hash: 'The hash of a request.',
};

/**
 * The data that this service stores about an account: searches, runs, saved records, lists, its own provider of
 * profiles and the provider's answers. People and companies themselves belong to the profile store; an export names
 * those that the account has saved. In the order of deletion.
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
    withheld: { ...keyHashes, trace_parent: 'The trace of the request that began it, for operators.' },
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
      'preview_matches',
      'created_by',
      'created_at',
      'updated_at',
    ],
    withheld: { ...keyHashes, previewed: 'Hashes of filters that were previewed.' },
    whenDeleted: 'deleted',
  },
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

export const tablesWithoutAccount: TablesWithoutAccount = {
  source: 'Loads of the profile store.',
  company: 'The profile store, which is the operator’s.',
  person: 'The profile store, which is the operator’s.',
  lookalike_model: 'What companies are ranked by; it knows words of descriptions alone.',
  lookalike_model_part: 'What companies are ranked by; it knows words of descriptions alone.',
  lookalike_place: 'Where companies of the profile store lie in it.',
  page_answer: 'What public pages say, the same for every account.',
  removed_record: 'Numbers of records that have left the profile store.',
  record_history: 'What records of the profile store said before.',
  suppression: 'Keyed hashes of who asked to be left out.',
  import_run: 'Loads of files into the profile store, which are the operator’s.',
  privacy_event: 'What was done for people who asked about themselves; it names no account.',
  outbox: 'Work that is still to be done; it names runs and holds by their ids.',
  schema_migrations: 'The migrations that have run.',
};
