import { limits } from "../../../lib/contract/limits.ts";
import { messageList } from "../../../lib/contract/sandbox.ts";
import type { Check } from "../check.ts";
import { must, NotReached } from "../findings.ts";
import { hasButton } from "../world/browser.ts";
import {
  addCustomer,
  authorize,
  connect,
  createIntent,
  exchangeCode,
  intentIdOf,
  mint,
  newIntentFields,
  onboard,
  pageQuery,
  preRegister,
  readUser,
  refreshTokens,
  sessionTokenOf,
  tokensOf,
  visitPage,
} from "../world/people.ts";
import { fieldsOf, findText } from "../world/read-answer.ts";
import { readUntil } from "../world/until.ts";
import { decisionsThatNeed, fits, refusedAs } from "./decision.ts";

const decision = decisionsThatNeed("control", "pages");

const day = 24 * 60 * 60;

/** D5 to D10 and D15: webhooks about people, authorization pages, and token expiry. */
export const peopleDecisions: Check[] = [
  decision("D5.11", "429 rate_limited has retry-after.", async (world) => {
    const client = await world.freshClient();
    await client.control("PUT", "/sandbox/faults", { operation: "createUserIntent", status: 429, times: 1 });
    const exchange = await createIntent(client, newIntentFields());
    refusedAs(exchange, 429, "rate_limited");
    must(Number(exchange.answer.headers.get("retry-after")) > 0, "There's no retry-after.", exchange);
  }),
  decision(
    "D7.5",
    "Webhooks are sent when an intent is decided and when a user changes, but not for a conversion.",
    async (world) => {
      const client = await world.freshClient();
      const fields = newIntentFields();
      const intentId = intentIdOf(await createIntent(client, fields));
      for (const status of ["retry", "approved"]) {
        await client.control("POST", `/sandbox/user_intents/${intentId}/status`, { status });
      }
      const customerId = addCustomer(client, String(fields["phone"]));
      const person = { customerId, phone: String(fields["phone"]), named: { user_intent_id: intentId } };
      const { access } = await connect(world, client, person);
      const minted = await mint(client, person);
      must(minted.answer.status === 200, "The intent's id no longer stands for its user.", minted);
      const userId = findText((await readUser(world, access)).answer.json, ["id"]);
      for (const status of ["suspended", "approved"]) {
        await client.control("POST", `/sandbox/users/${userId}/status`, { status });
      }
      const typesOf = () => client.mailbox.webhooks.map(({ fields }) => String(fields["webhook_type"])).sort();
      const expected = ["user_intent_updated", "user_updated", "user_updated"].join();
      const types = await readUntil(
        async () => typesOf().join(),
        (found) => found === expected,
      );
      must(types === expected, `Received: ${types || "nothing"}.`);
    },
  ),
  decision("D7.8", "A decision after conversion applies to the user and the intent.", async (world) => {
    const client = await world.freshClient();
    const { intentId, ...person } = await preRegister(client);
    const { access } = await connect(world, client, person);
    const userId = findText((await readUser(world, access)).answer.json, ["id"]);
    const rejection_reasons = [{ code: "document_unreadable", message: "The photo couldn't be read." }];
    const body = { status: "rejected", rejection_reasons };
    await client.control("POST", `/sandbox/users/${userId}/status`, body);
    const expected = { ...body, user_id: userId };
    const read = await client.send({ method: "GET", to: `/v1/user_intent/${intentId}` });
    for (const [name, value] of Object.entries(expected)) {
      const isSo = JSON.stringify(fieldsOf(read.answer.json)[name]) === JSON.stringify(value);
      must(isSo, `The intent lacks the ${name} of its user.`, read);
    }
    for (const resourceId of [intentId, userId]) {
      const webhook = await client.mailbox.waitFor(({ fields }) => fields["resource_id"] === resourceId);
      must(webhook?.fields["user_id"] === userId, "The intent or the user has no webhook.", read);
    }
  }),
  decision("D9.6", "Status retry asks for the SSN, and status document for a photo ID.", async (world) => {
    const client = await world.client();
    const fieldByStatus = { retry: /<input\b[^>]*name="[^"]*ssn/i, document: /<input\b[^>]*type="file"/i };
    for (const [status, field] of Object.entries(fieldByStatus)) {
      const person = await onboard(client, { status });
      const query = pageQuery(client, person, sessionTokenOf(await mint(client, person)));
      const { arrival } = await visitPage(world, client, query);
      if (arrival.kind !== "page") throw new NotReached("The page didn't open.", arrival.exchange);
      const isStep = field.test(arrival.html) && !hasButton(arrival, "Authorize");
      must(isStep, `A person with status ${status} isn't asked for it.`, arrival.exchange);
    }
  }),
  decision("D9.8", "A phone gets ten texts an hour; after that, a visit opens without one.", async (world) => {
    const client = await world.freshClient();
    const { phone, named } = await onboard(client);
    const customerId = addCustomer(client, phone, 40 * day);
    const open = async () => {
      const query = pageQuery(client, { named }, sessionTokenOf(await mint(client, { named, customerId })));
      return (await visitPage(world, client, query)).arrival;
    };
    for (let visits = 0; visits < limits.verificationPhoneTextsPerHourMax; visits += 1) await open();
    const last = await open();
    must(last.kind === "page", "The visit after the tenth text doesn't open.", last.exchange);
    const exchange = await client.control("GET", `/sandbox/messages?phone=${encodeURIComponent(phone)}`);
    fits(messageList, exchange);
    const { messages } = messageList.parse(exchange.answer.json);
    const isWithin = messages.length === limits.verificationPhoneTextsPerHourMax;
    must(isWithin, `${messages.length} texts were sent.`, exchange);
  }),
  decision("D10.4", "Tokens are long, show their kind, and aren't accepted in a URL.", async (world) => {
    const client = await world.client();
    const person = await onboard(client);
    const session = sessionTokenOf(await mint(client, person));
    const code = await authorize(world, client, person);
    const issued = await exchangeCode(client, code);
    const { access, refresh } = tokensOf(issued);
    const all = [session, code, access, refresh];
    const parts = all.map((token) => /^([a-z]+)_([\w-]{43,})$/.exec(token));
    must(
      new Set(parts.map((part) => part?.[1])).size === all.length,
      "Different kinds of tokens look the same.",
      issued,
    );
    must(
      parts.every((part) => part),
      "Tokens are shorter than 256 bits.",
      issued,
    );
    const exchange = await world.send({ method: "GET", to: `/v1/user?access_token=${access}` });
    refusedAs(exchange, 401, "missing_token");
  }),
  decision("D10.6", "Ending an authorization ends its tokens and any unexchanged code.", async (world) => {
    const client = await world.client();
    const person = await onboard(client);
    const first = await connect(world, client, person);
    const tokens = tokensOf(await refreshTokens(client, first.refresh));
    const code = await authorize(world, client, person);
    const revoked = await client.send({ method: "POST", to: "/v1/oauth/revoke", form: { token: first.refresh } });
    must(revoked.answer.status === 200, `Revoking returns ${revoked.answer.status}.`, revoked);
    refusedAs(await readUser(world, tokens.access), 401, "invalid_token");
    for (const exchange of [
      await refreshTokens(client, first.refresh),
      await refreshTokens(client, tokens.refresh),
      await exchangeCode(client, code),
    ]) {
      must(fieldsOf(exchange.answer.json)["error"] === "invalid_grant", "Part of it is still valid.", exchange);
    }
  }),
  {
    ...decision(
      "D15.1",
      "A client's clock affects only its own data; webhooks have real time; a reset ends tokens.",
      async (world) => {
        const [client, otherClient] = [await world.freshClient(), await world.client()];
        const otherToken = await connect(world, otherClient, await onboard(otherClient));
        await client.advanceClock(day);
        const { access } = await connect(world, client, await onboard(client));
        const untouched = await readUser(world, otherToken.access);
        must(untouched.answer.status === 200, "Another client's token expired too.", untouched);
        const webhook = await client.mailbox.waitFor(() => true);
        if (!webhook) throw new NotReached("No webhook arrived.");
        const late = Math.abs(Date.now() / 1000 - Number(webhook.headers["webhook-timestamp"]));
        must(late < day / 2, "webhook-timestamp isn't in real time.", webhook.exchange);
        const reset = await client.control("POST", "/sandbox/clock/reset");
        must(fieldsOf(reset.answer.json)["offset_seconds"] === 0, "The clock is still ahead.", reset);
        const after = await readUser(world, access);
        must(after.answer.status === 401, "A token survives the reset.", after);
      },
    ),
    needs: ["control", "pages", "clock"],
  },
];
