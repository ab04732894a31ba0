import { z } from 'zod';

/**
 * A text that other people have written. It stays in its field, shortened, and becomes part of no sentence of ours: an
 * assistant could take it for an instruction.
 */
export function boundedText(charactersMax: number) {
  return z.string().overwrite(text => [...text].slice(0, charactersMax).join(''));
}
