import { databaseOpener } from '@mailproof/service-kit';

/** The one schema that this service owns. */
export const schema = 'mcp';

export const openDatabase = databaseOpener(schema, 'mailproof-mcp-server');
