import { differentialReply } from './differential-reply.ts';
import type { EvidenceSource } from './evidence-source.ts';
import { gravatar } from './gravatar.ts';
import { keyServer } from './key-server.ts';
import { localPartPattern } from './local-part-pattern.ts';
import { openPgpKey } from './openpgpkey.ts';
import { outcomeHistory } from './outcome-history.ts';
import { publishedMx } from './published-mx.ts';
import { smimea } from './smimea.ts';
import { unpublishedTenantHost } from './unpublished-tenant-host.ts';
import { webKeyDirectory } from './web-key-directory.ts';
import { webFinger } from './webfinger.ts';

/** Every source of evidence about an address whose domain accepts everybody. */
export const evidenceSources: readonly EvidenceSource[] = [
  differentialReply,
  publishedMx,
  openPgpKey,
  smimea,
  webKeyDirectory,
  webFinger,
  outcomeHistory,
  localPartPattern,
  keyServer,
  gravatar,
  unpublishedTenantHost,
];
