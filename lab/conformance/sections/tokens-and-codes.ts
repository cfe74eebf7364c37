import { limits } from "../../../lib/contract/limits.ts";
import type { Check } from "../check.ts";
import { isDone, must, mustBeRefused, mustSucceed, NotReached } from "../findings.ts";
import { hasButton } from "../world/browser.ts";
import type { Client } from "../world/client.ts";
import {
  authorize,
  connect,
  exchangeCode,
  isTaken,
  mint,
  onboard,
  type Person,
  pageQuery,
  readUser,
  refreshTokens,
  requireAuthorize,
  requireTokens,
  sessionTokenOf,
  type Tokens,
  tokensOf,
  visitPage,
} from "../world/people.ts";
import { findText } from "../world/read-answer.ts";
import type { World } from "../world/world.ts";

const { accessTokenSeconds, refreshTokenSeconds, identityVerificationTokenSeconds } = limits;
const minute = 60;
// "several minutes": still valid after one, expired after an hour.
const [codeLivesSeconds, codeIsDeadSeconds] = [minute, 60 * minute];
// Tests a lifetime this long before and after its end.
const marginSeconds = 20;

/** "Resources: Tokens and codes", "POST /v1/oauth/token", and lifetimes from "Limits". */
export const tokenChecks: Check[] = [
  {
    clause: "I.post-v1-oauth-token.1",
    statement: "A code is exchanged for an access_token and a refresh_token.",
    needs: ["control", "pages"],
    run: async (world) => {
      const { client, person } = await createPerson(world);
      const exchange = await exchangeCode(client, await authorize(world, client, person));
      mustSucceed(exchange, "A new code couldn't be exchanged.");
      const { json } = exchange.answer;
      for (const name of ["access_token", "refresh_token"]) {
        must(findText(json, [name]) !== undefined, `The answer has no ${name}.`, exchange);
      }
    },
  },
  {
    clause: "I.post-v1-oauth-token.2",
    statement: "A refresh_token is exchanged for a new access_token and a new refresh_token.",
    needs: ["control", "pages"],
    run: async (world) => {
      const { client, tokens } = await connected(world);
      const exchange = await refreshTokens(client, tokens.refresh);
      mustSucceed(exchange, "A valid refresh_token was refused.");
      const [access, refresh] = ["access_token", "refresh_token"].map((name) => findText(exchange.answer.json, [name]));
      must(access !== undefined && access !== tokens.access, "There is no new access_token.", exchange);
      must(refresh !== undefined && refresh !== tokens.refresh, "There is no new refresh_token.", exchange);
      const { taken, exchange: read } = await isTaken(world, access ?? "");
      must(taken, "The new access_token isn't accepted.", read);
    },
  },
  {
    clause: "I.tokens-and-codes.1",
    statement: "A code is exchanged once.",
    needs: ["control", "pages"],
    run: async (world) => {
      const { client, person } = await createPerson(world);
      const code = await authorize(world, client, person);
      tokensOf(await exchangeCode(client, code));
      mustBeRefused(await exchangeCode(client, code), "A code was exchanged twice.");
    },
  },
  {
    clause: "I.tokens-and-codes.2",
    statement: "Only one access_token of a user is valid at a time.",
    needs: ["control", "pages"],
    run: async (world) => {
      const { client, tokens } = await connected(world);
      const next = tokensOf(await refreshTokens(client, tokens.refresh));
      if (next.access === tokens.access) throw new NotReached("No new access_token was issued.");
      await requireTokens(world);
      mustBeRefused(
        await readUser(world, tokens.access),
        "An access_token is still valid after a newer one was issued.",
      );
    },
  },
  {
    clause: "I.tokens-and-codes.3",
    statement: "A refresh_token can be used again until it expires.",
    needs: ["control", "pages"],
    run: async (world) => {
      const { client, tokens } = await connected(world);
      tokensOf(await refreshTokens(client, tokens.refresh));
      mustSucceed(await refreshTokens(client, tokens.refresh), "A refresh_token was refused on its second use.");
    },
  },
  {
    clause: "I.tokens-and-codes.4",
    statement: "A Partner Identity Verification Token is used once.",
    needs: ["control", "pages"],
    run: async (world) => {
      await requireAuthorize(world);
      const { client, person } = await createPerson(world);
      const query = pageQuery(client, person, sessionTokenOf(await mint(client, person)));
      await visitPage(world, client, query);
      const { arrival } = await visitPage(world, client, query);
      must(!hasButton(arrival, "Authorize"), "The page opened twice with one token.", arrival.exchange);
    },
  },
  {
    clause: "I.limits.4",
    statement: "A code can be exchanged after a minute and not after an hour.",
    needs: ["control", "pages", "clock"],
    run: async (world) => {
      const { client, person } = await personWithClock(world);
      tokensOf(await exchangeCode(client, await authorize(world, client, person)));
      const young = await authorize(world, client, person);
      await client.advanceClock(codeLivesSeconds);
      mustSucceed(await exchangeCode(client, young), "A code was refused after a minute.");
      const old = await authorize(world, client, person);
      await client.advanceClock(codeIsDeadSeconds);
      mustBeRefused(await exchangeCode(client, old), "A code was exchanged an hour after it was issued.");
    },
  },
  {
    clause: "I.limits.5",
    statement: "An access_token lives 2 hours.",
    needs: ["control", "pages", "clock"],
    run: async (world) => {
      const { before, after } = await accessTokenAtItsEnd(world);
      mustSucceed(before, "An access_token was refused within 2 hours.");
      must(!isDone(after), "An access_token was accepted after 2 hours.", after);
    },
  },
  {
    clause: "I.errors.1",
    statement: "An expired access_token produces an error that the client can act on.",
    needs: ["control", "pages", "clock"],
    run: async (world) => {
      const { after } = await accessTokenAtItsEnd(world);
      const { status } = after.answer;
      if (isDone(after)) return;
      must(status >= 400 && status < 500, `An expired access_token returns ${status}.`, after);
    },
  },
  {
    clause: "I.limits.6",
    statement: "A refresh_token lives 10 days.",
    needs: ["control", "pages", "clock"],
    run: async (world) => {
      const { client, tokens } = await connectedWithClock(world);
      const { refresh } = tokensOf(await refreshTokens(client, tokens.refresh));
      await client.advanceClock(refreshTokenSeconds - marginSeconds);
      mustSucceed(await refreshTokens(client, refresh), "A refresh_token was refused within 10 days.");
      await client.advanceClock(2 * marginSeconds);
      mustBeRefused(await refreshTokens(client, refresh), "A refresh_token was accepted after 10 days.");
    },
  },
  {
    clause: "I.limits.7",
    statement: "A Partner Identity Verification Token lives 1 minute.",
    needs: ["control", "pages", "clock"],
    run: async (world) => {
      await requireAuthorize(world);
      const { client, person } = await personWithClock(world);
      const young = sessionTokenOf(await mint(client, person));
      await client.advanceClock(identityVerificationTokenSeconds - marginSeconds);
      const inTime = await visitPage(world, client, pageQuery(client, person, young));
      const isOpen = hasButton(inTime.arrival, "Authorize");
      must(isOpen, "The page refused a token within a minute.", inTime.arrival.exchange);
      const old = sessionTokenOf(await mint(client, person));
      await client.advanceClock(identityVerificationTokenSeconds + marginSeconds);
      const { arrival } = await visitPage(world, client, pageQuery(client, person, old));
      must(!hasButton(arrival, "Authorize"), "The page opened with a token after a minute.", arrival.exchange);
    },
  },
  {
    clause: "I.authentication.11",
    statement: "When the access_token has expired, trusted authentication gives a new pair.",
    needs: ["control", "pages", "clock"],
    run: async (world) => {
      const { client, person, tokens } = await connectedWithClock(world);
      await client.advanceClock(accessTokenSeconds + marginSeconds);
      const next = await connect(world, client, person);
      const { taken, exchange } = await isTaken(world, next.access);
      must(taken, "The new access_token isn't accepted.", exchange);
      must(next.access !== tokens.access, "It's the old access_token again.", exchange);
    },
  },
];

function accessTokenAtItsEnd(world: World) {
  return world.once("expired access token", async () => {
    await requireTokens(world);
    const { client, tokens } = await connectedWithClock(world);
    await client.advanceClock(accessTokenSeconds - marginSeconds);
    const before = await readUser(world, tokens.access);
    await client.advanceClock(2 * marginSeconds);
    return { before, after: await readUser(world, tokens.access) };
  });
}

async function createPerson(world: World): Promise<{ client: Client; person: Person }> {
  const client = await world.client();
  return { client, person: await onboard(client) };
}

async function personWithClock(world: World): Promise<{ client: Client; person: Person }> {
  const client = await world.freshClient();
  return { client, person: await onboard(client) };
}

async function connected(world: World): Promise<{ client: Client; tokens: Tokens }> {
  const { client, person } = await createPerson(world);
  return { client, tokens: await connect(world, client, person) };
}

async function connectedWithClock(world: World): Promise<{ client: Client; person: Person; tokens: Tokens }> {
  const { client, person } = await personWithClock(world);
  return { client, person, tokens: await connect(world, client, person) };
}
