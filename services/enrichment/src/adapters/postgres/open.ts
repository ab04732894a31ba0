import { databaseOpener } from '@mailproof/service-kit';

/** The only schema that this service owns. */
export const schema = 'enrichment';

export const openDatabase = databaseOpener(schema, 'mailproof-enrichment');
