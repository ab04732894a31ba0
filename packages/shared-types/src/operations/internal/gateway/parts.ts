import { z } from 'zod';
import { limits } from '../../../limits.ts';

/** The browser of somebody who signs in at the tool server or connects an assistant there. */
export const browserParts = {
  clientAddress: z
    .string()
    .max(64)
    .describe('The IP address of the browser, as the tool server sees it behind its proxies.'),
  userAgent: z
    .string()
    .transform(text => text.slice(0, limits.userAgentCharactersMax))
    .describe('What the browser calls itself; it is kept shortened.'),
} as const;

/** A sign-in at the tool server, by its place in the security log. Opaque to whoever is given one. */
export const signInId = z.string().regex(/^[1-9]\d{0,14}$/);
