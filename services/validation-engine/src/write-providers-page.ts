import { writeFile } from 'node:fs/promises';
import { providersPage } from './domain/providers/providers-page.ts';

/** Rewrites the committed page; a test fails if it is stale. */
await writeFile(new URL('../PROVIDERS.md', import.meta.url), providersPage());
