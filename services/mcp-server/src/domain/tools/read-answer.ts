import type { z } from 'zod';
import type { RestAnswer } from './ask-as-account.ts';
import { ownFailure } from './tool-failure.ts';

/** Reads a successful answer; only what the tool's contract names goes on. */
export function readAnswer<Data extends z.ZodType>(schema: Data, { body }: RestAnswer): z.output<Data> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    throw ownFailure(502);
  }
  return parsed.data;
}
