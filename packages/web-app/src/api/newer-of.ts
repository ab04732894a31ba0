interface Versioned {
  readonly version: number;
}

/** Of two states of one thing the later one, whichever came first. */
export function newerOf<State extends Versioned>(known: State | undefined, given: State): State {
  return known !== undefined && known.version > given.version ? known : given;
}
