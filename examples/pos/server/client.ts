// The published client, with the tokens that it needs. Tokens stay in this process; no browser sees one.
import { GustoEmbedded } from '@gusto/embedded-api';
import { config } from './config';

const credentials = { clientId: config.clientId, clientSecret: config.clientSecret };
const serverURL = config.base;
/** Renewed that long before it ends, so that no request starts with a token that is about to. */
const AHEAD_MS = 5 * 60_000;

export interface Granted {
  accessToken?: string;
  refreshToken?: string | null;
  expiresIn?: number;
}

/** A token that is renewed when its time is nearly up; callers that come together share one renewal. */
export class Token {
  private value = '';
  private until = 0;
  private refresh?: string | null;
  private pending?: Promise<void>;

  constructor(private readonly renew: (refresh?: string | null) => Promise<Granted>, first?: Granted) {
    if (first) this.take(first);
  }

  async current(): Promise<string> {
    if (Date.now() >= this.until) {
      this.pending ??= this.renew(this.refresh).then((next) => this.take(next)).finally(() => (this.pending = undefined));
      await this.pending;
    }
    return this.value;
  }

  private take({ accessToken, refreshToken, expiresIn }: Granted): void {
    if (!accessToken || !expiresIn) throw new Error('the service granted no token');
    this.value = accessToken;
    this.refresh = refreshToken;
    this.until = Date.now() + expiresIn * 1000 - AHEAD_MS;
  }
}

const anonymous = new GustoEmbedded({ serverURL });

async function granted(request: { grantType: 'system_access' } | { grantType: 'refresh_token'; refreshToken: string }): Promise<Granted> {
  const { authentication } = await anonymous.introspection.oauthAccessToken({ requestBody: { ...credentials, ...request } });
  return authentication ?? {};
}

const system = new Token(() => granted({ grantType: 'system_access' }));

/** What calls of the application itself are authorized by: creating companies, subscribing to webhooks. */
export const asApplication = async () => ({ systemAccessAuth: await system.current() });

/** The token of a company, from what came with its creation. */
export const companyToken = (first: Granted) =>
  new Token((refresh) => granted({ grantType: 'refresh_token', refreshToken: refresh ?? '' }), first);

/** The client of one company. */
export const clientOf = (token: Token) => new GustoEmbedded({ serverURL, companyAccessAuth: () => token.current() });

/** The client for calls of the application. */
export const application = anonymous;
