import { type AccountTable, recordedEventTable, type TablesWithoutAccount } from '@mailproof/service-kit';

const ofList = 'list_id IN (SELECT list_id FROM saved_list WHERE account_id = $1)';
const ofSearch = 'search_id IN (SELECT search_id FROM discovery_search WHERE account_id = $1)';

/** Columns of an `Idempotency-Key`: the customer has the key, so they contain no further information. */
const keyHashes = {
  idempotency_hash: 'The hash of a client’s idempotency key.',
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
    withheld: { ...keyHashes, trace_parent: 'The trace of the request that started it, for operators.' },
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
    withheld: { ...keyHashes, previewed: 'Hashes of previewed filters.' },
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
    withheld: { sealed_secrets: 'Encrypted secrets.' },
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
  recordedEventTable,
];

export const tablesWithoutAccount: TablesWithoutAccount = {
  source: 'Sources of the profile store.',
  company: 'The operator’s profile store.',
  person: 'The operator’s profile store.',
  name_key: 'Hashes by which people of the profile store are found by parts of their names.',
  name_key_progress: 'The last change of the profile store whose people have such hashes.',
  lookalike_model: 'The model that ranks companies; it contains only words of descriptions.',
  lookalike_model_part: 'The model that ranks companies; it contains only words of descriptions.',
  lookalike_place: 'The vectors of companies of the profile store.',
  page_answer: 'Contents of public pages, the same for every account.',
  removed_record: 'Numbers of records removed from the profile store.',
  record_history: 'Earlier values of records of the profile store.',
  suppression: 'Keyed hashes of people who opted out.',
  import_run: 'The operator’s imports into the profile store.',
  privacy_event: 'A log of access and deletion requests; contains no account.',
  outbox: 'Pending work, with ids of runs and holds.',
  schema_migrations: 'Applied migrations.',
};
