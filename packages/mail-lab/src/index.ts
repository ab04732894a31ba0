export { benchmarkCatalogue } from './benchmark-catalogue.ts';
export { catchAllPostfix, microsoft365, postfix } from './catalogue/servers.ts';
export { catalogue } from './catalogue.ts';
export { catalogueFaults } from './catalogue-faults.ts';
export type { LabCounts } from './counts.ts';
export { type MailLab, startMailLab } from './lab.ts';
export type { Catalogue, DomainScript, ExpectedVerdict, Reply, Result, SmtpScript } from './script.ts';
export {
  readSubmittedMessages,
  type SubmissionHost,
  startSubmissionHost,
} from './submission/submission-host.ts';
export { createSelfSigned } from './web/certificates.ts';
