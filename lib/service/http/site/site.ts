/**
 * A sandbox's public client: its credentials stand in .env.example, or are made of its id, for everybody to read.
 * `redirectUri`: where people come back to, where nothing but their intent is needed to send them to the authorization pages.
 */
export type DemoClient = {
  clientId: string;
  clientSecret: string;
  redirectUri: string | undefined;
  webhookUrl: string | undefined;
};

/** What the pages at the API's address say about where they run. */
export type Site = {
  baseUrl: string;
  /** Where the authorization pages and the console are. */
  authUrl: string;
  isSandbox: boolean;
  /** Undefined outside a sandbox, and in one whose client has a secret of its own. */
  credentials: DemoClient | undefined;
};
