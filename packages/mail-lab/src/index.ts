export { benchmarkCatalog } from './benchmark-catalog.ts';
export { catchAllPostfix, microsoft365, postfix } from './catalog/servers.ts';
export { catalog } from './catalog.ts';
export { catalogFaults } from './catalog-faults.ts';
export type { LabCounts } from './counts.ts';
export { type MailLab, startMailLab } from './lab.ts';
export type {
  Catalog,
  DomainScript,
  ExpectedVerdict,
  PageScript,
  Reply,
  Result,
  SmtpScript,
  WebScript,
} from './script.ts';
export {
  readSubmittedMessages,
  type SubmissionHost,
  startSubmissionHost,
} from './submission/submission-host.ts';
export { createSelfSigned } from './web/certificates.ts';
