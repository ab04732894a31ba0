/**
 * Mailproof for Google Sheets: the function MAILPROOF, and a menu that validates a column. Sheets calls the functions
 * without an underscore at their end; README.md says how to install this script.
 */

/** What `MAILPROOF` can return about an address. */
const FIELDS = ['result', 'valid', 'reason', 'email_type', 'mx_domain', 'mx_provider'];
/** A custom function may run 30 seconds, and an account can make 10 requests a second. */
const ADDRESSES_PER_CALL_MAX = 100;
const REQUESTS_AT_ONCE = 10;
const ROUNDS_MAX = 8;
/** The longest time that Sheets keeps a value in its cache, in seconds. */
const KEPT_SECONDS = 21600;
/** A host that asked for a retry may answer later, so `unknown` is forgotten sooner. */
const UNKNOWN_KEPT_SECONDS = 600;
/** A script may run six minutes. */
const FOLLOW_MS = 4.5 * 60 * 1000;
const ROWS_MAX = 50000;
const FINAL_STATES = ['succeeded', 'failed', 'cancelled'];
const RUNNING_LIST = 'mailproof-list';

function onOpen() {
  SpreadsheetApp.getUi()
    .createMenu('Mailproof')
    .addItem('Validate selected addresses…', 'validateSelection')
    .addItem('Get results', 'getResults')
    .addSeparator()
    .addItem('Show credits', 'showCredits')
    .addItem('Set URL and API key…', 'setUp')
    .addToUi();
}

function onInstall() {
  onOpen();
}

/**
 * Validates email addresses with Mailproof. Each distinct address costs a credit unless it is "unknown". A result is
 * remembered for six hours; to keep it, copy the cells and paste their values.
 *
 * @param {string|string[][]} addresses A cell or a range of cells.
 * @param {string} [field] Optional: result, valid, reason, email_type, mx_domain or mx_provider.
 * @return The field of each address; an empty text for an empty cell.
 * @customfunction
 */
function MAILPROOF(addresses, field) {
  const name = field || 'result';
  if (FIELDS.indexOf(name) < 0) {
    throw new Error(`Choose one of these fields: ${FIELDS.join(', ')}.`);
  }
  const rows = Array.isArray(addresses) ? addresses : [[addresses]];
  const texts = rows.map(row => row.map(cell => String(cell).trim()));
  const distinct = [...new Set(texts.flat())].filter(text => text !== '');
  if (distinct.length > ADDRESSES_PER_CALL_MAX) {
    throw new Error(
      `One formula validates at most ${ADDRESSES_PER_CALL_MAX} addresses. For a longer list, select it and use the menu Mailproof.`,
    );
  }
  const verdicts = verdictsOf_(distinct);
  const answers = texts.map(row => row.map(text => (text === '' ? '' : (verdicts.get(text)[name] ?? ''))));
  return Array.isArray(addresses) ? answers : answers[0][0];
}

/** Takes verdicts from the cache, and requests the others. */
function verdictsOf_(emails) {
  const cache = CacheService.getUserCache();
  const keys = new Map(emails.map(email => [email, `mailproof-${sha256_(email)}`]));
  const cached = emails.length === 0 ? {} : cache.getAll([...keys.values()]);
  const verdicts = new Map();
  let missing = [];
  for (const email of emails) {
    const known = cached[keys.get(email)];
    if (known) verdicts.set(email, JSON.parse(known));
    else missing.push(email);
  }
  for (let round = 0; missing.length > 0; round += 1) {
    if (round === ROUNDS_MAX + Math.ceil(emails.length / REQUESTS_AT_ONCE)) {
      throw new Error('Mailproof has too many requests at the moment. Recalculate the cell in a minute.');
    }
    if (round > 0) Utilities.sleep(1000);
    const asked = missing.slice(0, REQUESTS_AT_ONCE);
    const responses = UrlFetchApp.fetchAll(asked.map(validationRequest_));
    const later = [];
    responses.forEach((response, at) => {
      const verdict = verdictIn_(response);
      if (verdict === undefined) {
        later.push(asked[at]);
        return;
      }
      verdicts.set(asked[at], verdict);
      const seconds = verdict.result === 'unknown' ? UNKNOWN_KEPT_SECONDS : KEPT_SECONDS;
      cache.put(keys.get(asked[at]), JSON.stringify(verdict), seconds);
    });
    missing = later.concat(missing.slice(REQUESTS_AT_ONCE));
  }
  return verdicts;
}

function validationRequest_(email) {
  // Several cells with one address are calculated at the same time: they share one request, and one charge.
  const minutes = Math.floor(Date.now() / (UNKNOWN_KEPT_SECONDS * 1000));
  return request_('post', '/validate-single-email?details=true', {
    contentType: 'application/json',
    payload: JSON.stringify({ email }),
    headers: { 'Idempotency-Key': sha256_(`${email}\n${minutes}`) },
  });
}

/** The verdict of a response; undefined if the request has to be sent again. Throws what the user has to know. */
function verdictIn_(response) {
  const status = response.getResponseCode();
  const body = bodyOf_(response);
  if (status === 200) {
    const { result, valid, email_type, mx_domain, mx_provider, details } = body;
    return { result, valid, reason: details?.reason, email_type, mx_domain, mx_provider };
  }
  if (body.code === 'invalid_email_address') return { result: 'invalid', valid: false, reason: 'syntax' };
  if (status === 429 || status === 503 || body.code === 'idempotency_key_in_use') return undefined;
  throw refusal_(status, body);
}

/** Uploads the selected column, shows the price, and starts the validation. */
function validateSelection() {
  const ui = SpreadsheetApp.getUi();
  const sheet = SpreadsheetApp.getActiveSheet();
  const selected = SpreadsheetApp.getActiveRange();
  const first = selected.getRow();
  const rows = Math.min(selected.getLastRow(), sheet.getLastRow()) - first + 1;
  const cells = rows < 1 ? [] : textsOf_(sheet.getRange(first, selected.getColumn(), rows, 1));
  const addresses = cells.filter(text => text.includes('@'));
  if (selected.getNumColumns() !== 1 || addresses.length === 0 || addresses.length > ROWS_MAX) {
    ui.alert(`Select the cells of one column with at most ${ROWS_MAX.toLocaleString()} addresses.`);
    return;
  }
  if (listInProgress_()) {
    ui.alert('A list of this spreadsheet is being validated. Choose "Get results" first.');
    return;
  }
  const csv = addresses.map(text => `"${text.replace(/"/g, '""')}"`).join('\r\n');
  const name = encodeURIComponent(SpreadsheetApp.getActiveSpreadsheet().getName().slice(0, 100) || 'Sheet');
  const reading = `delimiter=,&has_header=false&encoding=utf-8&name=${name}`;
  const job = call_('post', `/validation-jobs?${reading}`, { contentType: 'text/csv', payload: csv });
  const question = `Validate ${job.addresses.toLocaleString()} addresses for at most ${job.cost_max.toLocaleString()} credits? The results are inserted as two columns.`;
  if (ui.alert('Mailproof', question, ui.ButtonSet.OK_CANCEL) !== ui.Button.OK) {
    call_('delete', `/validation-jobs/${job.job_id}`);
    return;
  }
  call_('post', `/validation-jobs/${job.job_id}/start`, { headers: { 'Idempotency-Key': job.job_id } });
  const heading = cells[0].includes('@') ? '' : cells[0];
  const list = { jobId: job.job_id, sheetId: sheet.getSheetId(), column: selected.getColumn(), heading };
  PropertiesService.getDocumentProperties().setProperty(RUNNING_LIST, JSON.stringify(list));
  getResults();
}

/** Follows the list that is being validated, and inserts its results next to the addresses. */
function getResults() {
  const list = listInProgress_();
  if (!list) {
    SpreadsheetApp.getUi().alert('No list of this spreadsheet is being validated.');
    return;
  }
  try {
    follow_(list);
  } catch (error) {
    // The list was deleted, or the key is now one of another account, which may be a mistake: the user decides.
    if (error.code !== 'job_not_found') throw error;
    const reason =
      'Mailproof has no such list: it was deleted, or the API key belongs to another account than before. To validate the addresses again, remove the list here, select them and choose "Validate selected addresses…".';
    if (forgets_(reason)) PropertiesService.getDocumentProperties().deleteProperty(RUNNING_LIST);
  }
}

function follow_(list) {
  const endsAt = Date.now() + FOLLOW_MS;
  let job = call_('get', `/validation-jobs/${list.jobId}`);
  for (; FINAL_STATES.indexOf(job.state) < 0; job = call_('get', `/validation-jobs/${list.jobId}`)) {
    const progress = `${job.done.toLocaleString()} of ${job.addresses.toLocaleString()} addresses are validated.`;
    if (Date.now() > endsAt) {
      SpreadsheetApp.getUi().alert(`${progress} Choose "Get results" again later.`);
      return;
    }
    SpreadsheetApp.getActiveSpreadsheet().toast(progress, 'Mailproof', 10);
    Utilities.sleep(3000);
  }
  const verdicts = verdictsByText_(list.jobId);
  const sheet = SpreadsheetApp.getActiveSpreadsheet()
    .getSheets()
    .find(each => each.getSheetId() === list.sheetId);
  const place = sheet && placeOf_(sheet, list, verdicts);
  if (verdicts.size > 0 && !place) {
    const missing = sheet
      ? 'No cell of the sheet has a validated address'
      : 'The sheet of the list was deleted';
    if (!forgets_(`${missing}. The results are in Mailproof, under Validate lists.`)) return;
  }
  if (place) insertResults_(sheet, list, place, verdicts);
  PropertiesService.getDocumentProperties().deleteProperty(RUNNING_LIST);
  const ending = job.failure ? ` The list was not finished: ${job.failure.detail}` : '';
  SpreadsheetApp.getUi().alert(`${job.spent.toLocaleString()} credits spent.${ending}`);
}

/**
 * The column that has the most cells with a validated address, and the texts of its cells; of equal ones the nearest to
 * the column that was selected. Columns and rows may have been inserted or moved since. Undefined if no cell has one.
 */
function placeOf_(sheet, { column }, verdicts) {
  const columns = Array.from({ length: sheet.getLastColumn() }, (_, at) => at + 1);
  columns.sort((one, other) => Math.abs(one - column) - Math.abs(other - column));
  let place;
  for (const each of columns) {
    const texts = textsOf_(sheet.getRange(1, each, sheet.getLastRow(), 1));
    const matches = texts.filter(text => verdicts.has(text)).length;
    if (matches > (place ? place.matches : 0)) place = { column: each, texts, matches };
  }
  return place;
}

/** Says why there are no results here, and asks whether the spreadsheet forgets the list. */
function forgets_(reason) {
  const ui = SpreadsheetApp.getUi();
  const text = `${reason} Choose Cancel to keep the list here and to choose "Get results" again later. Choose OK to remove it from this spreadsheet.`;
  return ui.alert('Mailproof', text, ui.ButtonSet.OK_CANCEL) === ui.Button.OK;
}

function insertResults_(sheet, { heading }, { column, texts }, verdicts) {
  const first = texts.findIndex(text => verdicts.has(text));
  const headingAt = heading === '' ? -1 : texts.slice(0, first).lastIndexOf(heading);
  const values = texts.map((text, at) => {
    if (at === headingAt) return ['result', 'reason'];
    const verdict = verdicts.get(text);
    return verdict ? [verdict.result, verdict.reason] : ['', ''];
  });
  sheet.insertColumnsAfter(column, 2);
  sheet.getRange(1, column + 1, values.length, 2).setValues(values);
}

function verdictsByText_(jobId) {
  const verdicts = new Map();
  let cursor = '';
  do {
    const page = call_('get', `/validation-jobs/${jobId}/rows?limit=200${cursor}`);
    for (const { cells, verdict } of page.rows) {
      if (verdict) verdicts.set(cells[0], verdict);
    }
    cursor = page.next_cursor ? `&cursor=${encodeURIComponent(page.next_cursor)}` : '';
  } while (cursor !== '');
  return verdicts;
}

function textsOf_(range) {
  return range.getDisplayValues().map(([text]) => text.trim());
}

function listInProgress_() {
  const text = PropertiesService.getDocumentProperties().getProperty(RUNNING_LIST);
  return text ? JSON.parse(text) : undefined;
}

/** Needs a key that also has the scope "account.read". */
function showCredits() {
  SpreadsheetApp.getUi().alert(`${call_('get', '/me').credits.toLocaleString()} credits are left.`);
}

/** Only the user who enters the key can use it: other editors of the spreadsheet do not see it. */
function setUp() {
  const ui = SpreadsheetApp.getUi();
  const properties = PropertiesService.getUserProperties();
  for (const [name, question] of [
    ['MAILPROOF_URL', 'URL of the installation, such as https://mailproof.example:'],
    ['MAILPROOF_API_KEY', 'API key with the scope "validation":'],
  ]) {
    const answer = ui.prompt('Mailproof', question, ui.ButtonSet.OK_CANCEL);
    if (answer.getSelectedButton() !== ui.Button.OK) return;
    properties.setProperty(name, answer.getResponseText().trim());
  }
  // Needs no other scope than a validation does, and costs nothing.
  call_('get', '/validation-jobs?limit=1');
  ui.alert('Mailproof accepts the API key.');
}

/** Sends a request, up to four times while the server is busy, and returns the body of its answer. */
function call_(method, path, options) {
  for (let attempt = 1; ; attempt += 1) {
    const { url, ...request } = request_(method, path, options || {});
    const response = UrlFetchApp.fetch(url, request);
    const status = response.getResponseCode();
    const body = bodyOf_(response);
    if (status < 300) return body;
    if ((status !== 429 && status !== 503) || attempt === 4) throw refusal_(status, body);
    Utilities.sleep(1000 * attempt);
  }
}

function request_(method, path, options) {
  const { MAILPROOF_URL: url, MAILPROOF_API_KEY: key } =
    PropertiesService.getUserProperties().getProperties();
  if (!url || !key) {
    throw new Error('Choose Mailproof, Set URL and API key, in the menu first.');
  }
  return {
    ...options,
    url: `${url.replace(/\/+$/, '')}/api/v1${path}`,
    method,
    headers: { ...options.headers, 'X-Api-Key': key },
    followRedirects: false,
    muteHttpExceptions: true,
  };
}

function bodyOf_(response) {
  try {
    return JSON.parse(response.getContentText());
  } catch {
    return {};
  }
}

function refusal_(status, { code, detail, title }) {
  if (code === undefined) return new Error(`The URL answered ${status}. Is it the URL of Mailproof?`);
  return Object.assign(new Error(`Mailproof: ${detail || title} (${code})`), { code });
}

function sha256_(text) {
  const octets = Utilities.computeDigest(Utilities.DigestAlgorithm.SHA_256, text, Utilities.Charset.UTF_8);
  return octets.map(octet => (octet & 255).toString(16).padStart(2, '0')).join('');
}
