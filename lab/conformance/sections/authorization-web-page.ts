import type { Check } from "../check.ts";
import { isDone, must, NotMet, NotReached } from "../findings.ts";
import { hasButton } from "../world/browser.ts";
import { hasEntryField } from "../world/forms.ts";
import {
  addCustomer,
  member,
  memberId,
  mint,
  onboard,
  pageQuery,
  pressAuthorize,
  requireAuthorize,
  sessionTokenOf,
  visitPage,
} from "../world/people.ts";
import type { World } from "../world/world.ts";

const day = 24 * 60 * 60;

/** "Authorization web page", and trusted authentication from "Authentication". */
export const authorizationPageChecks: Check[] = [
  {
    clause: "I.authentication.4",
    statement: 'A user who presses "Authorize" returns with a code.',
    needs: ["control", "pages"],
    run: async (world) => {
      const client = await world.client();
      const arrival = await pressAuthorize(world, client, await onboard(client));
      if (arrival.kind !== "returned") throw new NotReached("The person didn't return.", arrival.exchange);
      must(Boolean(arrival.to.searchParams.get("code")), "The person returned without a code.", arrival.exchange);
    },
  },
  {
    clause: "I.authorization-web-page.5",
    statement: "The person returns to redirect_uri.",
    needs: ["control", "pages"],
    run: async (world) => {
      const client = await world.client();
      const arrival = await pressAuthorize(world, client, await onboard(client));
      // The service's own page can ask for another step.
      const isAtService = arrival.exchange.url.startsWith(world.settings.authUrl);
      if (arrival.kind !== "returned" && isAtService) {
        throw new NotReached("After Authorize the person is still at the service.", arrival.exchange);
      }
      if (arrival.kind !== "returned") throw new NotMet("The person didn't return to redirect_uri.", arrival.exchange);
      const address = `${arrival.to.origin}${arrival.to.pathname}`;
      must(address === client.mailbox.redirectUri, "The person returned to a different URL.", arrival.exchange);
    },
  },
  without("I.authorization-web-page.1", "session_token"),
  without("I.authorization-web-page.2", "user_intent_id"),
  without("I.authorization-web-page.3", "client_id"),
  {
    clause: "I.authorization-web-page.4",
    statement: "The page opens with and without the user_id that the token was issued for.",
    needs: ["control", "pages"],
    run: async (world) => {
      const { client, person } = await member(world);
      const user = { ...person, named: { user_id: await memberId(world) } };
      for (const isNamed of [true, false]) {
        const query = pageQuery(client, user, sessionTokenOf(await mint(client, user)));
        if (!isNamed) delete query["user_id"];
        const { arrival } = await visitPage(world, client, query);
        must(
          arrival.kind === "page",
          `The page didn't open ${isNamed ? "with" : "without"} user_id.`,
          arrival.exchange,
        );
      }
    },
  },
  {
    clause: "I.authorization-web-page.6",
    statement: "The page opens with response_type=code.",
    needs: ["control", "pages"],
    run: async (world) => {
      const client = await world.client();
      const person = await onboard(client);
      const query = pageQuery(client, person, sessionTokenOf(await mint(client, person)));
      const { arrival } = await visitPage(world, client, query);
      if (arrival.kind === "page") return;
      const { response_type: _, ...others } = pageQuery(client, person, sessionTokenOf(await mint(client, person)));
      const second = await visitPage(world, client, others);
      if (second.arrival.kind !== "page") throw new NotReached("The page didn't open.", arrival.exchange);
      throw new NotMet("The page opens only without response_type=code.", arrival.exchange);
    },
  },
  {
    clause: "I.authentication.9",
    statement: "A user who authenticated with the client a minute ago doesn't have to authenticate.",
    needs: ["control", "pages"],
    run: async (world) => {
      const { mustAuthenticate, page, exchange } = await arriveAsCustomer(world, 60);
      if (mustAuthenticate && !hasEntryField(page)) {
        throw new NotReached('This needs a person\'s browser: no form has a button "Authorize".', exchange);
      }
      must(!mustAuthenticate, "The page makes a user authenticate who just did.", exchange);
    },
  },
  {
    clause: "I.limits.8",
    statement: "The page requires no authentication 29 days after the last one, and requires it after 31.",
    needs: ["control", "pages"],
    run: async (world) => {
      if ((await arriveAsCustomer(world, 60)).mustAuthenticate)
        throw new NotReached("The page makes everyone authenticate.");
      const before = await arriveAsCustomer(world, 29 * day);
      must(!before.mustAuthenticate, "The page asks for authentication 29 days after the last one.", before.exchange);
      const after = await arriveAsCustomer(world, 31 * day);
      must(
        after.mustAuthenticate,
        "The page doesn't ask for authentication 31 days after the last one.",
        after.exchange,
      );
    },
  },
  {
    clause: "I.customer-record.4",
    statement: "A customer with a different phone isn't trusted.",
    needs: ["control", "pages"],
    run: async (world) => {
      await requireAuthorize(world);
      const { mustAuthenticate, exchange } = await arriveAsCustomer(world, 60, { phone: "+12025550199" });
      must(mustAuthenticate, "A user with another phone reached the page without authenticating.", exchange);
    },
  },
  {
    clause: "I.get-v1-customers-{customer-id}.2",
    statement: "A customer record without a last-authenticated time isn't trusted.",
    needs: ["control", "pages"],
    run: async (world) => {
      await requireAuthorize(world);
      const { mustAuthenticate, exchange } = await arriveAsCustomer(world, 60, { lastAuthenticationTime: undefined });
      must(mustAuthenticate, "A user reached the page without ever authenticating.", exchange);
    },
  },
];

function without(clause: string, parameter: string): Check {
  return {
    clause,
    statement: `Without ${parameter} no user can authorize.`,
    needs: ["control", "pages"],
    run: async (world) => {
      await requireAuthorize(world);
      const client = await world.client();
      const person = await onboard(client);
      const query = pageQuery(client, person, sessionTokenOf(await mint(client, person)));
      delete query[parameter];
      const { arrival } = await visitPage(world, client, query);
      must(!hasButton(arrival, "Authorize"), `The page opened without ${parameter}.`, arrival.exchange);
    },
  };
}

/** Sends this customer to the page and says whether they must authenticate first. A service may also mint no token. */
async function arriveAsCustomer(world: World, secondsAgo: number, changes: Record<string, unknown> = {}) {
  const client = await world.client();
  const { phone, named } = await onboard(client);
  const person = { phone, named, customerId: addCustomer(client, phone, secondsAgo, changes) };
  const isTrustworthy = Object.keys(changes).length === 0 && secondsAgo < 30 * day;
  const minted = await mint(client, person);
  // A service can blame the customer endpoint for a record that it doesn't trust, as ours does (D11).
  const isRefused = (minted.answer.status === 502 && !isTrustworthy) || !isDone(minted);
  if (isRefused && isTrustworthy && secondsAgo === 60) {
    throw new NotReached("No Partner Identity Verification Token was issued.", minted);
  }
  const query = isRefused ? undefined : pageQuery(client, person, sessionTokenOf(minted));
  const arrival = query && (await visitPage(world, client, query)).arrival;
  const mustAuthenticate = !arrival || !hasButton(arrival, "Authorize");
  const path = `/v1/customers/${person.customerId}`;
  if (mustAuthenticate && !client.mailbox.customerRequests.some((request) => request.path === path)) {
    throw new NotReached("The customer endpoint wasn't called for this person.", minted);
  }
  if (isTrustworthy && arrival && arrival.kind !== "page") {
    throw new NotReached("The page didn't open.", arrival.exchange);
  }
  return {
    mustAuthenticate,
    page: arrival?.kind === "page" ? arrival.html : "",
    exchange: arrival?.exchange ?? minted,
  };
}
