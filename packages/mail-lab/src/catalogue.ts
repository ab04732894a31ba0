import { catchAlls } from './catalogue/catch-alls.ts';
import { dnsTrouble } from './catalogue/dns-trouble.ts';
import { equalHosts } from './catalogue/equal-hosts.ts';
import { mailboxes } from './catalogue/mailboxes.ts';
import { providers } from './catalogue/providers.ts';
import { refusals } from './catalogue/refusals.ts';
import { sessionTrouble } from './catalogue/session-trouble.ts';
import type { Catalogue } from './script.ts';

/** Its chapters, in reading order. CATALOGUE.md is written from this list. */
export const chapters: readonly (readonly [title: string, domains: Catalogue])[] = [
  ['Hosts that answer about a mailbox', mailboxes],
  ['Catch-alls', catchAlls],
  ['Hosts of equal preference', equalHosts],
  ['Providers and gateways', providers],
  ['DNS tells the story', dnsTrouble],
  ['Hosts that are hard to talk to', sessionTrouble],
  ['Refusals about us or about this moment', refusals],
];

/**
 * Every domain of the lab. Names are reserved ones (RFC 2606) except for look-alikes of real
 * providers, which exist so that provider naming can be tested.
 */
export const catalogue: Catalogue = chapters.flatMap(([, domains]) => domains);
