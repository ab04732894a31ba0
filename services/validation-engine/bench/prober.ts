/** Something that says of an address whether mail to it would arrive. */
export interface Prober {
  probe(address: string): Promise<Said>;
  /** Takes leave of all hosts. */
  close(): Promise<void>;
}

export interface Said {
  readonly result: string;
  /** Undefined where the prober knows results only. */
  readonly reason?: string;
}
