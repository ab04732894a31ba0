/** Lets a bounded number of jobs run at once, and turns the rest away instead of queueing them. */
export type Admission = <Result>(job: () => Promise<Result>) => Promise<Admitted<Result>>;

export type Admitted<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'turned_away' };

export function createAdmission(inFlightMax: number): Admission {
  let inFlight = 0;
  return async job => {
    if (inFlight >= inFlightMax) {
      return { kind: 'turned_away' };
    }
    inFlight += 1;
    try {
      return { kind: 'done', result: await job() };
    } finally {
      inFlight -= 1;
    }
  };
}
