import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';

/** The script that customers paste into a spreadsheet. */
export const sheetsScript = new URL('../../../sdks/google-sheets/Mailproof.js', import.meta.url);

/** A user who answers the dialogs of the script, and the texts that the script showed. */
export interface SheetsUser {
  readonly shown: string[];
  /** Answers of the next prompts. */
  readonly typed: string[];
  /** Whether a price is accepted, and other questions answered with OK. */
  accepts: boolean;
  /** Called before each request, with its URL: what the user does in the sheet meanwhile. */
  meanwhile?: (url: string) => void;
}

interface HttpRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly contentType?: string;
  readonly payload?: string;
}

/** Does the requests of a script, which waits for them: Apps Script has no promises. */
const fetching = `
  const { workerData: { port, signal } } = require('node:worker_threads');
  port.on('message', async requests => {
    port.postMessage(await Promise.all(requests.map(async ({ url, method, headers, contentType, payload }) => {
      const type = contentType === undefined ? {} : { 'content-type': contentType };
      const init = { method: method.toUpperCase(), headers: { ...type, ...headers }, body: payload, redirect: 'manual' };
      const response = await fetch(url, init);
      return { status: response.status, text: await response.text() };
    })));
    Atomics.store(signal, 0, 1);
    Atomics.notify(signal, 0);
  });`;

/** Runs the script with what it uses of Google Sheets, on one sheet of cells and with real requests. */
export function openSpreadsheet(cells: string[][]) {
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(fetching, {
    eval: true,
    workerData: { port: port2, signal },
    transferList: [port2],
  });
  const user: SheetsUser = { shown: [], typed: [], accepts: true };
  const requests: HttpRequest[] = [];

  function fetchAll(given: readonly HttpRequest[]) {
    requests.push(...given);
    for (const { url } of given) user.meanwhile?.(url);
    Atomics.store(signal, 0, 0);
    port1.postMessage(given);
    if (Atomics.wait(signal, 0, 0, 60_000) === 'timed-out') throw new Error('No response within a minute.');
    const answers = receiveMessageOnPort(port1)?.message as { status: number; text: string }[];
    return answers.map(({ status, text }) => ({ getResponseCode: () => status, getContentText: () => text }));
  }

  const cache = new Map<string, string>();
  const userProperties = propertiesOf(new Map());
  const documentProperties = propertiesOf(new Map());
  const sheet = sheetOf(cells);
  const sheets = [sheet];
  let selected = sheet.getRange(1, 1, cells.length, 1);
  const ok = 'OK';
  const ui = {
    alert(...texts: string[]) {
      // The first text is a title if there is also a set of buttons.
      user.shown.push(texts.length === 1 ? String(texts[0]) : String(texts[1]));
      return user.accepts ? ok : 'CANCEL';
    },
    prompt: () => {
      const text = user.typed.shift();
      return { getSelectedButton: () => (text === undefined ? 'CANCEL' : ok), getResponseText: () => text };
    },
    ButtonSet: { OK_CANCEL: 'OK_CANCEL' },
    Button: { OK: ok },
  };
  const globals = createContext({
    UrlFetchApp: {
      fetchAll,
      fetch: (url: string, request: object) => fetchAll([{ ...request, url } as HttpRequest])[0],
    },
    CacheService: {
      getUserCache: () => ({
        getAll: (keys: readonly string[]) =>
          Object.fromEntries(keys.flatMap(key => (cache.has(key) ? [[key, cache.get(key)]] : []))),
        put: (key: string, value: string) => cache.set(key, value),
      }),
    },
    PropertiesService: {
      getUserProperties: () => userProperties,
      getDocumentProperties: () => documentProperties,
    },
    SpreadsheetApp: {
      getUi: () => ui,
      getActiveSheet: () => sheet,
      getActiveRange: () => selected,
      getActiveSpreadsheet: () => ({
        getName: () => 'Customers',
        getSheets: () => sheets,
        toast: () => undefined,
      }),
    },
    Utilities: {
      sleep: (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
      computeDigest: (_algorithm: string, text: string) => [
        ...new Int8Array(createHash('sha256').update(text).digest()),
      ],
      DigestAlgorithm: { SHA_256: 'SHA_256' },
      Charset: { UTF_8: 'UTF_8' },
    },
  });
  runInContext(readFileSync(sheetsScript, 'utf8'), globals);
  return {
    ...{ user, requests, cache, cells },
    /** Calls a function of the script. */
    call: (name: string, ...given: unknown[]): unknown =>
      (globals as Record<string, (...given: unknown[]) => unknown>)[name]?.(...given),
    select(row: number, column: number, rows: number, columns = 1) {
      selected = sheet.getRange(row, column, rows, columns);
    },
    deleteSheet: () => sheets.pop(),
    async close() {
      port1.close();
      await worker.terminate();
    },
  };
}

function propertiesOf(values: Map<string, string>) {
  return {
    getProperties: () => Object.fromEntries(values),
    getProperty: (name: string) => values.get(name) ?? null,
    setProperty: (name: string, value: string) => values.set(name, value),
    deleteProperty: (name: string) => values.delete(name),
  };
}

/** A sheet whose rows are the given arrays, numbered from 1. */
function sheetOf(cells: string[][]) {
  return {
    getSheetId: () => 7,
    getLastRow: () => cells.length,
    getLastColumn: () => Math.max(0, ...cells.map(row => row.length)),
    getRange: (row: number, column: number, rows: number, columns: number) => ({
      getRow: () => row,
      getLastRow: () => row + rows - 1,
      getColumn: () => column,
      getNumColumns: () => columns,
      getDisplayValues: () =>
        Array.from({ length: rows }, (_, at) =>
          Array.from(
            { length: columns },
            (_unused, index) => cells[row - 1 + at]?.[column - 1 + index] ?? '',
          ),
        ),
      setValues(values: string[][]) {
        for (const [at, given] of values.entries()) {
          for (const [index, value] of given.entries()) {
            const target = cells[row - 1 + at];
            if (target) target[column - 1 + index] = value;
          }
        }
      },
    }),
    insertColumnsAfter(column: number, count: number) {
      for (const row of cells) row.splice(column, 0, ...Array.from({ length: count }, () => ''));
    },
  };
}
