import type { Check } from "../check.ts";
import { isDone, must, mustBeRefused, mustSucceed, NotReached } from "../findings.ts";
import { addCustomer, authorize, member, memberId, mint, onboard } from "../world/people.ts";
import { fieldsOf } from "../world/read-answer.ts";
import { requireReachable, type World } from "../world/world.ts";

/** "POST /v1/partner/identity/verification" and its call to the customer endpoint. */
export const identityVerificationChecks: Check[] = [
  {
    clause: "I.post-v1-partner-identity-verification.1",
    statement: "The answer is an object with token, a string.",
    needs: ["control"],
    run: async (world) => {
      const { minted } = await mintOnce(world);
      if (!isDone(minted)) throw new NotReached("No Partner Identity Verification Token was issued.", minted);
      const token = fieldsOf(minted.answer.json)["token"];
      must(typeof token === "string" && token !== "", "The answer has no token.", minted);
    },
  },
  {
    clause: "I.post-v1-partner-identity-verification.3",
    statement: "The service requests provider_data's customer_id from the customer endpoint.",
    needs: ["control"],
    run: async (world) => {
      const { customerRequests, customerId, minted } = await mintOnce(world);
      if (customerRequests.length === 0) throw new NotReached("The customer endpoint wasn't called.", minted);
      const isForCustomer = customerRequests.some(({ path }) => path.includes(customerId));
      must(isForCustomer, "The customer endpoint was called for another customer.", minted);
    },
  },
  {
    clause: "I.post-v1-partner-identity-verification.4",
    statement: "A token is issued for a user_id.",
    needs: ["control", "pages"],
    run: async (world) => {
      const { client, person } = await member(world);
      const minted = await mint(client, { ...person, named: { user_id: await memberId(world) } });
      mustSucceed(minted, "No token was issued for a user_id.");
    },
  },
  {
    clause: "I.post-v1-partner-identity-verification.5",
    statement: "A token is issued for a user_intent_id.",
    needs: ["control"],
    run: async (world) => {
      const { minted, customerRequests, customerId } = await mintOnce(world);
      // How the customer endpoint is called belongs to another clause.
      const isForCustomer =
        customerRequests.length === 0 || customerRequests.some(({ path }) => path === `/v1/customers/${customerId}`);
      if (!isDone(minted) && !isForCustomer) {
        throw new NotReached("No token was minted, and the customer endpoint was called for another customer.", minted);
      }
      mustSucceed(minted, "No token was issued for a user_intent_id.");
    },
  },
  {
    clause: "I.post-v1-partner-identity-verification.6",
    statement: "Sending both user_id and user_intent_id, or neither, is refused.",
    needs: ["control", "pages"],
    run: async (world) => {
      const { client, person } = await member(world);
      const both = { ...person.named, user_id: await memberId(world) };
      mustBeRefused(await mint(client, { ...person, named: both }), "A token was issued for both ids.");
      const neither = {} as { user_id: string };
      mustBeRefused(await mint(client, { ...person, named: neither }), "A token was issued for neither id.");
    },
  },
  {
    clause: "I.get-v1-customers-{customer-id}.1",
    statement: "The service calls GET /v1/customers/{customer_id}.",
    needs: ["control", "pages"],
    run: async (world) => {
      const { client, person, minted } = await mintOnce(world);
      // The service must ask before the person returns.
      await authorize(world, client, person).catch(() => undefined);
      const requests = client.mailbox.customerRequests;
      if (requests.length === 0 && !isDone(minted)) throw new NotReached("No token was issued.", minted);
      if (requests.length === 0) requireReachable(world);
      must(requests.length > 0, "The customer endpoint was never called.");
      const isPublished = requests.every(
        ({ method, path }) => method === "GET" && /^\/v1\/customers\/[^/?]+$/.test(path),
      );
      must(
        isPublished,
        `The customer endpoint was called with ${requests[0]?.method} ${requests[0]?.path.replace(/[^/]+$/, "…")}.`,
      );
    },
  },
  {
    clause: "I.authentication.10",
    statement: "A client without trusted authentication gets no token.",
    needs: ["control"],
    run: async (world) => {
      const client = await world.freshClient({ isTrusted: false });
      const person = await onboard(client);
      mustBeRefused(await mint(client, person), "A token was issued for a client without trusted authentication.");
    },
  },
];

/** One token minted for a user_intent_id, shared by checks. */
function mintOnce(world: World) {
  return world.once("mint", async () => {
    const client = await world.client();
    const person = await onboard(client);
    const customerId = addCustomer(client, person.phone);
    const before = client.mailbox.customerRequests.length;
    const minted = await mint(client, { ...person, customerId });
    return { client, person, customerId, minted, customerRequests: client.mailbox.customerRequests.slice(before) };
  });
}
