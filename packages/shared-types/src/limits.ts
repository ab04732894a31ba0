/** All limits of the public contract; the documentation, the services and the tests read them from here. */
export const limits = {
  /** Requests per second for an account whose plan does not set a higher rate. */
  requestsPerSecondDefault: 10,
  /** Length of the sliding rate window, in milliseconds. */
  rateWindowMs: 1_000,
  /** Longest address that fits in a path (RFC 5321 section 4.5.3.1.3), in octets. */
  emailAddressOctetsMax: 254,
  /** Longest local part (RFC 5321 section 4.5.3.1.1), in octets. */
  localPartOctetsMax: 64,
  /** Longest domain in ASCII form, in octets without the trailing dot (RFC 1035 section 2.3.4). */
  domainOctetsMax: 253,
  /** Longest label of a domain, in octets (RFC 1035 section 2.3.4). */
  labelOctetsMax: 63,
  /** Largest body of a small JSON request, in octets. */
  jsonBodyBytesMax: 16_384,
  /** Default time limit for a single validation, in milliseconds; the operator can change it. */
  validationDeadlineMsDefault: 25_000,
  /** Most outcomes in one internal report. */
  outcomesPerReportMax: 1_000,
  /** Largest upload of outcomes, in octets. */
  outcomeUploadBytesMax: 10_000_000,
  /** Most rows in one upload of outcomes. */
  outcomeUploadRowsMax: 100_000,
  /** Most refused rows that the response to an upload lists. */
  outcomeRefusalsShownMax: 100,
  /** Most outcome sources of an account, and the longest description of one, in characters. */
  outcomeSourcesMax: 20,
  outcomeSourceDescriptionCharactersMax: 120,
  /** Largest request that a mail provider sends to an outcome source, in octets, and its most events. */
  outcomeEventsBytesMax: 1_048_576,
  outcomeEventsMax: 2_000,
  /** Most requests per second to one outcome source; a provider sends the others again. */
  outcomeSourceRequestsPerSecond: 100,
  /** How long after its signature an outcome source accepts a provider’s request, in milliseconds; retries take a day. */
  outcomeSignatureAgeMsMax: 90_000_000,
  /** How long the previous URL of an outcome source stays valid, in milliseconds. */
  outcomeSourceOverlapMs: 86_400_000,
  /** Default number of rows on a page of a list. */
  pageRowsDefault: 50,
  /** Longest cursor, in characters; a cursor is an encrypted position. */
  cursorCharactersMax: 2_000,
  /** Most rows on a page of a list. */
  pageRowsMax: 200,
  /** Default number of days in a usage report. */
  usageDaysDefault: 30,
  /** Most days in a usage report. */
  usageDaysMax: 400,
  /** Most rows in a downloaded statement; a longer period must be downloaded in parts. */
  statementDownloadRowsMax: 200_000,
  /** Most rows on a page of one service's part of an account export. */
  exportPageRowsMax: 500,
  /** Days until credits expire that were bought in addition to the plan, or refunded. */
  topUpDays: 365,
  refundDays: 90,
  /** How long the response to a request with an `Idempotency-Key` is kept, in milliseconds. */
  idempotencyKeptMs: 86_400_000,
  /** Longest `Idempotency-Key`, in characters. */
  idempotencyKeyCharactersMax: 255,
  /** Shortest and longest password, in characters after Unicode normalization (form C). */
  passwordCharactersMin: 12,
  passwordCharactersMax: 128,
  /** Most named API keys that an account can have, and the longest name of one, in characters. */
  apiKeysMax: 20,
  apiKeyNameCharactersMax: 60,
  /** Longest account name, in characters. */
  accountNameCharactersMax: 200,
  /** Characters of a browser's `User-Agent` that are stored. */
  userAgentCharactersMax: 120,
  /** Longest value of a device cookie, in characters. */
  deviceCharactersMax: 128,
  /** Most connected assistants that an account's list shows; it shows the newest ones. */
  assistantsListedMax: 200,
  /** Most OAuth grants of one user; another grant ends the least recently used one. */
  assistantsPerUserMax: 50,
  /** Most OAuth grants of one user to one client in one browser; a list shows them as one assistant. */
  grantsPerAssistantMax: 5,
  /** How long after a sign-in at the tool server a user can connect assistants, in milliseconds. */
  assistantSignInMsMax: 3_600_000,
  /** Credits that an assistant can use within the window before the user is asked, if the client supports asking. */
  assistantCreditsUnasked: 100,
  assistantCreditsWindowMs: 3_600_000,
  /** Longest profile URL, in characters. */
  profileUrlCharactersMax: 2_048,
  /** Largest age that a request can allow for a cached profile, in seconds. */
  profileAgeSecondsMax: 31_536_000,
  /** Longest timeout for a customer's own profile provider, in milliseconds. */
  providerTimeoutMsMax: 10_000,
  /** Most providers that are queried after an account's first one. */
  providerFallbacksMax: 4,
  /** Time limit for a profile lookup, in milliseconds. */
  profileDeadlineMs: 25_000,
  /** Most people that one run saves, and most companies that one run delivers. */
  peoplePerRunMax: 50_000,
  companiesPerRunMax: 50_000,
  /** Suggested numbers of companies for a lookalike run; any other number can be entered. */
  companiesPerRunPresets: [1_000, 5_000, 10_000],
  /** Most candidates in the free preview of a lookalike search. */
  lookalikePreviewMax: 25,
  /** Most seed domains of a lookalike search; also most domains that matches should be unlike. */
  seedDomainsMax: 25,
  /** Most websites that a lookalike search reads for seeds that are not in the store. */
  seedPagesMax: 10,
  /** Longest text that describes the companies to find, in characters. */
  seedTextCharactersMax: 2_000,
  /** Most values in one search filter. */
  filterValuesMax: 100,
  /** Longest filter value, in characters. */
  filterValueCharactersMax: 200,
  /** Most names of people in a search filter, and most words of one. */
  personNamesMax: 10,
  personNameWordsMax: 8,
  /** Most values of a facet that are counted; every fixed vocabulary fits within this limit. */
  facetValuesMax: 50,
  foundedYearMin: 1_000,
  foundedYearMax: 2_100,
  /** Largest amount of funding in a search filter, in US dollars. */
  fundingUsdMax: 1_000_000_000_000,
  /** Most words of a search value that matches a part of a keyword. */
  keywordPartWordsMax: 6,
  /** Largest size of a search's filters, in octets. */
  filtersBytesMax: 131_072,
  /** Most people or companies in the preview of a search, over all pages. */
  previewedPeopleMax: 100,
  /** Longest name of a search or a list, in characters. */
  discoveryNameCharactersMax: 120,
  /** Most concurrent runs of an account, over all its searches. */
  activeRunsMax: 5,
  /** Most connections on which an account follows runs, per replica. */
  runFollowersMax: 10,
  /** Longest time that one connection follows a run, in milliseconds. */
  runFollowedMsMax: 900_000,
  /** Most saved records that one request names. */
  savedIdsPerRequestMax: 1_000,
  /** Most saved people that one request selects by filters. */
  savedMatchingMax: 10_000,
  /** Most company domains that one request adds to a list or removes from it, and most of a list. */
  listDomainsPerRequestMax: 10_000,
  listDomainsMax: 50_000,
  /** Most lists of an account. */
  savedListsMax: 1_000,
  /** Most tags of a list, and the longest tag in characters. */
  listTagsMax: 20,
  listTagCharactersMax: 40,
  /** Largest file of addresses, in octets and in rows. */
  jobUploadBytesMax: 100_000_000,
  jobRowsMax: 50_000,
  /** Largest workbook, in octets; the engine's temporary folder holds six. */
  workbookBytesMax: 40_000_000,
  /** Most sheets of a workbook that a job names, and the longest name of a sheet, in characters. */
  workbookSheetsShownMax: 20,
  sheetNameCharactersMax: 100,
  /** Largest pasted list of addresses, in octets. */
  jobListBytesMax: 20_000_000,
  /** Longest upload of a file or list, and its longest pause without data, in milliseconds. */
  uploadMsMax: 1_200_000,
  uploadSilentMsMax: 60_000,
  /** Most concurrent uploads of an account, and most jobs that have not been started. */
  uploadsAtOnceMax: 3,
  unstartedJobsMax: 50,
  /** Largest row of an uploaded file, in octets of UTF-8. */
  rowBytesMax: 1_000_000,
  /** Most columns of an uploaded file, and its longest cell in characters. */
  jobColumnsMax: 200,
  cellCharactersMax: 32_767,
  /** Longest name of a job or an export, in characters. */
  jobNameCharactersMax: 120,
  /** Most concurrent validation jobs of an account. */
  activeJobsMax: 5,
  /** Most mail providers in the summary of a job; the others are counted together. */
  summaryProvidersMax: 12,
  /** Most domains in the summary of a job; the others are counted together. */
  summaryDomainsMax: 12,
  /** Most mail hosts of each kind of wait that a running job names. */
  waitingHostsMax: 10,
  /** Days after which a paused job ends. */
  jobPausedDaysMax: 7,
  /** Default number of days for which a job, its rows and its file are kept; the operator can change it. */
  jobKeptDaysDefault: 30,
  /** Most rows of an export. */
  exportRowsMax: 50_000,
  /** Most concurrent exports of an account. */
  activeExportsMax: 5,
  /** Most concurrent downloads of export files by an account, per replica. */
  downloadsAtOnceMax: 3,
  /** Most attempts to deliver a row to a webhook. */
  webhookAttemptsMax: 3,
  /** Most webhook endpoints of an account, and the longest description of one, in characters. */
  webhookEndpointsMax: 10,
  webhookDescriptionCharactersMax: 120,
  /** How long an event is retried, and how long an endpoint may fail before it is disabled, in milliseconds. */
  eventRetryMs: 86_400_000,
  /** How long the previous signing secret of an endpoint stays valid, in milliseconds. */
  eventSecretOverlapMs: 86_400_000,
  /** Days for which the deliveries of events are kept. */
  eventDeliveryKeptDays: 30,
  /** Days for which the notices of a user are kept, and the most that are kept. */
  noticesKeptDays: 30,
  noticesPerUserMax: 1_000,
  /** Most notices that a user is mailed in an hour. */
  noticeMailsPerHourMax: 20,
  noticeMailTokenCharactersMax: 200,
  /** Most events that wait for one endpoint. */
  eventDeliveriesWaitingMax: 1_000,
  /** Most test events an hour for one endpoint. */
  eventTestsPerHourMax: 60,
  /** Most attempts of one delivery that are shown. */
  eventAttemptsShownMax: 100,
  /** Most events that one service hands over at once. */
  eventsPerTakeMax: 100,
  /** Highest threshold for the event of low credits. */
  creditThresholdMax: 1_000_000_000,
  /** Most records of a CRM import, and of an import whose results are written back. */
  crmImportRecordsMax: 50_000,
  crmValidationRecordsMax: 10_000,
  /** Largest file of people that an account imports, in octets, and its most rows. */
  peopleImportBytesMax: 20_000_000,
  peopleImportRowsMax: 50_000,
  /** Most characters of its cells: a workbook can repeat a text of a few octets in millions of cells. */
  peopleImportCharactersMax: 100_000_000,
  /** Where the names of its columns are cut off, in characters. */
  columnNameCharactersMax: 300,
  /** Most people whom an account can have imported. */
  ownPeopleMax: 200_000,
  /** Most imports of people of an account that wait to be started. One is previewed or imported at a time. */
  waitingPeopleImportsMax: 10,
  /** Most imports of people of an account that are kept after their end; the oldest are deleted. */
  endedPeopleImportsMax: 1_000,
  /** How long an import waits to be started, and how long it is kept after its end, in milliseconds. */
  peopleImportWaitsMs: 86_400_000,
  peopleImportKeptMs: 2_592_000_000,
  /** Most examples of a column that are shown, and the characters of each. */
  columnExamplesMax: 3,
  columnExampleCharactersMax: 120,
  /** Largest request with a mapping of people, in octets: a column name can be long. */
  peopleMappingBytesMax: 131_072,
  /** Largest request that starts an export, in octets: a CRM mapping names up to a hundred columns. */
  newExportBytesMax: 131_072,
  /** Most concurrent imports of an account, not counting imports that wait for their job to start. */
  activeCrmImportsMax: 3,
  /** Time limit for a CRM to report which records an import would contain, in milliseconds. */
  crmAnswerMsMax: 60_000,
  /** Most CRMs that an account connects. */
  crmConnectionsMax: 20,
  /** Largest row pushed to a webhook, in octets. */
  webhookBodyBytesMax: 100_000,
  /** Most row keys in one response of a source, and most rows read by key in one request. */
  exportKeysPerPageMax: 5_000,
  exportRowsPerReadMax: 500,
  /** Most local parts that are matched with known people at once, in octets of the request and in number. */
  knownPeopleBodyBytesMax: 65_536,
  knownPeoplePerMatchMax: 100,
  /** How many known people of a company are counted at most. */
  knownPeopleCountedMax: 1_000,
  /** Characters of a bounce message that are read; the reason is near the beginning. */
  bounceTextCharactersMax: 1_000,
} as const;
