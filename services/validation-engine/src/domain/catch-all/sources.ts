import { differentialReply } from './differential-reply.ts';
import type { EvidenceSource } from './evidence-source.ts';
import { openPgpKey, smimea } from './key-records.ts';
import { domainKind, localPartShape, mailProvider } from './kind-of-address.ts';
import { knownPerson } from './known-person.ts';
import { localPartPattern } from './local-part-pattern.ts';
import { outcomeHistory } from './outcome-history.ts';
import { publishedMx } from './published-mx.ts';
import { publishedOnSite } from './published-on-site.ts';
import { gravatar, keyServer } from './third-party-sources.ts';
import { unpublishedTenantHost } from './unpublished-tenant-host.ts';
import { webFinger, webKeyDirectory } from './web-sources.ts';

/** Every source of evidence about an address of a catch-all domain. */
export const evidenceSources: readonly EvidenceSource[] = [
  mailProvider,
  domainKind,
  localPartShape,
  differentialReply,
  publishedMx,
  openPgpKey,
  smimea,
  webKeyDirectory,
  webFinger,
  publishedOnSite,
  outcomeHistory,
  localPartPattern,
  knownPerson,
  keyServer,
  gravatar,
  unpublishedTenantHost,
];
