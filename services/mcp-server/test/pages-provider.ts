import { signIn } from '@mailproof/dev-house/sign-in-browser';
import type { Customer, ToolHouse } from './house.ts';
import { loopbackRedirect } from './oauth-client.ts';

/** What an SDK keeps between a redirect and its return; each SDK has types of its own for it. */
interface Kept<Client, Tokens, Discovery> {
  client?: Client;
  tokens?: Tokens;
  discovery?: Discovery;
  verifier?: string;
}

/**
 * The `OAuthClientProvider` of a program whose user signs in on the pages: the redirect is walked at once, and what
 * the client would receive at its own address is kept in `returned`.
 */
export class PagesProvider<Client, Tokens, Discovery> {
  readonly redirectUrl = loopbackRedirect;
  readonly clientMetadata;
  readonly authorizationUrls: URL[] = [];
  returned = new URLSearchParams();
  readonly kept: Kept<Client, Tokens, Discovery> = {};
  private readonly house: ToolHouse;
  private readonly customer: Customer;

  constructor(house: ToolHouse, customer: Customer, options: { readonly scope?: string } = {}) {
    this.house = house;
    this.customer = customer;
    this.clientMetadata = {
      client_name: 'SDK client',
      redirect_uris: [loopbackRedirect],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...options,
    };
  }

  state(): string {
    return 'of an SDK client';
  }

  clientInformation(): Client | undefined {
    return this.kept.client;
  }

  saveClientInformation(client: Client): void {
    this.kept.client = client;
  }

  tokens(): Tokens | undefined {
    return this.kept.tokens;
  }

  saveTokens(tokens: Tokens): void {
    this.kept.tokens = tokens;
  }

  saveCodeVerifier(verifier: string): void {
    this.kept.verifier = verifier;
  }

  codeVerifier(): string {
    return this.kept.verifier ?? '';
  }

  saveDiscoveryState(discovery: Discovery): void {
    this.kept.discovery = discovery;
  }

  discoveryState(): Discovery | undefined {
    return this.kept.discovery;
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    this.authorizationUrls.push(url);
    const { redirect } = await signIn(this.house.browser(), url, this.customer);
    this.returned = redirect.searchParams;
  }
}
