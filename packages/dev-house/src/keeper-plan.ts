/** The servers that the parent tells the keeper to run, and their settings. */
export interface KeeperPlan {
  readonly projectRoot: string;
  readonly stateDir: string;
  readonly installationId: string;
  /** Whether data must survive: not in tests, which need speed, but with `npm start`. */
  readonly isDurable: boolean;
  /** Whether the keeper deletes the state directory at the end. */
  readonly removeStateDirAfterward?: boolean;
  readonly postgresPassword?: string;
  /** The folder of the machine's own Postgres, to use instead of the packaged one. */
  readonly postgresPrograms?: string;
  readonly redis?: { readonly program: string; readonly password: string };
}

export type MessageToKeeper =
  | { readonly type: 'run'; readonly plan: KeeperPlan }
  /** A process that must not outlive the parent, or a process group if the number is negative. */
  | { readonly type: 'watch' | 'unwatch'; readonly pid: number };

export type MessageFromKeeper =
  /** Sent when a server's process exists, before it is ready. */
  | { readonly type: 'pid'; readonly pid: number; readonly server: ServerName }
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'ready'; readonly databaseAdminUrl?: string; readonly redisUrl?: string }
  | { readonly type: 'failed'; readonly message: string };

export type ServerName = 'postgres' | 'redis';

/** A database server that the keeper owns. */
export interface RunningServer {
  readonly pid: number;
  readonly url: string;
  stop(): Promise<void>;
}
