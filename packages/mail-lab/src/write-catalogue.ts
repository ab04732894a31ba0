import { writeFileSync } from 'node:fs';
import { catalogueAsMarkdown } from './catalogue-text.ts';

/** Writes `CATALOGUE.md`. */
writeFileSync(new URL('../CATALOGUE.md', import.meta.url), catalogueAsMarkdown());
