import { z } from 'zod';
import { limits } from '../../../limits.ts';

/** The browser of a user who signs in at the tool server or connects an assistant there. */
export const browserParts = {
  clientAddress: z
    .string()
    .max(64)
    .describe('The browser’s IP address, as the tool server sees it behind its proxies.'),
  userAgent: z
    .string()
    .transform(text => text.slice(0, limits.userAgentCharactersMax))
    .describe('The browser’s `User-Agent`; stored shortened.'),
} as const;

/** The id of a sign-in at the tool server, from the security log. Opaque to its recipients. */
export const signInId = z.string().regex(/^[1-9]\d{0,14}$/);
