import { writeFile } from 'node:fs/promises';
import { providersPage } from './domain/providers/providers-page.ts';

/** Writes the committed page anew; a test fails while it is stale. */
await writeFile(new URL('../PROVIDERS.md', import.meta.url), providersPage());
