import { databaseOpener } from '@mailproof/service-kit';

/** The one schema that this service owns. */
export const schema = 'dispatcher';

export const openDatabase = databaseOpener(schema, 'mailproof-webhook-dispatcher');
