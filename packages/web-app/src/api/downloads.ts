import { accountHeaders, noteRefusal } from './browser-session.ts';
import { mayPass } from './client.ts';
import { asProblem, ProblemError, problemOf } from './problem.ts';

/** A file that is being downloaded, was saved, or could not be. */
export interface Download {
  readonly href: string;
  /** The name of the file; undefined until the server has answered. */
  readonly fileName: string | undefined;
  readonly octets: number;
  /** How often the download failed and was started again. */
  readonly repeats: number;
  /** `handed`: the file is too large for the memory of the page, so the browser downloads it. */
  readonly state: 'running' | 'saved' | 'handed' | 'failed';
  /** Why the download failed; undefined otherwise. */
  readonly problem: ProblemError | undefined;
}

/** A file that has arrived as a whole. */
export interface Received {
  readonly fileName: string;
  readonly content: Blob;
}

interface Ports {
  readonly fetch: (href: string, init: RequestInit) => Promise<Response>;
  /** Hands a complete file to the browser. */
  readonly save: (file: Received) => void;
  /** Lets the browser download a URL into a file, piece by piece, in its own list of downloads. */
  readonly handOver: (href: string) => void;
  readonly wait: (ms: number) => Promise<void>;
}

/** How much all running downloads may hold in the memory of the page together, in octets. */
export const heldOctetsMax = 200_000_000;

/** A file is too large for the memory of the page. */
class TooLarge extends Error {}

const attemptsMax = 3;
const retryWaitMs = 2_000;
const retryWaitMsMax = 30_000;
/** How long a connection may transfer nothing before it is aborted: longer than the server waits for a restart. */
const stillMsMax = 120_000;

/**
 * The downloads of this page. A file is given to the browser when all of it has arrived, because browsers show the
 * part of a broken download only in their own list, if at all. While a download may succeed it is repeated, from the
 * start; then it stays in the list with its problem until the user retries or dismisses it. A file of more than
 * `heldOctetsMax` is left to the browser, which writes it to the disk as it arrives.
 */
export function createDownloads({ fetch, save, handOver, wait }: Ports) {
  let list: readonly Download[] = [];
  const running = new Map<string, AbortController>();
  const listeners = new Set<() => void>();

  function change(next: readonly Download[]): void {
    list = next;
    for (const listener of listeners) listener();
  }
  function set(href: string, facts: Partial<Download>): void {
    change(list.map(each => (each.href === href ? { ...each, ...facts } : each)));
  }
  function forget(href: string): void {
    running.get(href)?.abort();
    running.delete(href);
    change(list.filter(each => each.href !== href));
  }

  /** Returns the file, or undefined if the download was stopped. */
  async function receive(href: string, stopped: AbortSignal): Promise<Received | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await receiveOnce(href, stopped);
      } catch (error) {
        if (stopped.aborted) return undefined;
        if (error instanceof TooLarge) throw error;
        const problem = asProblem(error);
        const waitMs = problem.retryAfterMs ?? retryWaitMs * attempt;
        if (attempt === attemptsMax || !mayPass(problem) || waitMs > retryWaitMsMax) throw error;
        set(href, { octets: 0, repeats: attempt });
        await wait(waitMs);
        if (stopped.aborted) return undefined;
      }
    }
  }

  async function receiveOnce(href: string, stopped: AbortSignal): Promise<Received> {
    const still = new AbortController();
    const giveUp = () => still.abort(new DOMException('Nothing more arrived.', 'TimeoutError'));
    let timer = setTimeout(giveUp, stillMsMax);
    try {
      const signal = AbortSignal.any([stopped, still.signal]);
      const response = await fetch(href, { credentials: 'same-origin', headers: accountHeaders(), signal });
      if (!response.ok) {
        const problem = await problemOf(response);
        noteRefusal(problem);
        throw problem;
      }
      const fileName = fileNameOf(response.headers.get('content-disposition'), href);
      set(href, { fileName });
      if (isTooMuch(href, Number(response.headers.get('content-length')))) throw new TooLarge();
      let octets = 0;
      let isTooLarge = false;
      const counted = new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          clearTimeout(timer);
          timer = setTimeout(giveUp, stillMsMax);
          octets += piece.length;
          isTooLarge = isTooMuch(href, octets);
          if (isTooLarge) throw new TooLarge();
          set(href, { octets });
          controller.enqueue(piece);
        },
      });
      const { body } = response;
      const content = await new Response(body?.pipeThrough(counted) ?? null).blob().catch(() => {
        throw isTooLarge ? new TooLarge() : interrupted();
      });
      return { fileName, content };
    } finally {
      clearTimeout(timer);
      // Ends the transfer of a file that is too large.
      still.abort();
    }
  }

  function isTooMuch(href: string, octets: number): boolean {
    const others = list.filter(each => each.state === 'running' && each.href !== href);
    return others.reduce((sum, each) => sum + each.octets, octets) > heldOctetsMax;
  }

  return {
    /** Starts or repeats the download of a URL; one that is running continues. */
    async start(href: string): Promise<void> {
      if (running.has(href)) return;
      const stopping = new AbortController();
      running.set(href, stopping);
      const fresh: Download = {
        href,
        fileName: undefined,
        octets: 0,
        repeats: 0,
        state: 'running',
        problem: undefined,
      };
      const earlier = list.some(each => each.href === href);
      if (earlier) set(href, fresh);
      else change([...list, fresh]);
      try {
        const file = await receive(href, stopping.signal);
        if (!file || stopping.signal.aborted) return;
        save(file);
        running.delete(href);
        set(href, { state: 'saved' });
      } catch (error) {
        running.delete(href);
        if (error instanceof TooLarge) {
          handOver(href);
          set(href, { state: 'handed' });
        } else {
          set(href, { state: 'failed', problem: asProblem(error) });
        }
      }
    },
    /** Stops a download, or removes an ended one from the list. */
    forget,
    /** Stops all downloads, at the end of a session. */
    stop(): void {
      for (const { href } of list) forget(href);
    },
    list: () => list,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function interrupted(): ProblemError {
  return new ProblemError({
    title: 'The download was interrupted',
    detail: 'The connection broke before the whole file had arrived, so nothing was saved.',
  });
}

/** The name of a file, from its header (RFC 6266) or its URL. */
export function fileNameOf(disposition: string | null, href: string): string {
  const [, encoded] = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '') ?? [];
  if (encoded !== undefined) return decodeURIComponent(encoded);
  const [, quoted, token] = /filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition ?? '') ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? token ?? /([^/?]+)(?:\?|$)/.exec(href)?.[1] ?? 'download';
}
