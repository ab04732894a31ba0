import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Profiler, Runtime } from 'node:inspector';
import { within } from '../deadline.ts';
import { keyOf, type RunFunction } from './functions-run.ts';

/** A service that runs with Node's `--inspect`. */
export interface InspectedProcess {
  readonly service: string;
  /** Returns which functions have run since the last call. */
  takeCoverage(): Promise<Profiler.ScriptCoverage[]>;
  /** From now on, records when each function is first called, without pausing the process. */
  noteFirstCalls(functions: readonly RunFunction[]): Promise<void>;
  /** Returns when the functions were first called, by their keys. */
  firstCalls(): Promise<Readonly<Record<string, number>>>;
  close(): void;
}

const connectDeadlineMs = 10_000;

/** Connects to the inspector on a loopback port. */
export async function inspectProcess(service: string, port: number): Promise<InspectedProcess> {
  const { send, close } = await within(
    `The inspector of the ${service} answers`,
    connect(port),
    connectDeadlineMs,
  );
  await send('Profiler.enable');
  await send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    service,
    async takeCoverage() {
      return (await send<Profiler.TakePreciseCoverageReturnType>('Profiler.takePreciseCoverage')).result;
    },
    async noteFirstCalls(functions) {
      const forget = () => send('Runtime.evaluate', { expression: 'globalThis.firstCalls = {}' });
      await send('Debugger.enable');
      await forget();
      for (const each of functions) {
        await send('Debugger.setBreakpoint', {
          location: { scriptId: each.scriptId, ...positionOf(each) },
          // The condition is evaluated at each call. It is falsy, so the process does not pause.
          condition: `void (firstCalls['${keyOf(each)}'] ??= performance.now())`,
        }).catch(tolerateTakenPosition);
      }
      await forget();
    },
    async firstCalls() {
      const { result } = await send<Runtime.EvaluateReturnType>('Runtime.evaluate', {
        expression: 'firstCalls',
        returnByValue: true,
      });
      return result.value as Record<string, number>;
    },
    close,
  };
}

async function connect(port: number) {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await response.json()) as { readonly webSocketDebuggerUrl: string }[];
  if (target === undefined) throw new Error('The inspector lists no process.');
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await once(socket, 'open');
  let lastId = 0;
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data));
    if (error) waiting.get(id)?.reject(new Error(`The inspector refuses: ${error.message}`));
    else waiting.get(id)?.resolve(result);
    waiting.delete(id);
  });
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('The inspector closed the connection.'));
  });
  return {
    close: () => socket.close(),
    send<Answer>(method: string, params: object = {}): Promise<Answer> {
      lastId += 1;
      const answer = Promise.withResolvers<unknown>();
      waiting.set(lastId, answer);
      socket.send(JSON.stringify({ id: lastId, method, params }));
      return answer.promise as Promise<Answer>;
    },
  };
}

/** Ignores a taken breakpoint: an arrow function at the start of another function's body has the same position. */
function tolerateTakenPosition(error: Error): void {
  if (!error.message.includes('already exists')) throw error;
}

/** Node erases types without moving the remaining code, so positions in the file are valid for the running code. */
function positionOf({ file, offset }: RunFunction) {
  const lines = readFileSync(file, 'utf8').slice(0, offset).split('\n');
  return { lineNumber: lines.length - 1, columnNumber: lines.at(-1)?.length ?? 0 };
}

/** Returns the function's name, or its line if it is anonymous. */
export function nameOf(run: RunFunction): string {
  return run.name || `line ${positionOf(run).lineNumber + 1}`;
}
