/** Decides whether mail to an address would arrive. */
export interface Prober {
  probe(address: string): Promise<ProberAnswer>;
  /** Ends the sessions with all hosts. */
  close(): Promise<void>;
}

export interface ProberAnswer {
  readonly result: string;
  /** Undefined if the prober reports only results. */
  readonly reason?: string;
}
