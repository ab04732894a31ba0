export { type BenchmarkCatalogueOptions, benchmarkCatalogue } from './benchmark-catalogue.ts';
export { catchAllPostfix, exim, google, microsoft365, postfix, qmail } from './catalogue/servers.ts';
export { catalogue, chapters } from './catalogue.ts';
export { catalogueFaults } from './catalogue-faults.ts';
export type { DnsCounts, LabCounts, SmtpCounts } from './counts.ts';
export { openPgpKeyName, smimeaName } from './dns/mailbox-records.ts';
export { type MailLab, type MailLabOptions, startMailLab } from './lab.ts';
export type { LabMessage, LabRequest } from './process-messages.ts';
export type {
  BrokenPipelining,
  Catalogue,
  DnsRecords,
  DnsTrouble,
  DomainScript,
  ExpectedVerdict,
  HostScript,
  KnownMailboxes,
  Reply,
  Result,
  SmtpScript,
  Stage,
  WebScript,
} from './script.ts';
export {
  readSubmittedMessages,
  type SubmissionHost,
  type SubmissionHostOptions,
  type SubmittedMessage,
  startSubmissionHost,
} from './submission/submission-host.ts';
export { createSelfSigned, type Identity } from './web/certificates.ts';
export { webKeyHash } from './web/directory.ts';
