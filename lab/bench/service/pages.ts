import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { sealSession, sessionCookie } from "../../../lib/partner/people/session-cookie.ts";
import { partner } from "../../../lib/partner/process-partner.ts";
import { beginRead, connectServiceUser } from "../../../lib/partner/storage/service-users.ts";
import { storeTokenPair } from "../../../lib/partner/storage/token-pairs.ts";
import { createPerson } from "../../../lib/partner/testing/people.ts";
import { visitCookieName, visitPath } from "../../../lib/service/pages/visit-cookie.ts";
import { database } from "../../../lib/service/storage/database.ts";
import { createTestClient } from "../../../lib/service/testing/clients.ts";
import { insertTestUser } from "../../../lib/service/testing/people.ts";
import { insertTestSeller } from "../../../lib/service/testing/routines.ts";
import { issueTestTokens } from "../../../lib/service/testing/tokens.ts";
import { openTestVisit } from "../../../lib/service/testing/visits.ts";
import { freePort } from "../../../scripts/embedded-postgres.ts";
import { runStatements } from "../../../scripts/run-statements.ts";
import type { Reaper } from "../../crash/processes/start-reaper.ts";
import { startProcess } from "../processes/start-process.ts";
import { startFlags } from "./settings.ts";
import type { BenchService } from "./start-service.ts";

export type BenchPage = { name: string; origin: string; path: string; cookie: string };

const server = fileURLToPath(new URL("../../../server.ts", import.meta.url));

/** Starts both apps' pages in one process, and prepares a visitor for each measured page. */
export async function startPages(
  service: BenchService,
  reaper: Reaper,
  distDir: string,
): Promise<{ pid: number; pages: BenchPage[] }> {
  const client = await createTestClient();
  // A production process refuses a database with sandbox data.
  await database().execute(sql`update users set email = 'business@bench.example' where id = ${client.businessUserId}`);
  const partnerUrl = `http://127.0.0.1:${await freePort()}`;
  const authUrl = `http://127.0.0.1:${await freePort()}`;
  const [serviceUrl = ""] = service.origins;
  const random = () => randomBytes(32).toString("hex");
  const settings = {
    ...service.settings,
    SERVICE_BASE_URL: serviceUrl,
    SERVICE_AUTH_URL: authUrl,
    PARTNER_BASE_URL: partnerUrl,
    PARTNER_DATABASE_URL: await createDatabase(service.cluster.url, "partner"),
    PARTNER_SERVICE_NAME: "Plainbook",
    PARTNER_SERVICE_BASE_URL: serviceUrl,
    PARTNER_SERVICE_AUTH_URL: authUrl,
    PARTNER_CLIENT_ID: client.clientId,
    PARTNER_CLIENT_SECRET: client.clientSecret,
    PARTNER_PROVIDER: client.provider,
    PARTNER_CUSTOMER_ENDPOINT_SECRET: client.customerEndpointSecret,
    PARTNER_WEBHOOK_SECRET: client.webhookSecret,
    PARTNER_BUSINESS_USER_ID: client.businessUserId,
    PARTNER_BUSINESS_USER_PHONE: client.businessUserPhone,
    PARTNER_ENCRYPTION_KEYS: `bench-1:${randomBytes(32).toString("base64")}`,
    PARTNER_SESSION_SECRET: random(),
    PARTNER_SANDBOX: "off",
    NEXT_DIST_DIR: distDir,
  };
  const env = { ...settings, ROLES: "partner,service-web" };
  const { pid } = await startProcess(server, { name: "pages", env, reaper, flags: startFlags() });

  // From here on, this process also acts as Harbor.
  Object.assign(process.env, settings, { LOG_LEVEL: "silent" });
  const { userId } = await insertTestSeller(client);
  const { accessToken, refreshToken } = await issueTestTokens(client, userId);
  const person = await createPerson();
  const record = { status: "approved", userType: "personal", firstName: "Marta", lastName: "Quay" };
  await connectServiceUser(partner().db, { id: userId, personId: person.id, ...record }, await beginRead(partner().db));
  await storeTokenPair(partner().config.keyring, partner().db, userId, {
    ...{ access_token: accessToken, refresh_token: refreshToken, token_type: "Bearer", expires_in: 7200 },
  });
  const visitor = await insertTestUser(client);
  const { visitId, visitSecret } = await openTestVisit(client, visitor);
  const signedIn = `${sessionCookie(partner()).name}=${await sealSession(partner(), person.id)}`;
  const pages = [
    { name: "sign-up", origin: partnerUrl, path: "/sign-up", cookie: "" },
    { name: "dashboard", origin: partnerUrl, path: "/dashboard", cookie: signedIn },
    {
      name: "consent",
      origin: authUrl,
      path: visitPath(visitId),
      cookie: `${visitCookieName(visitId)}=${visitSecret}`,
    },
  ];
  return { pid, pages };
}

async function createDatabase(clusterUrl: string, name: string): Promise<string> {
  await runStatements(clusterUrl, `create database ${name}`);
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return url.href;
}
