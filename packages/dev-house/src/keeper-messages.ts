/** What the keeper is to run, as its parent tells it. */
export interface KeeperPlan {
  readonly projectRoot: string;
  readonly stateDir: string;
  readonly installationId: string;
  /** Tests want speed and nothing afterwards; a start wants its data back tomorrow. */
  readonly isDurable: boolean;
  /** For a parent whose state directory is of no use to anybody after it. */
  readonly removeStateDirAfterwards?: boolean;
  readonly postgresPassword?: string;
  /** The folder of a Postgres of the machine, in place of the packaged one. */
  readonly postgresPrograms?: string;
  readonly redis?: { readonly program: string; readonly password: string };
}

export type MessageToKeeper =
  | { readonly type: 'run'; readonly plan: KeeperPlan }
  /** Another process, or with a negative number a group of them, that must not outlive the parent. */
  | { readonly type: 'watch' | 'unwatch'; readonly pid: number };

export type MessageFromKeeper =
  /** A server exists from now on; sent before it is ready. */
  | { readonly type: 'pid'; readonly pid: number; readonly server: ServerName }
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'ready'; readonly databaseAdminUrl?: string; readonly redisUrl?: string }
  | { readonly type: 'failed'; readonly message: string };

export type ServerName = 'postgres' | 'redis';
