import type { Department } from '@mailproof/shared-types';
import { departmentOfWords } from './department-words.ts';
import { wordsOfTitle } from './title-words.ts';

/** Infers the department from a job title, for sources that do not give it; null if the title does not tell. */
export function departmentOf(title: string): Department | null {
  return departmentOfWords(wordsOfTitle(title));
}
