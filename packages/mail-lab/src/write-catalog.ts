import { writeFileSync } from 'node:fs';
import { catalogAsMarkdown } from './catalog-text.ts';

/** Writes `CATALOG.md`. */
writeFileSync(new URL('../CATALOG.md', import.meta.url), catalogAsMarkdown());
