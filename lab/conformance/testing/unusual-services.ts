import type { BareHabits } from "./bare-service.ts";

/** A service that keeps every published rule in an unusual way, and the clauses that the suite can't reach there. */
export type UnusualService = {
  habit: string;
  habits: Partial<BareHabits>;
  unreached: string[];
};

const form = (inside: string) => `<form method="post" action="/go">${inside}</form>`;

export const unusualServices: UnusualService[] = [
  {
    habit: "writes attributes without quotes",
    habits: {
      writesPage: ({ code, to }) =>
        `<form method=post action=/go><input type=hidden name=code value=${code}><input type=hidden name=to value=${to}>` +
        "<input type=submit value=Authorize></form>",
    },
    unreached: [],
  },
  {
    habit: "places the button outside its form, with the method and the address",
    habits: {
      writesPage: ({ code, to }) =>
        `<form id="choice" action="/nowhere"><input name="code" value="${code}" hidden></form>
         <input form="choice" name="to" value="${to}" hidden>
         <form action="/cancel"><button>Cancel</button></form>
         <button form="choice" formmethod="post" formaction="/go">Authorize</button>`,
    },
    unreached: [],
  },
  {
    habit: "requires its terms checkbox but not its newsletter one",
    habits: {
      needsTick: true,
      writesPage: ({ code, to }) =>
        form(
          `<input type="hidden" name="code" value="${code}"><input type="hidden" name="to" value="${to}">
           <input type="checkbox" name="terms" required><input type="checkbox" name="news"><button>Authorize</button>`,
        ),
    },
    unreached: [],
  },
  {
    habit: "labels its button with aria-label",
    habits: {
      writesPage: ({ code, to }) =>
        form(
          `<input type="hidden" name="code" value="${code}"><input type="hidden" name="to" value="${to}">
           <button aria-label="Authorize"><svg></svg></button>`,
        ),
    },
    unreached: [],
  },
  {
    habit: "authorizes by a script",
    habits: { writesPage: () => '<form action="/go"><button type="button">Authorize</button></form>' },
    unreached: ["I.authentication.4", "I.authentication.9", "I.limits.8", "I.tokens-and-codes.4"],
  },
  {
    habit: "redirects back with a script",
    habits: { returnsByScript: true },
    unreached: ["I.authentication.4", "I.authorization-web-page.5", "I.post-v1-oauth-token.1"],
  },
  {
    habit: "mints no token for an untrusted customer",
    habits: { untrustedStatus: 502 },
    unreached: [],
  },
  { habit: "sends other webhooks too", habits: { announcesMore: true }, unreached: [] },
  {
    habit: "lists other objects before the payment instruments",
    habits: { listsAccounts: (id) => ({ notes: [{ id: "note-1" }], payment_instruments: [{ id }] }) },
    unreached: [],
  },
  {
    habit: "returns no user intent, and has its own control responses",
    habits: { readsIntents: false, answersControl: () => ({ status: "done" }) },
    unreached: ["I.user-intent.13"],
  },
];
