import { openPostgres } from '@mailproof/service-kit';

/** The one schema that this service owns. */
export const schema = 'dispatcher';

/** Opens the pool that every store of this service works on. */
export function openDatabase(settings: {
  url: string;
  connectionsMax: number;
  onIdleError: (error: Error) => void;
}) {
  const pool = openPostgres({
    connectionString: settings.url,
    schema,
    applicationName: 'mailproof-webhook-dispatcher',
    connectionsMax: settings.connectionsMax,
    onIdleError: settings.onIdleError,
  });
  return { pool, close: (): Promise<void> => pool.end() };
}
