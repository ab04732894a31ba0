import { signIn } from '@mailproof/dev-house/sign-in-browser';
import type { Customer, ToolHouse } from './house.ts';
import { loopbackRedirect } from './oauth-client.ts';

/** The state that an SDK keeps between a redirect and the return; each SDK has its own types for it. */
interface Kept<Client, Tokens, Discovery> {
  client?: Client;
  tokens?: Tokens;
  discovery?: Discovery;
  verifier?: string;
}

export interface ProviderOptions {
  readonly scope?: string;
  /** The URL of a metadata document, which the client uses as its id instead of registering. */
  readonly clientMetadataUrl?: string | undefined;
  /** Whether the user signs in only when the test requests it, instead of at every redirect. */
  readonly waits?: boolean;
}

/**
 * The `OAuthClientProvider` of a program whose user signs in on the pages. `returned` contains what the client would
 * receive at its redirect URI.
 */
export class PagesProvider<Client, Tokens, Discovery> {
  readonly redirectUrl = loopbackRedirect;
  readonly clientMetadata;
  readonly authorizationUrls: URL[] = [];
  returned = new URLSearchParams();
  readonly kept: Kept<Client, Tokens, Discovery> = {};
  private readonly house: ToolHouse;
  private readonly customer: Customer;
  readonly clientMetadataUrl?: string;
  private readonly waits: boolean;

  constructor(
    house: ToolHouse,
    customer: Customer,
    { clientMetadataUrl, waits = false, ...options }: ProviderOptions = {},
  ) {
    this.house = house;
    this.customer = customer;
    if (clientMetadataUrl) this.clientMetadataUrl = clientMetadataUrl;
    this.waits = waits;
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
    if (!this.waits) await this.signIn();
  }

  /** Signs in where the client last sent the user. */
  async signIn(): Promise<void> {
    const url = this.authorizationUrls.at(-1);
    if (!url) throw new Error('The client has not sent its user to a page.');
    const { redirect } = await signIn(this.house.browser(), url, this.customer);
    this.returned = redirect.searchParams;
  }

  /** Deletes tokens that the server no longer accepts. */
  invalidateCredentials(kind: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    const { kept } = this;
    if (kind === 'all' || kind === 'tokens') delete kept.tokens;
    if (kind === 'all' || kind === 'client') delete kept.client;
    if (kind === 'all' || kind === 'discovery') delete kept.discovery;
  }
}
