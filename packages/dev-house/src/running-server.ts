/** A database server that the keeper owns. */
export interface RunningServer {
  readonly pid: number;
  readonly url: string;
  stop(): Promise<void>;
}
