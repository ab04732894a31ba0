import type { AccountTable, TablesWithoutAccount } from '@mailproof/service-kit';

const usersOfAccount = 'user_id IN (SELECT user_id FROM app_user WHERE account_id = $1)';
const linksOfAccount = `account_id = $1 OR ${usersOfAccount}`;

/**
 * The gateway's data about an account. Rows are deleted in the order of this list, so no row is deleted while others
 * still refer to it.
 */
export const accountTables: readonly AccountTable[] = [
  {
    table: 'mail',
    ofAccount: `link_id IN (SELECT link_id FROM one_time_link WHERE ${linksOfAccount})
      OR lower(email) IN (SELECT lower(email) FROM app_user WHERE account_id = $1)`,
    key: ['mail_id'],
    exported: ['mail_id', 'kind', 'email', 'created_at'],
    withheld: { link_id: 'The emailed link is derived from it.' },
    whenDeleted: 'deleted',
  },
  {
    table: 'one_time_link',
    ofAccount: linksOfAccount,
    key: ['link_id'],
    exported: [
      'purpose',
      'email',
      'user_id',
      'account_id',
      'role',
      'account_name',
      'created_at',
      'expires_at',
      'used_at',
    ],
    withheld: {
      link_id: 'The emailed link is derived from it.',
      session_id: 'Identifies an open session.',
      profile_url: 'Used only by opt-out links, which belong to no account.',
    },
    whenDeleted: 'deleted',
  },
  {
    table: 'session',
    ofAccount: usersOfAccount,
    key: ['session_id'],
    exported: ['session_id', 'user_id', 'user_agent', 'created_at', 'last_seen_at'],
    withheld: { token_sha256: 'The hash of a secret.' },
    whenDeleted: 'deleted',
  },
  {
    table: 'security_event',
    ofAccount: 'account_id = $1',
    key: ['security_event_id'],
    exported: [
      'security_event_id',
      'account_id',
      'user_id',
      'kind',
      'at',
      'client_network',
      'user_agent',
      'details',
    ],
    withheld: {},
    whenDeleted: 'deleted',
  },
  {
    table: 'notice',
    ofAccount: usersOfAccount,
    key: ['notice_no'],
    exported: [
      'notice_no',
      'user_id',
      'event_id',
      'type',
      'data',
      'happened_at',
      'in_app',
      'mail',
      'read_at',
      'created_at',
    ],
    withheld: {},
    whenDeleted: 'deleted',
  },
  {
    table: 'app_user',
    ofAccount: 'account_id = $1',
    key: ['user_id'],
    exported: ['user_id', 'account_id', 'email', 'role', 'created_at', 'notice_settings'],
    withheld: { password_hash: 'The hash of a secret.' },
    whenDeleted: 'deleted',
  },
  {
    table: 'idempotency_record',
    ofAccount: 'account_id = $1',
    key: ['lookup'],
    exported: ['account_id', 'run_id', 'expires_at'],
    withheld: {
      lookup: 'Derived from an idempotency key of the account.',
      fingerprint: 'Derived from an idempotency key of the account.',
      lease_id: 'Which attempt may respond; not data of the account.',
      lease_until: 'Which attempt may respond; not data of the account.',
      sealed_answer:
        'A response that the account received, encrypted with a key that is not stored; deleted after a day.',
    },
    whenDeleted: 'deleted',
  },
  {
    table: 'api_key',
    ofAccount: 'account_id = $1',
    key: ['api_key_id'],
    exported: ['api_key_id', 'account_id', 'display_prefix', 'created_at', 'revoked_at'],
    withheld: {
      key_sha256: 'The hash of a secret.',
      sealed_key: 'An encrypted secret; owners can view it in the application.',
      sealed_kid: 'Which of the operator’s keys encrypts it.',
    },
    whenDeleted: 'deleted',
  },
  {
    table: 'named_api_key',
    ofAccount: 'account_id = $1',
    key: ['api_key_id'],
    exported: [
      'api_key_id',
      'account_id',
      'name',
      'display_prefix',
      'is_test',
      'scopes',
      'created_by',
      'created_at',
      'expires_at',
      'last_used_at',
      'revoked_at',
    ],
    withheld: { key_sha256: 'The hash of a secret.' },
    whenDeleted: 'deleted',
  },
  {
    table: 'payment',
    ofAccount: 'account_id = $1',
    key: ['payment_id'],
    exported: ['payment_id', 'account_id', 'plan', 'paid_from', 'paid_until', 'reference', 'recorded_at'],
    withheld: {},
    whenDeleted: {
      kept: 'An accounting record under the account’s id, which identifies no one after the account is deleted.',
    },
  },
  {
    table: 'account',
    ofAccount: 'account_id = $1',
    key: ['account_id'],
    exported: [
      'account_id',
      'name',
      'plan',
      'requests_per_second',
      'created_at',
      'billing_anchor',
      'cycle_starts_at',
      'cycle_ends_at',
      'paid_until',
      'pending_plan',
      'pending_takes_effect',
      'pending_requested_at',
      'lapsed_plan',
      'lapsed_at',
    ],
    withheld: { billing_due_at: 'When a worker processes the account next.' },
    whenDeleted: 'deleted',
  },
  {
    table: 'account_deletion',
    ofAccount: 'account_id = $1',
    key: ['account_id'],
    exported: [
      'account_id',
      'deleted_at',
      'credits_closed_at',
      'outcomes_forgotten_at',
      'assistants_forgotten_at',
      'profiles_forgotten_at',
      'exports_forgotten_at',
    ],
    withheld: {},
    whenDeleted: {
      kept: 'A record of the deletion, so that it can be repeated after an old backup is restored.',
    },
  },
];

export const tablesWithoutAccount: TablesWithoutAccount = {
  outbox: 'Jobs with ids of accounts, users, holds and grants; deleted seven days after they are done.',
  schema_migrations: 'Applied migrations.',
};
