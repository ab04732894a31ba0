import type { AccountTable, TablesWithoutAccount } from '@mailproof/service-kit';

/**
 * What this service keeps of an account: its exports, which rows they had, and the CRMs that it has connected. Where rows
 * were pushed to is in no table.
 * In the order in which they are deleted.
 */
export const accountTables: readonly AccountTable[] = [
  {
    table: 'export_row',
    ofAccount: 'export_no IN (SELECT export_no FROM export WHERE account_id = $1)',
    key: ['export_no', 'row_no'],
    exported: [
      'export_no',
      'row_no',
      'record_key',
      'state',
      'attempts',
      'status_code',
      'fault',
      'retry_at',
      'attempted_at',
    ],
    withheld: {},
    whenDeleted: 'deleted',
  },
  {
    table: 'export',
    ofAccount: 'account_id = $1',
    key: ['export_no'],
    exported: [
      'export_no',
      'export_id',
      'account_id',
      'created_by',
      'request_id',
      'name',
      'source',
      'target',
      'options',
      'columns',
      'status',
      'pause_reason',
      'resumes_at',
      'failure',
      'listing_position',
      'is_listed',
      'rows_total',
      'rows_delivered',
      'rows_failed',
      'rows_gone',
      'paused_ms',
      'throttled',
      'pace',
      'failed_attempts',
      'version',
      'created_at',
      'started_at',
      'moved_at',
      'ended_at',
      'deleted_at',
    ],
    withheld: { runner: 'Which process of ours works on it.' },
    whenDeleted: 'deleted',
  },
  {
    table: 'crm_connection',
    ofAccount: 'account_id = $1',
    key: ['connection_id'],
    exported: [
      'connection_id',
      'account_id',
      'provider',
      'organisation_id',
      'organisation_name',
      'api_base_url',
      'connected_by',
      'connected_at',
      'last_used_at',
      'fault',
      'access_ends_at',
      'tokens_version',
    ],
    withheld: {
      sealed_tokens: 'Gives access to the CRM.',
      renewing_until: 'Until when a process of ours renews the access.',
    },
    whenDeleted: 'deleted',
  },
  {
    table: 'crm_sign_in',
    ofAccount: 'account_id = $1',
    key: ['state_hash'],
    exported: ['account_id', 'user_id', 'provider', 'expires_at'],
    withheld: {
      state_hash: 'Made from a secret that only the browser knows.',
      sealed_verifier: 'Completes a connection that is under way.',
    },
    whenDeleted: 'deleted',
  },
];

export const tablesWithoutAccount: TablesWithoutAccount = {
  outbox: 'Work that is still to be done; it names exports by their ids.',
  schema_migrations: 'The migrations that have run.',
};
