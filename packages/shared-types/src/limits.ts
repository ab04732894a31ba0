/** Every bound of the public contract, once; the documentation, the services and the tests read it here. */
export const limits = {
  /** Requests that an account may make in any one second, before its plan raises it. */
  requestsPerSecondDefault: 10,
  /** Length of the sliding rate window, in milliseconds. */
  rateWindowMs: 1_000,
  /** Longest address that RFC 5321 section 4.5.3.1.3 lets through a path, in octets. */
  emailAddressOctetsMax: 254,
  /** Longest local part (RFC 5321 section 4.5.3.1.1), in octets. */
  localPartOctetsMax: 64,
  /** Longest domain in its ASCII form, in octets without the root's dot (RFC 1035 section 2.3.4). */
  domainOctetsMax: 253,
  /** Longest label of a domain, in octets (RFC 1035 section 2.3.4). */
  labelOctetsMax: 63,
  /** Largest body of a small JSON request, in octets. */
  jsonBodyBytesMax: 16_384,
  /** A single validation answers within this time, in milliseconds, unless the operator sets another. */
  validationDeadlineMsDefault: 25_000,
  /** Outcomes that one internal request reports at most. */
  outcomesPerReportMax: 1_000,
  /** Largest upload of outcomes, in octets. */
  outcomeUploadBytesMax: 10_000_000,
  /** Rows of one upload of outcomes. */
  outcomeUploadRowsMax: 100_000,
  /** Refused rows that the answer to an upload names. */
  outcomeRefusalsShownMax: 100,
  /** Rows of one page of a list, unless the caller asks for another number. */
  pageRowsDefault: 50,
  /** Characters of a cursor: a position, sealed. */
  cursorCharactersMax: 2_000,
  /** Rows of one page of a list at most. */
  pageRowsMax: 200,
  /** Days of one look at usage, unless the caller asks for others. */
  usageDaysDefault: 30,
  /** Days of one look at usage at most. */
  usageDaysMax: 400,
  /** Rows of a downloaded statement; a longer period has to be downloaded in parts. */
  statementDownloadRowsMax: 200_000,
  /** Rows of one page of a service's share of an account's export. */
  exportPageRowsMax: 500,
  /** Days for which credits that were bought beside a plan, or refunded, can be spent. */
  topUpDays: 365,
  refundDays: 90,
  /** Time for which the answer to a request with an `Idempotency-Key` is kept, in milliseconds. */
  idempotencyKeptMs: 86_400_000,
  /** Characters of an `Idempotency-Key`. */
  idempotencyKeyCharactersMax: 255,
  /** Characters of a password, after Unicode normalisation (form C). */
  passwordCharactersMin: 12,
  passwordCharactersMax: 128,
  /** Characters of the name of an account. */
  accountNameCharactersMax: 200,
  /** Characters of a browser's name for itself (`User-Agent`) that are kept. */
  userAgentCharactersMax: 120,
  /** Characters of the value of a device cookie. */
  deviceCharactersMax: 128,
  /** Connected assistants of one account that a list shows; the newest ones. */
  assistantsListedMax: 200,
  /** OAuth grants of one user; beyond it, the grant that was used longest ago ends. */
  assistantsPerUserMax: 50,
  /** Of these, grants to one client in one browser, which a list shows as one assistant. */
  grantsPerAssistantMax: 5,
  /** Time for which a sign-in at the tool server is good for connecting assistants, in milliseconds. */
  assistantSignInMsMax: 3_600_000,
  /** Credits that one assistant can use within the window before its user is asked, if its client can ask. */
  assistantCreditsUnasked: 100,
  assistantCreditsWindowMs: 3_600_000,
  /** Characters of a profile URL. */
  profileUrlCharactersMax: 2_048,
  /** Age that a remembered profile can be allowed, in seconds. */
  profileAgeSecondsMax: 31_536_000,
  /** Time that a customer's own provider of profiles may be given, in milliseconds. */
  providerTimeoutMsMax: 10_000,
  /** Time within which a profile is looked up, in milliseconds. */
  profileDeadlineMs: 25_000,
  /** People that one run saves, and companies that one run delivers. */
  peoplePerRunMax: 50_000,
  companiesPerRunMax: 50_000,
  /** Numbers of companies that a lookalike run offers beside an exact one. */
  companiesPerRunPresets: [1_000, 5_000, 10_000],
  /** Candidates that the free preview of a lookalike search shows. */
  lookalikePreviewMax: 25,
  /** Domains that a lookalike search starts from, and those that it should be less like. */
  seedDomainsMax: 25,
  /** Words or values of one filter of a search. */
  filterValuesMax: 100,
  /** Characters of one of them. */
  filterValueCharactersMax: 200,
  /** Values of one facet that are counted; a fixed vocabulary fits whole. */
  facetValuesMax: 50,
  /** Octets of the filters of a search. */
  filtersBytesMax: 131_072,
  /** People that the preview of a search shows, over all its pages. */
  previewedPeopleMax: 100,
  /** Characters of the name of a search or a list. */
  discoveryNameCharactersMax: 120,
  /** Runs of an account that are under way at once, over all its searches. */
  activeRunsMax: 5,
  /** Connections by which an account follows runs, at each replica. */
  runFollowersMax: 10,
  /** Time for which one connection follows a run, in milliseconds. */
  runFollowedMsMax: 900_000,
  /** Saved records that one request names. */
  savedIdsPerRequestMax: 1_000,
  /** Lists of an account. */
  savedListsMax: 1_000,
  /** Tags of a list, and characters of one. */
  listTagsMax: 20,
  listTagCharactersMax: 40,
  /** Octets and rows of a file of addresses. */
  jobUploadBytesMax: 100_000_000,
  jobRowsMax: 50_000,
  /** Octets of a list of addresses that is pasted. */
  jobListBytesMax: 20_000_000,
  /** Time for such a file to come in, and the time in which nothing comes of it, in milliseconds. */
  uploadMsMax: 1_200_000,
  uploadSilentMsMax: 60_000,
  /** Files of an account that come in at once, and jobs that wait for their start. */
  uploadsAtOnceMax: 3,
  unstartedJobsMax: 50,
  /** Octets of one row of such a file, as UTF-8. */
  rowBytesMax: 1_000_000,
  /** Columns of such a file, and characters of one of its cells. */
  jobColumnsMax: 200,
  cellCharactersMax: 32_767,
  /** Characters of the name of a job or an export. */
  jobNameCharactersMax: 120,
  /** Validation jobs of an account that are under way at once. */
  activeJobsMax: 5,
  /** Mail providers that the summary of a job names; the others are counted together. */
  summaryProvidersMax: 12,
  /** Days after which a job that is paused ends. */
  jobPausedDaysMax: 7,
  /** Days for which a job, its rows and its file are kept, unless the operator sets others. */
  jobKeptDaysDefault: 30,
  /** Rows of one export. */
  exportRowsMax: 50_000,
  /** Exports of an account that are under way at once. */
  activeExportsMax: 5,
  /** Files of exports that an account downloads at once, at each replica. */
  downloadsAtOnceMax: 3,
  /** Attempts to deliver one row to a webhook. */
  webhookAttemptsMax: 3,
  /** Records of one import from a CRM, and of one whose results are written back to it. */
  crmImportRecordsMax: 50_000,
  crmValidationRecordsMax: 10_000,
  /** Octets of the request that begins an export: a mapping to a CRM names up to a hundred columns. */
  newExportBytesMax: 131_072,
  /** Imports of an account that are under way at once; those that wait for the start of their job are not counted. */
  activeCrmImportsMax: 3,
  /** Time for a CRM to say which records an import would have, in milliseconds. */
  crmAnswerMsMax: 60_000,
  /** CRMs that an account has connected. */
  crmConnectionsMax: 20,
  /** Octets of one row that is pushed to a webhook. */
  webhookBodyBytesMax: 100_000,
  /** Keys of rows in one answer of a source, and rows that are read by their keys at once. */
  exportKeysPerPageMax: 5_000,
  exportRowsPerReadMax: 500,
  /** Characters of a bounce message that are read; what says why stands at its beginning. */
  bounceTextCharactersMax: 1_000,
} as const;
