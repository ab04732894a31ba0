import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process of the benchmark, and the communication with it. */
export interface Child<Request extends object, Answer extends { readonly type: string }> {
  tell(request: Request): void;
  /** Waits for an answer of a type; fails if the process ends first or the benchmark is aborted. */
  receive<Type extends Answer['type']>(
    type: Type,
    signal: AbortSignal,
  ): Promise<Extract<Answer, { type: Type }>>;
  /** Registers a listener for every answer, awaited or not. */
  onAnswer(listen: (answer: Answer) => void): void;
  stop(): Promise<void>;
}

const stopDeadlineMs = 5_000;
const complaintCharsMax = 4_000;

/** Starts a program of this folder as a child process. If it exits too early, the error includes its standard error. */
export function startChild<Request extends object, Answer extends { readonly type: string }>(
  file: 'lab-process.ts' | 'prober-process.ts',
  nodeOptions: readonly string[] = [],
): Child<Request, Answer> {
  // Measured processes inherit nothing of this process's environment or options.
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    env: {},
    execArgv: [...nodeOptions],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let complaint = '';
  child.stderr?.on('data', (octets: Buffer) => {
    complaint = (complaint + octets.toString('utf8')).slice(-complaintCharsMax);
  });
  child.on('error', () => undefined);
  return {
    tell(request) {
      if (child.connected) {
        child.send(request);
      }
    },
    receive: (type, signal) =>
      new Promise((resolve, reject) => {
        const settle = (act: () => void) => {
          child.off('message', onMessage);
          child.off('close', onClose);
          signal.removeEventListener('abort', onAbort);
          act();
        };
        const onMessage = (answer: Answer) => {
          if (answer.type === type) {
            settle(() => resolve(answer as Extract<Answer, { type: typeof type }>));
          }
        };
        const onClose = () => settle(() => reject(new Error(`${file} ended too early. ${complaint}`.trim())));
        const onAbort = () => settle(() => reject(signal.reason));
        child.on('message', onMessage);
        child.on('close', onClose);
        signal.addEventListener('abort', onAbort, { once: true });
        if (signal.aborted) {
          onAbort();
        } else if (hasEnded(child)) {
          onClose();
        }
      }),
    onAnswer: listen => child.on('message', listen),
    async stop() {
      if (hasEnded(child)) {
        return;
      }
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs);
      await gone;
      clearTimeout(timer);
    },
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}
