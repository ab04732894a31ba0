import type { Customer } from '../house.ts';
import type { Stage } from './stage.ts';

/** A program that people connect to the tools. */
export interface ClientProgram {
  readonly name: string;
  /** Whether parallel calls share one refresh, instead of sending one each. */
  readonly sharesRefreshes: boolean;
  /** Starts the program as on a new machine, and connects it: its user signs in on the pages. */
  connect(parts: {
    readonly stage: Stage;
    readonly customer: Customer;
    /** Uses a metadata document instead of a registration. */
    readonly documentUrl?: string;
  }): Promise<ConnectedClient>;
}

/** The running program. */
export interface ConnectedClient {
  /** Calls the status tool and returns its structured content. Rejects when the program reports a failure. */
  callTool(): Promise<unknown>;
  /** How many times it has sent its user to the sign-in page. */
  signInsAsked(): number;
  /** Signs in where the program last sent its user. */
  signInAgain(): Promise<void>;
  /** What the program sends when it refreshes. */
  kept(): Promise<Kept>;
  close(): Promise<void>;
}

export interface Kept {
  readonly clientId: string;
  readonly refreshToken: string;
}
