/** Decides whether mail to an address would arrive. */
export interface Prober {
  probe(address: string): Promise<Said>;
  /** Ends the sessions with all hosts. */
  close(): Promise<void>;
}

export interface Said {
  readonly result: string;
  /** Undefined if the prober reports only results. */
  readonly reason?: string;
}
