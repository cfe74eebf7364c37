/** The credentials of a sandbox's public client: those that stand in .env.example for everybody to read. */
export type DemoCredentials = { clientId: string; clientSecret: string };

/** What the pages at the API's address say about where they run. */
export type Site = {
  baseUrl: string;
  /** Where the authorization pages and the console are. */
  authUrl: string;
  isSandbox: boolean;
  /** Undefined outside a sandbox, and in one whose client has a secret of its own. */
  credentials: DemoCredentials | undefined;
};
