import { z } from 'zod';

/** One kind of failure as customers see it: stable code, HTTP status, and what to do about it. */
interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** What the reader can do; shown on the code's documentation page. */
  readonly remedy: string;
}

/** Every error code of the HTTP interfaces. Codes are stable: clients may branch on them. */
export const problemKinds = {
  invalid_request: {
    status: 400,
    title: 'The request does not match the contract',
    remedy:
      'Read `errors`: each entry points at the offending member and says what is expected there. Without `errors`, `detail` says what is wrong, such as the first byte that is not valid UTF-8.',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor does not belong to this list',
    remedy:
      'Send `next_cursor` of the page before, unchanged, with the same filters. A cursor from an earlier release is not valid: leave it out and start from the first page.',
  },
  malformed_json: {
    status: 400,
    title: 'The request body is not valid JSON',
    remedy: 'Send one JSON object encoded as UTF-8.',
  },
  invalid_email_address: {
    status: 400,
    title: 'The email address is not written as the standards require',
    remedy:
      'Correct the address; `detail` says which rule of RFC 5321, 5322 or 6531 it breaks, or names the invisible character that it holds. The refusal is free.',
  },
  invalid_profile_url: {
    status: 400,
    title: 'This is not the URL of a profile that can be looked up',
    remedy:
      'Send the URL of one person’s or organisation’s profile in a form that the list of profile URLs names, or one that the store holds. The refusal is free.',
  },
  profile_of_an_organisation: {
    status: 422,
    title: 'The profile is an organisation’s',
    remedy:
      'People can be left out; organisations cannot, since what is kept of them is no personal data. Correct a wrong entry at its source.',
  },
  profile_provider_not_valid: {
    status: 400,
    title: 'The provider cannot be asked in this way',
    remedy: 'Correct what `errors` points at. The settings from before stay as they were.',
  },
  missing_api_key: {
    status: 401,
    title: 'The request carries no API key',
    remedy: 'Send your API key in the `X-Api-Key` header.',
  },
  invalid_api_key: {
    status: 401,
    title: 'The API key is not known',
    remedy: 'Compare the key with the one in your account profile, letter by letter.',
  },
  revoked_api_key: {
    status: 401,
    title: 'The API key has been revoked',
    remedy: 'Use the key that replaced it; it is in your account profile.',
  },
  plan_without_api_access: {
    status: 401,
    title: 'The account’s plan has no API access',
    remedy:
      'The key is right, and works again as soon as the account has a plan with API access: pay what is outstanding, or change the plan, in the application.',
  },
  not_signed_in: {
    status: 401,
    title: 'Nobody has signed in',
    remedy: 'Sign in; a session ends after some days without use, and when it is ended from elsewhere.',
  },
  wrong_credentials: {
    status: 401,
    title: 'The email address or the password is wrong',
    remedy: 'Try again, or ask for a link that resets the password.',
  },
  assistant_refused: {
    status: 401,
    title: 'The user’s assistants cannot work for the account right now',
    remedy: '`detail` says why, and what the user or an owner of the account can do about it.',
  },
  invalid_service_token: {
    status: 401,
    title: 'The service token is missing or not valid',
    remedy:
      'Internal operations are for Mailproof’s own services. Check `SERVICE_SIGNING_KEY`, `SERVICE_PEER_KEYS` and the clocks.',
  },
  account_name_differs: {
    status: 422,
    title: 'The typed name is not the account’s',
    remedy: 'Type the account’s name exactly as the profile shows it. Nothing was deleted.',
  },
  credits_exhausted: {
    status: 402,
    title: 'The account has too few credits',
    remedy:
      'Top up, or wait for the next billing cycle. `required` and `available` say how many credits are missing.',
  },
  missing_access_token: {
    status: 401,
    title: 'The request carries no access token',
    remedy:
      'Connect by OAuth: the `WWW-Authenticate` header names the metadata from which a client finds where to sign in. Give an MCP client the address of `/mcp` and nothing else.',
  },
  invalid_access_token: {
    status: 401,
    title: 'The access token is not valid',
    remedy:
      'It is over, was made for somebody else, or its assistant was disconnected. Refresh it, or connect again.',
  },
  static_key_not_supported: {
    status: 401,
    title: 'The tool server takes no API keys and no tokens in addresses',
    remedy:
      'Remove the key from headers and address. Give the MCP client the address of `/mcp` alone: it opens a browser, in which you sign in.',
  },
  caller_not_allowed: {
    status: 403,
    title: 'This service may not call this operation',
    remedy: 'Each internal operation names its callers in its contract.',
  },
  owner_required: {
    status: 403,
    title: 'Only an owner of the account may do this',
    remedy: 'Ask an owner; the members of the account are listed with their roles.',
  },
  cross_site_request: {
    status: 403,
    title: 'The request comes from another website',
    remedy:
      'Send it from a page of this installation. A program sends neither `Origin` nor `Sec-Fetch-Site`.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'Pages of this website may not speak with the tool server',
    remedy: 'The operator can allow the website by `MCP_ALLOWED_ORIGINS`. Programs send no `Origin`.',
  },
  wrong_password: {
    status: 403,
    title: 'The current password is wrong',
    remedy: 'Try again, or sign out and ask for a link that resets the password.',
  },
  route_not_found: {
    status: 404,
    title: 'There is nothing at this path',
    remedy: 'Compare the path with the reference at `/docs`; the version is part of the path.',
  },
  hold_not_found: {
    status: 404,
    title: 'There is no such hold',
    remedy: 'A hold is known by the id that its creation answered.',
  },
  receipt_not_found: {
    status: 404,
    title: 'There is no receipt of this run',
    remedy: 'A receipt is known by its run’s id, within the account that the run belongs to.',
  },
  allowance_use_not_found: {
    status: 404,
    title: 'There is no such use of an allowance',
    remedy: 'A use is known by the id that it was taken under.',
  },
  api_key_not_found: {
    status: 404,
    title: 'The account has no API key',
    remedy: 'A key is generated by itself when a plan with API access starts.',
  },
  session_not_found: {
    status: 404,
    title: 'You have no such session',
    remedy: 'It may have ended already; the list of sessions names those that are open.',
  },
  member_not_found: {
    status: 404,
    title: 'The account has no such member',
    remedy: 'The list of members names them with their ids.',
  },
  assistant_not_found: {
    status: 404,
    title: 'There is no such assistant',
    remedy: 'List the connected assistants; this one may have been disconnected already.',
  },
  invitation_not_found: {
    status: 404,
    title: 'The account has no such invitation',
    remedy: 'It may have been accepted or withdrawn already; the list of members names the open ones.',
  },
  search_not_found: {
    status: 404,
    title: 'The account has no such search',
    remedy: 'It may have been deleted; the list of searches names those that there are.',
  },
  run_not_found: {
    status: 404,
    title: 'The account has no such run',
    remedy: 'The list of runs names them; a run goes when its search is deleted.',
  },
  saved_person_not_found: {
    status: 404,
    title: 'The account has not saved this person',
    remedy:
      'The list of saved people names them. Who asked to be left out of the store leaves every list as well.',
  },
  saved_list_not_found: {
    status: 404,
    title: 'The account has no such list',
    remedy: 'The lists of the account are named with their ids; a list is of people or of companies.',
  },
  job_not_found: {
    status: 404,
    title: 'The account has no such validation job',
    remedy: 'Jobs are deleted some time after they were made, or on request; list those that are there.',
  },
  job_under_way: {
    status: 409,
    title: 'The job is under way',
    remedy: 'Wait for its end, or cancel it first.',
  },
  job_not_ready: {
    status: 409,
    title: 'The rows of the job have not arrived yet',
    remedy: 'Start the job when its `state` is `ready`. A job that has failed cannot be started.',
  },
  job_not_under_way: {
    status: 409,
    title: 'The job is not under way',
    remedy: 'Look at its `state`: it was not started, or it has ended.',
  },
  other_account: {
    status: 409,
    title: 'You are signed in to another account than the page shows',
    remedy:
      'Reload the page: it then shows the account that you are signed in to. Nothing was read or changed. A program leaves `X-Mailproof-Account` out, or sends the id of the account that it signed in to.',
  },
  too_many_jobs: {
    status: 409,
    title: 'The account has as many jobs under way as it may',
    remedy: 'Wait for the end of one of them, or cancel one.',
  },
  job_started: {
    status: 409,
    title: 'The job was started already',
    remedy: 'How its rows are read is fixed from then on. Send the file again for another job.',
  },
  too_many_unstarted_jobs: {
    status: 409,
    title: 'The account has too many jobs that were not started',
    remedy: 'Start or delete some of them, or wait until files that are coming in have arrived.',
  },
  too_many_rows: {
    status: 413,
    title: 'The file has too many rows',
    remedy: 'Split it and send the parts as jobs of their own. Nothing was kept or charged.',
  },
  file_not_readable: {
    status: 422,
    title: 'The file cannot be read as a table of text',
    remedy:
      'Read `detail`, which says what is wrong and where. A spreadsheet has to be saved as CSV. Nothing was kept or charged.',
  },
  no_addresses_found: {
    status: 422,
    title: 'There is no email address in the rows',
    remedy:
      'Send a file in which one column has the addresses. If it has one, say how the file is to be read, by `delimiter` and `encoding`. Nothing was kept or charged.',
  },
  export_not_found: {
    status: 404,
    title: 'The account has no such export',
    remedy: 'List the exports that are there.',
  },
  export_source_not_found: {
    status: 404,
    title: 'What is to be exported is not there',
    remedy: 'The job, search, run or list may have been deleted; choose another source.',
  },
  export_too_large: {
    status: 413,
    title: 'That is more rows than one export takes',
    remedy: 'Choose fewer rows, by a list, a run or results, and export the others apart. Nothing was begun.',
  },
  too_many_exports: {
    status: 409,
    title: 'The account has too many exports under way',
    remedy: 'Wait until one of them has ended, or cancel one.',
  },
  nothing_to_export: {
    status: 409,
    title: 'There is no row to export',
    remedy: 'Choose another source, or fewer conditions.',
  },
  export_not_ready: {
    status: 409,
    title: 'The export has no file to download',
    remedy: 'A file can be downloaded once its export has succeeded; what is pushed to a webhook has none.',
  },
  export_ended: {
    status: 409,
    title: 'The export has ended',
    remedy: 'Begin another one with the same source.',
  },
  export_is_no_push: {
    status: 409,
    title: 'The export cannot be steered in this way',
    remedy: 'Only what is pushed can be paused, and only what is pushed to a webhook has a destination.',
  },
  destination_not_valid: {
    status: 422,
    title: 'Rows cannot be pushed there',
    remedy: 'Correct what `errors` points at. Nothing was sent.',
  },
  export_cannot_be_undone: {
    status: 409,
    title: 'There is nothing of this export that could be taken away',
    remedy:
      'Only a push to a CRM can be undone, once it has ended, and not a dry run. Cancel it first where it is under way.',
  },
  crm_mapping_not_valid: {
    status: 422,
    title: 'Rows cannot become records of the CRM in this way',
    remedy:
      'Correct what `errors` points at; `POST /app/v1/crm-mapping-suggestions` says what fits. Nothing was written.',
  },
  export_source_not_ready: {
    status: 409,
    title: 'What is to be exported is not finished',
    remedy: 'A validation job can be exported when it has ended. Wait for it, or cancel it.',
  },
  crm_connection_not_found: {
    status: 404,
    title: 'The account has not connected this CRM',
    remedy: 'List the connections that are there, or connect the CRM.',
  },
  crm_sign_in_not_valid: {
    status: 410,
    title: 'The connection was not begun by you, or too long ago',
    remedy:
      'Connect the CRM once more, and allow it within ten minutes, signed in to Mailproof as the same user. Nothing was connected.',
  },
  crm_access_denied: {
    status: 422,
    title: 'The CRM has not given access',
    remedy:
      'Somebody there said no, or may not allow apps; `detail` has the CRM’s word for it. Connect the CRM once more with a user who may. Nothing was connected.',
  },
  too_many_crm_connections: {
    status: 409,
    title: 'The account has connected as many CRMs as it can',
    remedy: 'Disconnect one that is not needed any more.',
  },
  crm_access_revoked: {
    status: 409,
    title: 'The CRM does not accept our access any more',
    remedy: 'Connect the CRM once more; the connection and what uses it stay.',
  },
  crm_not_permitted: {
    status: 409,
    title: 'Our access to the CRM does not reach so far',
    remedy: 'Connect the CRM once more with a user who may see and change these records.',
  },
  crm_refused: {
    status: 422,
    title: 'The CRM does not have what was asked about',
    remedy: 'Look which kinds of records, properties and segments it has; somebody may have changed them.',
  },
  crm_busy: {
    status: 503,
    title: 'The CRM asks us to wait',
    remedy:
      'It takes so many requests in a time, or in a day, from all programs that work with it. Try again after the seconds in `Retry-After`.',
  },
  crm_unavailable: {
    status: 503,
    title: 'The CRM does not answer',
    remedy: 'Try again after the seconds in `Retry-After`.',
  },
  crm_not_configured: {
    status: 409,
    title: 'This installation is not set up for this CRM',
    remedy:
      'Ask your administrator to configure the CRM: to register an app there, and to set `HUBSPOT_CLIENT_ID` and `HUBSPOT_CLIENT_SECRET`, or `SALESFORCE_CLIENT_ID` and `SALESFORCE_CLIENT_SECRET`, for the webhook dispatcher. Trying again does not help before that.',
  },
  profile_provider_not_found: {
    status: 404,
    title: 'The account has no provider of profiles of its own',
    remedy: 'Set one up first.',
  },
  crm_import_not_found: {
    status: 404,
    title: 'The account has no such import',
    remedy: 'List the imports that are there; they are deleted some time after they were begun.',
  },
  crm_import_under_way: {
    status: 409,
    title: 'The import is under way',
    remedy: 'Wait for its end, or cancel it first.',
  },
  crm_import_too_large: {
    status: 413,
    title: 'These are more records than one import takes',
    remedy: 'Narrow the selection by a segment or filters, and import the others apart. Nothing was begun.',
  },
  nothing_to_import: {
    status: 409,
    title: 'The CRM has no such record',
    remedy: 'Choose another segment, or fewer filters.',
  },
  too_many_crm_imports: {
    status: 409,
    title: 'The account has too many imports under way',
    remedy: 'Wait until one of them has ended, or cancel one.',
  },
  crm_selection_not_valid: {
    status: 422,
    title: 'The CRM cannot be asked for these records in this way',
    remedy:
      'Read `detail` and `errors`: each entry names a property that is not there or cannot be written. The properties and segments of the connection can be listed. Nothing was begun.',
  },
  price_above_limit: {
    status: 409,
    title: 'The job costs more than was allowed',
    remedy: 'Start it with a higher limit. Nothing was charged.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This path does not take this method',
    remedy: 'The `Allow` header lists the methods that it takes.',
  },
  hold_not_pending: {
    status: 409,
    title: 'The hold has already been resolved otherwise',
    remedy:
      'A hold is settled, released or expired once. A late delivery after the expiry of its hold is not charged.',
  },
  preview_costs_credits: {
    status: 409,
    title: 'This preview is not free',
    remedy:
      'The free previews of the billing cycle are used up. Send `credits_max` of at least `required` to pay for this one, or wait for the next cycle.',
  },
  search_locked: {
    status: 409,
    title: 'The search cannot be changed any more',
    remedy: 'Its filters were fixed when its first paid run started. Begin a new search.',
  },
  search_changed: {
    status: 409,
    title: 'The search was changed at the same moment',
    remedy: 'Look at it again, then repeat the request. Nothing was charged.',
  },
  run_active: {
    status: 409,
    title: 'A run of this search is under way',
    remedy: 'Wait for its end, or cancel it. A search has one run at a time.',
  },
  too_many_runs: {
    status: 409,
    title: 'The account has too many runs under way',
    remedy: 'Wait until one of them has ended, or cancel one.',
  },
  nothing_to_deliver: {
    status: 409,
    title: 'The account has everything that the search finds',
    remedy: 'Nothing was charged. Begin a search with other filters, or try again when the store has grown.',
  },
  list_name_taken: {
    status: 409,
    title: 'The account has a list of this name',
    remedy: 'Choose another name; lists of people and of companies are named apart.',
  },
  too_many_lists: {
    status: 409,
    title: 'The account has as many lists as it can have',
    remedy: 'Delete one that is not needed any more.',
  },
  request_timeout: {
    status: 408,
    title: 'The request did not arrive in time',
    remedy:
      'Send the whole request within 30 seconds, its headers within 10. A list may take 20 minutes if it keeps arriving: send it over a faster connection, or split it.',
  },
  idempotency_key_in_use: {
    status: 409,
    title: 'A request with this idempotency key is still being worked on',
    remedy:
      'Wait for the seconds in `Retry-After` and send the same request with the same key again: it gets the answer of the first. Nothing is charged for this answer.',
  },
  api_key_cannot_be_shown: {
    status: 409,
    title: 'The API key works but cannot be shown',
    remedy:
      'There is no sealed copy of it that can be opened. Go on using the key where you have it, or regenerate it, which makes the old one invalid.',
  },
  plan_change_not_possible: {
    status: 409,
    title: 'The plan cannot be changed in this way',
    remedy: '`detail` says why. Plans by agreement are changed by the operator.',
  },
  refund_exceeds_spent: {
    status: 409,
    title: 'The run did not spend that many credits',
    remedy: 'All refunds of a run together are at most what it spent; its receipt says how much that is.',
  },
  email_taken: {
    status: 409,
    title: 'The email address belongs to a user already',
    remedy: 'Sign in with it, or reset its password; or use another address.',
  },
  last_owner: {
    status: 409,
    title: 'The account would have no owner',
    remedy: 'Make another member an owner first.',
  },
  members_exhausted: {
    status: 409,
    title: 'The plan has no room for another member',
    remedy: 'Remove a member, withdraw an invitation, or change to a plan with more members.',
  },
  link_not_valid: {
    status: 410,
    title: 'The link does not work any more',
    remedy: 'A link works once and for a limited time. Ask for a new one.',
  },
  body_too_large: {
    status: 413,
    title: 'The request body is too large',
    remedy: 'Send a smaller body; the reference states the limit of each operation.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The request body has an unsupported type',
    remedy:
      'Send the `Content-Type` that the reference names, mostly `application/json`, encoded as UTF-8; `detail` repeats it.',
  },
  misdirected_request: {
    status: 421,
    title: 'The request names another host',
    remedy:
      'Use the address that the operator published. Behind a proxy that changes `Host`, the operator sets `TRUSTED_PROXIES`.',
  },
  id_reused: {
    status: 422,
    title: 'This id was used before with a different request',
    remedy: 'Repeat the first request unchanged to get its answer again, or use a new id.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'This idempotency key was used before with a different request',
    remedy:
      'Make a new key for each new request, for example a random UUID, and send a key again only with the same operation, query and body.',
  },
  seed_not_found: {
    status: 422,
    title: 'None of the seeds can be compared',
    remedy:
      'Read `errors`: each entry says of a seed whether the store does not hold it or knows too few words about it. Name other companies, or load these.',
  },
  unknown_filter_value: {
    status: 422,
    title: 'A filter has a value that its vocabulary does not have',
    remedy:
      'Read `errors`: each entry points at a value and names the known ones nearest to it. Nothing was searched or charged.',
  },
  password_refused: {
    status: 422,
    title: 'The password is too easy to guess',
    remedy: 'Choose another one; `detail` says what is wrong with it.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests in one second',
    remedy:
      'Wait for the seconds in `Retry-After`. `x-ratelimit-reset` tells the same moment in Unix milliseconds.',
  },
  too_many_failed_attempts: {
    status: 429,
    title: 'Too many failed authentication attempts from this address',
    remedy: 'Wait for the seconds in `Retry-After`, then send a valid API key, or sign in.',
  },
  signing_in_locked: {
    status: 429,
    title: 'Too many wrong passwords',
    remedy: 'Wait for the seconds in `Retry-After`, or reset the password.',
  },
  too_many_downloads: {
    status: 429,
    title: 'The account downloads too many files at once',
    remedy: 'Wait until a file has come in, or break one off.',
  },
  too_many_followers: {
    status: 429,
    title: 'The account follows too many runs at once',
    remedy: 'Close a connection that follows a run, or ask for the run now and then.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests from this address',
    remedy: 'Wait for the seconds in `Retry-After`.',
  },
  headers_too_large: {
    status: 431,
    title: 'The request’s headers are too large',
    remedy: 'Send less than 16 KiB of headers; cookies are among them.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    remedy: 'Nothing was charged. Try again; if it persists, tell the operator the `requestId`.',
  },
  search_not_ready: {
    status: 503,
    title: 'The search is not ready',
    remedy:
      'Nothing was charged. Try again after the seconds in `Retry-After`; after a start, the search takes up everybody in the store first, and `detail` says how far it has come.',
  },
  mail_not_configured: {
    status: 503,
    title: 'This installation cannot send mail',
    remedy: 'Its operator has to set `MAIL_SMTP_URL` and `MAIL_FROM` for the gateway.',
  },
  profile_source_unavailable: {
    status: 503,
    title: 'A source of profiles did not answer',
    remedy:
      'The other sources do not know the profile, and this one could not be asked, so it may still be known. Nothing was charged. Try again later; where `detail` names your own provider, look at its status in the application.',
  },
  service_unavailable: {
    status: 503,
    title: 'A part of the service is not available right now',
    remedy: 'Nothing was charged. Try again after the seconds in `Retry-After`.',
  },
} as const satisfies Readonly<Record<string, ProblemKind>>;

export type ProblemCode = keyof typeof problemKinds;

export const problemCodes = Object.keys(problemKinds) as readonly ProblemCode[];

/** Problems that any operation can answer, whatever it does. */
export const commonProblems = [
  'invalid_request',
  'request_timeout',
  'headers_too_large',
  'route_not_found',
  'method_not_allowed',
  'internal_error',
  'service_unavailable',
] as const satisfies readonly ProblemCode[];

/** Problems of every operation that takes a body. */
export const bodyProblems = [
  'invalid_request',
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
] as const satisfies readonly ProblemCode[];

/** The body of every error answer: `application/problem+json` (RFC 9457) with a stable `code`. */
export const problemDocument = z
  .object({
    type: z.string().describe('Address of the documentation page of this code.'),
    title: z.string().describe('The kind of problem, in words; the same for every occurrence.'),
    status: z.int().describe('The HTTP status, repeated.'),
    code: z
      .enum(problemCodes as [ProblemCode, ...ProblemCode[]])
      .describe('Stable, for programs to branch on.'),
    detail: z.string().optional().describe('What is wrong with this request, in words.'),
    requestId: z.string().optional().describe('Quote this when you ask for help.'),
    errors: z
      .array(
        z.object({
          pointer: z
            .string()
            .describe(
              'JSON pointer (RFC 6901) into the body; after `?` into the query, after `:` into the path.',
            ),
          detail: z.string(),
        }),
      )
      .optional()
      .describe('The members that do not match the contract.'),
    required: z
      .int()
      .optional()
      .describe('Credits that the request needs (codes `credits_exhausted` and `preview_costs_credits`).'),
    available: z.int().optional().describe('Credits that are available (code `credits_exhausted`).'),
  })
  .meta({ id: 'Problem', description: 'Error answer after RFC 9457.' });

export type ProblemDocument = z.output<typeof problemDocument>;
