import type { z } from 'zod';
import type { RestAnswer } from './tool.ts';
import { ownFailure } from './tool-failure.ts';

/** Reads a successful response and drops the fields that are not in the tool's contract. */
export function readAnswer<Data extends z.ZodType>(schema: Data, { body }: RestAnswer): z.output<Data> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    throw ownFailure(502);
  }
  return parsed.data;
}
