import type { AccountTable, TablesWithoutAccount } from '@mailproof/service-kit';

/** The tables with an account's data in the tool server: the assistants that its users have connected. */
export const accountTables: readonly AccountTable[] = [
  {
    table: 'assistant',
    ofAccount: 'account_id = $1',
    key: ['assistant_id'],
    exported: [
      'assistant_id',
      'account_id',
      'user_id',
      'client_id',
      'client_name',
      'redirect_host',
      'scopes',
      'connected_at',
      'last_used_at',
      'expires_at',
      'user_agent',
    ],
    withheld: { device_sha256: 'The hash of a secret that a browser stores.' },
    whenDeleted: 'deleted',
  },
  {
    table: 'refresh_token',
    ofAccount: 'assistant_id IN (SELECT assistant_id FROM assistant WHERE account_id = $1)',
    key: ['assistant_id', 'token_sha256'],
    exported: ['assistant_id', 'given_again_at', 'received_at', 'consumed_at', 'expires_at'],
    withheld: {
      token_sha256: 'The hash of a secret.',
      successor_sha256: 'The hash of a secret.',
      sealed_token: 'Encrypted data of a secret.',
    },
    whenDeleted: 'deleted',
  },
];

export const tablesWithoutAccount: TablesWithoutAccount = {
  oauth_client: 'Registered clients; only the table assistant says which users connected one.',
  signing_key: 'Keys of this service.',
  schema_migrations: 'Applied migrations.',
};
