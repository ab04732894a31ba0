import { z } from 'zod';
import { keyScope } from './key-scopes.ts';

/** One kind of failure as shown to customers: HTTP status, title, and what to do about it. */
interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** What the reader can do; in every error answer, and on the code's documentation page. */
  readonly remedy: string;
}

/** Every error code of the HTTP interfaces. Codes are stable: clients may branch on them. */
export const problemKinds = {
  invalid_request: {
    status: 400,
    title: 'The request is invalid',
    remedy:
      'Check `errors`: each entry points at an invalid field and says what is expected. Without `errors`, `detail` says what is wrong, such as the first byte that is not valid UTF-8.',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor is not valid for this list',
    remedy:
      'Send `next_cursor` from the previous page, unchanged, with the same filters. Cursors from an earlier release are not valid: omit the cursor and start from the first page.',
  },
  malformed_json: {
    status: 400,
    title: 'The request body is not valid JSON',
    remedy: 'Send one JSON object encoded as UTF-8.',
  },
  invalid_email_address: {
    status: 400,
    title: 'The email address is not valid',
    remedy:
      'Correct the address; `detail` names the rule of RFC 5321, 5322 or 6531 that it breaks, or the invisible character that it contains. You are not charged.',
  },
  not_a_sandbox_address: {
    status: 400,
    title: 'The address is not one of the sandbox',
    remedy:
      'A test key validates only the addresses that `detail` lists. Use a live key for every other address. Nothing was validated or charged.',
  },
  invalid_profile_url: {
    status: 400,
    title: 'The profile URL is not supported',
    remedy:
      'Send the URL of one person’s or organization’s profile in a supported form, or one that is in the profile store. You are not charged.',
  },
  profile_of_an_organisation: {
    status: 422,
    title: 'The profile belongs to an organization',
    remedy:
      'Only people can opt out; data about an organization is not personal data. Ask the source to correct a wrong entry.',
  },
  profile_provider_not_valid: {
    status: 400,
    title: 'The profile provider settings are not valid',
    remedy: 'Correct the fields listed in `errors`. The previous settings are unchanged.',
  },
  missing_api_key: {
    status: 401,
    title: 'The API key is missing',
    remedy: 'Send your API key in the `X-Api-Key` header.',
  },
  invalid_api_key: {
    status: 401,
    title: 'The API key is not valid',
    remedy: 'Compare the key with the one in the application, under Account, API key.',
  },
  revoked_api_key: {
    status: 401,
    title: 'The API key has been revoked',
    remedy: 'Use another key. An owner of the account finds and creates keys on the API keys page.',
  },
  expired_api_key: {
    status: 401,
    title: 'The API key has expired',
    remedy: 'Ask an owner of the account to create a new key on the API keys page.',
  },
  plan_without_api_access: {
    status: 401,
    title: 'The account’s plan does not include API access',
    remedy:
      'The key is valid and works again once the account has a plan with API access. Pay the outstanding invoice or change the plan in the application.',
  },
  not_signed_in: {
    status: 401,
    title: 'Authentication required',
    remedy: 'Sign in. A session ends after several days without use, or when you end it on another device.',
  },
  wrong_credentials: {
    status: 401,
    title: 'The email address or the password is wrong',
    remedy: 'Try again, or reset your password.',
  },
  assistant_refused: {
    status: 401,
    title: 'Assistants cannot use this account right now',
    remedy: '`detail` gives the reason and what the user or an account owner can do.',
  },
  invalid_service_token: {
    status: 401,
    title: 'The service token is missing or invalid',
    remedy:
      'Internal operations are for Mailproof’s own services. Check `SERVICE_SIGNING_KEY`, `SERVICE_PEER_KEYS` and the system clocks.',
  },
  account_name_differs: {
    status: 422,
    title: 'The account name does not match',
    remedy: 'Type the account name exactly as the application shows it. Nothing was deleted.',
  },
  credits_exhausted: {
    status: 402,
    title: 'Not enough credits',
    remedy:
      'Add credits, or wait for the next billing cycle. `required` and `available` show how many credits are missing.',
  },
  missing_access_token: {
    status: 401,
    title: 'The access token is missing',
    remedy:
      'Connect with OAuth: the `WWW-Authenticate` header names the metadata that tells a client where to sign in. Give an MCP client the `/mcp` URL and nothing else.',
  },
  invalid_access_token: {
    status: 401,
    title: 'The access token is not valid',
    remedy:
      'The token has expired, was issued for another service, or its assistant was disconnected. Refresh the token, or connect again.',
  },
  static_key_not_supported: {
    status: 401,
    title: 'The tool server does not accept API keys or tokens in URLs',
    remedy:
      'Remove the key from headers and URL. Give the MCP client only the `/mcp` URL: it opens a browser where you sign in.',
  },
  caller_not_allowed: {
    status: 403,
    title: 'This service is not allowed to call this operation',
    remedy: 'The contract of each internal operation lists its allowed callers.',
  },
  scope_required: {
    status: 403,
    title: 'The API key does not have the scope that this operation needs',
    remedy:
      'Use a key with the scope that `required_scope` names. An owner of the account creates one on the API keys page; the scopes of a key do not change. The default key has every scope.',
  },
  live_key_required: {
    status: 403,
    title: 'A test key does not open this operation',
    remedy:
      'Use a live key. A test key opens only the operations that have a sandbox: the reference marks them with `x-sandbox`.',
  },
  owner_required: {
    status: 403,
    title: 'Only an account owner can do this',
    remedy: 'Ask an owner. The member list shows each member’s role.',
  },
  cross_site_request: {
    status: 403,
    title: 'The request comes from another website',
    remedy:
      'Send it from a page of this installation. API clients send neither `Origin` nor `Sec-Fetch-Site`.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'The origin is not allowed to use the tool server',
    remedy: 'The operator can add the origin to `MCP_ALLOWED_ORIGINS`. API clients send no `Origin`.',
  },
  wrong_password: {
    status: 403,
    title: 'The current password is wrong',
    remedy: 'Try again, or sign out and reset your password.',
  },
  route_not_found: {
    status: 404,
    title: 'Not found',
    remedy: 'Compare the path with the reference at `/docs/reference`. The path includes the version.',
  },
  hold_not_found: {
    status: 404,
    title: 'Hold not found',
    remedy: 'Use the id from the response that created the hold.',
  },
  receipt_not_found: {
    status: 404,
    title: 'Receipt not found',
    remedy: 'Use the id of a run of this account.',
  },
  allowance_use_not_found: {
    status: 404,
    title: 'Allowance use not found',
    remedy: 'Use the id that the allowance was used under.',
  },
  api_key_not_found: {
    status: 404,
    title: 'The account has no such API key',
    remedy:
      'The default key is generated when a plan with API access starts. The API keys page lists the other keys.',
  },
  session_not_found: {
    status: 404,
    title: 'Session not found',
    remedy: 'It may have ended already. List your sessions to see the open ones.',
  },
  member_not_found: {
    status: 404,
    title: 'Member not found',
    remedy: 'List the members to find their ids.',
  },
  assistant_not_found: {
    status: 404,
    title: 'Assistant not found',
    remedy: 'It may have been disconnected already. List the connected assistants.',
  },
  invitation_not_found: {
    status: 404,
    title: 'Invitation not found',
    remedy: 'It may have been accepted or withdrawn already. List the members to see open invitations.',
  },
  search_not_found: {
    status: 404,
    title: 'Search not found',
    remedy: 'It may have been deleted. List the searches of the account.',
  },
  run_not_found: {
    status: 404,
    title: 'Run not found',
    remedy: 'List the runs of the account. Deleting a search deletes its runs.',
  },
  saved_person_not_found: {
    status: 404,
    title: 'Saved person not found',
    remedy: 'List the saved people of the account. A person who opts out is removed from every list.',
  },
  saved_list_not_found: {
    status: 404,
    title: 'List not found',
    remedy: 'List the lists of the account to find their ids.',
  },
  people_import_not_found: {
    status: 404,
    title: 'Import of people not found',
    remedy:
      'List the imports of the account. An import that was not started is deleted after a day, any other one after 30 days.',
  },
  people_import_not_waiting: {
    status: 409,
    title: 'The import is not waiting to be started',
    remedy:
      'It is in progress or has ended. Follow it, or upload the file again. While it is previewed, wait or cancel it.',
  },
  people_import_under_way: {
    status: 409,
    title: 'The import of people is in progress',
    remedy: 'Wait until it ends, or cancel it first.',
  },
  people_mapping_not_valid: {
    status: 422,
    title: 'The mapping of the columns is not valid',
    remedy:
      '`detail` says what is missing or wrong. Map a column with profile URLs and one with names; columns with email addresses cannot be mapped.',
  },
  too_many_people_imports: {
    status: 409,
    title: 'Too many imports of people',
    remedy: 'Start or delete imports that wait; wait for or cancel the one in progress.',
  },
  job_not_found: {
    status: 404,
    title: 'Validation job not found',
    remedy: 'Jobs are deleted when their retention period ends, or on request. List the jobs of the account.',
  },
  job_under_way: {
    status: 409,
    title: 'The job is in progress',
    remedy: 'Wait until it ends, or finish or cancel it first.',
  },
  job_not_ready: {
    status: 409,
    title: 'The rows of the job have not arrived yet',
    remedy: 'Start the job when its `state` is `ready`. A failed job cannot be started.',
  },
  job_not_under_way: {
    status: 409,
    title: 'The job is not in progress',
    remedy: 'Check its `state`: it has not started, or it has ended.',
  },
  other_account: {
    status: 409,
    title: 'You are signed in to a different account than this page shows',
    remedy:
      'Reload the page to see the account that you are signed in to. Nothing was read or changed. API clients omit `X-Mailproof-Account`, or send the id of the account that they signed in to.',
  },
  too_many_jobs: {
    status: 409,
    title: 'Too many jobs in progress',
    remedy: 'Wait until a job ends, or cancel one.',
  },
  job_started: {
    status: 409,
    title: 'The job has already started',
    remedy: 'You cannot change how its rows are read after the start. Upload the file again as a new job.',
  },
  too_many_unstarted_jobs: {
    status: 409,
    title: 'Too many jobs waiting to start',
    remedy: 'Start or delete some of them, or wait for uploads to finish.',
  },
  too_many_rows: {
    status: 413,
    title: 'The file has too many rows',
    remedy: 'Split the file and upload each part as its own job. Nothing was stored or charged.',
  },
  file_not_readable: {
    status: 422,
    title: 'The file cannot be read',
    remedy:
      '`detail` says what is wrong and where. Send CSV, an Excel workbook (.xlsx), JSON or NDJSON. Nothing was stored or charged.',
  },
  no_addresses_found: {
    status: 422,
    title: 'No email addresses found',
    remedy:
      'Send a file with email addresses in one column. If it has one, set `delimiter` and `encoding`, or the `sheet` of a workbook, to match the file. Nothing was stored or charged.',
  },
  no_unknown_rows: {
    status: 409,
    title: 'No rows remain to be validated',
    remedy:
      'The job has not started, its upload was interrupted, or every address has a result other than `unknown`.',
  },
  export_not_found: {
    status: 404,
    title: 'Export not found',
    remedy: 'List the exports of the account.',
  },
  export_source_not_found: {
    status: 404,
    title: 'Export source not found',
    remedy: 'The job, search, run or list may have been deleted. Choose another source.',
  },
  export_too_large: {
    status: 413,
    title: 'Too many rows for one export',
    remedy:
      'Select fewer rows with a list, a run or results, and export the rest separately. The export was not created.',
  },
  too_many_exports: {
    status: 409,
    title: 'Too many exports in progress',
    remedy: 'Wait until an export ends, or cancel one.',
  },
  nothing_to_export: {
    status: 409,
    title: 'There are no rows to export',
    remedy: 'Choose another source, or fewer filters.',
  },
  export_not_ready: {
    status: 409,
    title: 'The export has no file to download',
    remedy: 'You can download a file once its export has succeeded. A push to a webhook has no file.',
  },
  export_ended: {
    status: 409,
    title: 'The export has already ended',
    remedy: 'Create another export of the same source.',
  },
  export_in_progress: {
    status: 409,
    title: 'The export is still in progress',
    remedy: 'Wait until it has ended, or cancel it.',
  },
  export_is_no_push: {
    status: 409,
    title: 'The export does not support this action',
    remedy: 'Only pushes can be paused, and only a push to a webhook has a destination.',
  },
  destination_not_valid: {
    status: 422,
    title: 'The destination is not valid',
    remedy: 'Correct the fields listed in `errors`. Nothing was sent.',
  },
  notice_not_found: {
    status: 404,
    title: 'Notice not found',
    remedy:
      'Notices are deleted after 30 days. List your notices; or choose under Account, “Notices” what you are mailed.',
  },
  webhook_endpoint_not_found: {
    status: 404,
    title: 'Webhook endpoint not found',
    remedy: 'List the webhook endpoints of the account.',
  },
  event_delivery_not_found: {
    status: 404,
    title: 'Delivery not found',
    remedy: 'List the deliveries of the webhook endpoint; they are kept for 30 days.',
  },
  too_many_webhook_endpoints: {
    status: 409,
    title: 'Too many webhook endpoints',
    remedy: 'Delete one that you no longer need.',
  },
  webhook_endpoint_disabled: {
    status: 409,
    title: 'The webhook endpoint is disabled',
    remedy: 'Enable it first.',
  },
  outcome_source_not_found: {
    status: 404,
    title: 'Outcome source not found',
    remedy:
      'List the outcome sources of the account. If this is the response to a mail provider, its URL is wrong, was replaced, or its source was deleted: enter the current URL at the provider.',
  },
  too_many_outcome_sources: {
    status: 409,
    title: 'Too many outcome sources',
    remedy: 'Delete one that you no longer need.',
  },
  outcome_signature_not_valid: {
    status: 401,
    title: 'The request is not signed as the outcome source expects',
    remedy:
      'Nothing was recorded. `detail` says what is wrong. Compare the verification key of the outcome source with the one that the provider shows.',
  },
  export_cannot_be_undone: {
    status: 409,
    title: 'The export cannot be undone',
    remedy:
      'You can undo a push to a CRM once it has ended, unless it was a dry run. If it is in progress, cancel it first.',
  },
  crm_mapping_not_valid: {
    status: 422,
    title: 'The CRM mapping is not valid',
    remedy:
      'Correct the fields listed in `errors`; `POST /crm-mapping-suggestions` suggests a valid mapping. Nothing was written.',
  },
  export_source_not_ready: {
    status: 409,
    title: 'The export source is not ready',
    remedy: 'You can export a validation job from its start on. Start it first.',
  },
  crm_connection_not_found: {
    status: 404,
    title: 'CRM connection not found',
    remedy: 'List the CRM connections of the account, or connect the CRM.',
  },
  crm_sign_in_not_valid: {
    status: 410,
    title: 'The CRM sign-in was started by another user, or has expired',
    remedy:
      'Connect the CRM again. Allow access within ten minutes, signed in to Mailproof as the same user. Nothing was connected.',
  },
  crm_access_denied: {
    status: 422,
    title: 'The CRM denied access',
    remedy:
      'The user declined, or is not allowed to authorize apps; `detail` has the CRM’s error code. Connect again with a CRM user who can authorize apps. Nothing was connected.',
  },
  too_many_crm_connections: {
    status: 409,
    title: 'Too many CRM connections',
    remedy: 'Disconnect one that you no longer need.',
  },
  crm_access_revoked: {
    status: 409,
    title: 'The CRM has revoked access',
    remedy: 'Reconnect the CRM. The connection and everything that uses it are kept.',
  },
  crm_not_permitted: {
    status: 409,
    title: 'The CRM connection lacks permissions',
    remedy: 'Reconnect the CRM with a user who can view and edit these records.',
  },
  crm_refused: {
    status: 422,
    title: 'The CRM rejected the request',
    remedy: 'Check which record types, properties and segments the CRM has; they may have changed.',
  },
  crm_busy: {
    status: 503,
    title: 'The CRM is rate limiting requests',
    remedy:
      'The CRM limits requests per second and per day across all connected apps. Retry after the number of seconds in `Retry-After`.',
  },
  crm_unavailable: {
    status: 503,
    title: 'The CRM is not responding',
    remedy: 'Retry after the number of seconds in `Retry-After`.',
  },
  crm_not_configured: {
    status: 409,
    title: 'This CRM is not configured',
    remedy:
      'Ask your administrator to register an app with the CRM and to set `HUBSPOT_CLIENT_ID` and `HUBSPOT_CLIENT_SECRET`, or `SALESFORCE_CLIENT_ID` and `SALESFORCE_CLIENT_SECRET`, for the webhook dispatcher. Do not retry before then.',
  },
  profile_provider_not_found: {
    status: 404,
    title: 'The account has no profile provider',
    remedy: 'Set up a profile provider first.',
  },
  crm_import_not_found: {
    status: 404,
    title: 'Import not found',
    remedy: 'List the imports of the account. Imports are deleted when their retention period ends.',
  },
  crm_import_under_way: {
    status: 409,
    title: 'The CRM import is in progress',
    remedy: 'Wait until it ends, or cancel it first.',
  },
  crm_import_too_large: {
    status: 413,
    title: 'Too many records for one import',
    remedy:
      'Narrow the selection with a segment or filters, and import the rest separately. The import was not started.',
  },
  nothing_to_import: {
    status: 409,
    title: 'No matching records in the CRM',
    remedy: 'Choose another segment, or fewer filters.',
  },
  too_many_crm_imports: {
    status: 409,
    title: 'Too many imports in progress',
    remedy: 'Wait until an import ends, or cancel one.',
  },
  crm_selection_not_valid: {
    status: 422,
    title: 'The CRM selection is not valid',
    remedy:
      'Check `detail` and `errors`: each entry names a property that does not exist or is read-only. You can list the properties and segments of the connection. The import was not started.',
  },
  price_above_limit: {
    status: 409,
    title: 'The price exceeds `credits_max`',
    remedy: 'Start the job with a higher `credits_max`. Nothing was charged.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    remedy: 'The `Allow` header lists the allowed methods.',
  },
  hold_not_pending: {
    status: 409,
    title: 'The hold has already been resolved',
    remedy:
      'A hold is settled, released or expired only once. A delivery after its hold has expired is not charged.',
  },
  preview_costs_credits: {
    status: 409,
    title: 'This preview costs credits',
    remedy:
      'You have used the free previews of this billing cycle. Send `credits_max` of at least `required` to pay for this one, or wait for the next cycle.',
  },
  search_locked: {
    status: 409,
    title: 'The search can no longer be changed',
    remedy: 'Starting the first paid run locks the filters. Create a new search.',
  },
  search_changed: {
    status: 409,
    title: 'The search was changed by another request',
    remedy: 'Fetch the search again, then repeat the request. Nothing was charged.',
  },
  run_active: {
    status: 409,
    title: 'A run of this search is in progress',
    remedy: 'Wait until it ends, or cancel it. A search has one run at a time.',
  },
  too_many_runs: {
    status: 409,
    title: 'Too many runs in progress',
    remedy: 'Wait until a run ends, or cancel one.',
  },
  nothing_to_deliver: {
    status: 409,
    title: 'The account already has every match',
    remedy: 'Nothing was charged. Create a search with other filters, or try again later.',
  },
  list_name_taken: {
    status: 409,
    title: 'The list name is already in use',
    remedy: 'Choose another name. People lists and company lists can share a name.',
  },
  too_many_lists: {
    status: 409,
    title: 'Too many lists',
    remedy: 'Delete a list that you no longer need.',
  },
  request_timeout: {
    status: 408,
    title: 'The request timed out',
    remedy:
      'Send the whole request within 30 seconds, and its headers within 10. A file upload can take 20 minutes as long as data keeps arriving: use a faster connection, or split the file.',
  },
  idempotency_key_in_use: {
    status: 409,
    title: 'A request with this idempotency key is in progress',
    remedy:
      'Wait the number of seconds in `Retry-After`, then repeat the request with the same key: you get the response of the first request. This response is not charged.',
  },
  api_key_cannot_be_shown: {
    status: 409,
    title: 'The API key works but cannot be displayed',
    remedy:
      'No readable copy of the key is stored. Keep using the key, or regenerate it, which revokes the old key.',
  },
  plan_change_not_possible: {
    status: 409,
    title: 'The plan cannot be changed',
    remedy: '`detail` gives the reason. Contact the operator to change a custom plan.',
  },
  online_payment_not_available: {
    status: 409,
    title: 'Nothing can be paid online here',
    remedy:
      'The operator collects payments in another way, does not sell what was requested, or the account has ordered nothing online yet.',
  },
  refund_exceeds_spent: {
    status: 409,
    title: 'The refund exceeds the credits that the run spent',
    remedy: 'All refunds of a run together cannot exceed what it spent; see its receipt.',
  },
  email_taken: {
    status: 409,
    title: 'The email address is already in use',
    remedy: 'Sign in with it, reset its password, or use another address.',
  },
  last_owner: {
    status: 409,
    title: 'The account needs at least one owner',
    remedy: 'Make another member an owner first.',
  },
  api_keys_exhausted: {
    status: 409,
    title: 'The account has as many named API keys as it can have',
    remedy: 'Revoke a key that no program uses. Expired keys count until they are revoked.',
  },
  members_exhausted: {
    status: 409,
    title: 'The plan’s member limit is reached',
    remedy: 'Remove a member, withdraw an invitation, or change to a plan with more members.',
  },
  link_not_valid: {
    status: 410,
    title: 'The link has expired or was already used',
    remedy: 'A link works once and for a limited time. Request a new one.',
  },
  body_too_large: {
    status: 413,
    title: 'The request body is too large',
    remedy: 'Send a smaller body; the reference states the limit of each operation.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    remedy:
      'Send the `Content-Type` that the reference names, usually `application/json`, encoded as UTF-8. `detail` names it too.',
  },
  misdirected_request: {
    status: 421,
    title: 'The request was sent to the wrong host',
    remedy:
      'Use the address that the operator published. If a proxy changes `Host`, the operator must set `TRUSTED_PROXIES`.',
  },
  id_reused: {
    status: 422,
    title: 'The id was already used for a different request',
    remedy: 'Repeat the first request unchanged to get the same response, or use a new id.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The idempotency key was already used for a different request',
    remedy:
      'Generate a new key, such as a random UUID, for each new request. Reuse a key only to retry the same operation with the same query and body.',
  },
  seed_not_found: {
    status: 422,
    title: 'No seed can be compared',
    remedy:
      'Check `errors`: each entry says why the seed cannot be compared. Use other companies, or describe them in `seed_text`.',
  },
  unknown_filter_value: {
    status: 422,
    title: 'Unknown filter value',
    remedy:
      'Check `errors`: each entry points at a value and suggests similar known values. Nothing was searched or charged.',
  },
  password_refused: {
    status: 422,
    title: 'The password is too easy to guess',
    remedy: 'Choose another password; `detail` says what is wrong with it.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    remedy:
      'Wait the number of seconds in `Retry-After`. `x-ratelimit-reset` is the same time in Unix milliseconds.',
  },
  too_many_failed_attempts: {
    status: 429,
    title: 'Too many failed authentication attempts',
    remedy: 'Wait the number of seconds in `Retry-After`, then send a valid API key, or sign in.',
  },
  signing_in_locked: {
    status: 429,
    title: 'Too many wrong passwords',
    remedy: 'Wait the number of seconds in `Retry-After`, or reset your password.',
  },
  too_many_downloads: {
    status: 429,
    title: 'Too many downloads in progress',
    remedy: 'Wait until a download finishes, or cancel one.',
  },
  too_many_followers: {
    status: 429,
    title: 'Too many open event streams',
    remedy: 'Close an event stream, or poll instead.',
  },
  too_many_deliveries: {
    status: 429,
    title: 'Too many deliveries to this endpoint',
    remedy: 'Wait until waiting events are delivered or have failed. Test events count for an hour.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests from this address',
    remedy: 'Wait the number of seconds in `Retry-After`.',
  },
  headers_too_large: {
    status: 431,
    title: 'The request’s headers are too large',
    remedy: 'Send less than 16 KiB of headers, including cookies.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    remedy: 'Nothing was charged. Try again; if the error persists, give the `requestId` to your operator.',
  },
  search_not_ready: {
    status: 503,
    title: 'The index is still loading',
    remedy:
      'Nothing was charged. Retry after the number of seconds in `Retry-After`. After a restart, the search index loads first; `detail` shows the progress.',
  },
  mail_not_configured: {
    status: 503,
    title: 'This installation cannot send mail',
    remedy: 'The operator must set `MAIL_SMTP_URL` and `MAIL_FROM` for the gateway.',
  },
  profile_source_unavailable: {
    status: 503,
    title: 'A profile source did not respond',
    remedy:
      'The other sources do not have the profile, and this source could not be reached. Nothing was charged. Try again later. If `detail` names your own provider, check its status in the application.',
  },
  service_unavailable: {
    status: 503,
    title: 'The service is temporarily unavailable',
    remedy: 'Nothing was charged. Retry after the number of seconds in `Retry-After`.',
  },
} as const satisfies Readonly<Record<string, ProblemKind>>;

export type ProblemCode = keyof typeof problemKinds;

export const problemCodes = Object.keys(problemKinds) as readonly ProblemCode[];

/** Problems that every operation can return. */
export const commonProblems = [
  'invalid_request',
  'request_timeout',
  'headers_too_large',
  'route_not_found',
  'method_not_allowed',
  'internal_error',
  'service_unavailable',
] as const satisfies readonly ProblemCode[];

/** Problems that every operation with a body can return. */
export const bodyProblems = [
  'invalid_request',
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
] as const satisfies readonly ProblemCode[];

/** The body of every error answer: `application/problem+json` (RFC 9457) with a stable `code`. */
export const problemDocument = z
  .object({
    type: z.string().describe('URL of the documentation page for this code.'),
    title: z.string().describe('Short description of the problem type; the same for every occurrence.'),
    status: z.int().describe('The HTTP status code.'),
    code: z.enum(problemCodes as [ProblemCode, ...ProblemCode[]]).describe('Stable error code for programs.'),
    detail: z.string().optional().describe('What is wrong with this request.'),
    remedy: z.string().optional().describe('What to do about this code; the same for every occurrence.'),
    requestId: z.string().optional().describe('Quote this id when you ask for help.'),
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
      .describe('The invalid fields.'),
    required: z
      .int()
      .optional()
      .describe('Credits that the request needs (codes `credits_exhausted` and `preview_costs_credits`).'),
    available: z.int().optional().describe('Credits available (code `credits_exhausted`).'),
    required_scope: keyScope
      .optional()
      .describe('The scope that the operation needs (code `scope_required`).'),
    sheets: z
      .array(z.string())
      .optional()
      .describe(
        'The other sheets of a workbook whose sheet has no list (codes `no_addresses_found` and `file_not_readable`).',
      ),
  })
  .meta({ id: 'Problem', description: 'Error response as defined in RFC 9457.' });

export type ProblemDocument = z.output<typeof problemDocument>;
