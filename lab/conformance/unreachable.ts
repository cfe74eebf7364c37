const clientsRule = "A rule for the client, not the service.";
const start = "About the service's startup, which no request shows:";
const harbor = "About Harbor, our own client, which this suite doesn't test:";
const operator = "About the operator's command and listener, which this suite doesn't test:";
const suite = "About this suite:";

/** Clauses without a check, with the reason. */
export const unreachable: Record<string, string> = {
  "I.metadata.2": "Every JSON object key is a string.",
  "I.metadata.9": clientsRule,
  "I.authentication.12": clientsRule,
  "I.authentication.13": clientsRule,
  "I.authentication.14": clientsRule,
  "D1.3": "An internal property of our processes; from outside, everything is HTTP.",
  "D1.4": `${start} its mode, and that production refuses the demo's secrets.`,
  "D1.5": `${start} that it refuses a sandbox's database and the keys of the example settings.`,
  "D13.11": "Only another transaction in the service's database can lock an account for 2 seconds.",
  "D13.12": "An account that contradicts its holds, or stays locked when a transfer is due, requires database access.",
  "D14.4": "The time of the commit isn't visible from outside.",
  "D14.6": "An undecryptable secret requires database access.",
  "D17.1":
    "The limits are settings, 1,000 token requests per second by default, more than a run sends. D5.11 covers 429 responses, and D9.8 the text limit.",
  "D17.2": `${harbor} limits on password and code attempts, per address and overall.`,
  "D18.1": `${harbor} its URLs, stored token pairs, and rejected iss values.`,
  "D18.2": `${harbor} when it treats an unanswered payment as not made.`,
  "D18.3": `${harbor} how long an event about an unknown routine waits.`,
  "D18.4": `${harbor} that its pages show unreadable data as unknown.`,
  "D18.5": `${harbor} when an onboarding keeps its reservation.`,
  "D18.6": `${harbor} which of its jobs run concurrently.`,
  "D18.7": `${harbor} which response fields are optional for it.`,
  "D18.8": `${harbor} how it interprets refusal statuses, and when it deletes tokens.`,
  "D18.9": `${harbor} how long a person waits for a decision.`,
  "D18.10": `${harbor} the settings that disable state, the challenge, or the customer endpoint's secret.`,
  "D18.11": `${harbor} which sellers it doesn't pay, and when it rereads accounts.`,
  "D18.12": `${harbor} when it retries a payment automatically.`,
  "D18.13": `${harbor} that it never resends an answered payment, and what an operator may enter.`,
  "D18.14": `${harbor} how often it rereads a pending payment.`,
  "D18.15": `${harbor} which statuses it treats as final.`,
  "D18.16": `${harbor} the stream that announces changes to its open pages.`,
  "D18.17": `${harbor} which balances and webhooks its payment page shows.`,
  "D18.18": `${harbor} what its inspector stores.`,
  "D18.19": `${harbor} which payments it holds back, and how long a form's key lives.`,
  "D18.20": `${harbor} how it shows a payment the service doesn't recognize.`,
  "D18.21": `${harbor} how it compares its payments with the service's list.`,
  "D18.22": `${harbor} which onboardings it restores.`,
  "D18.23": `${harbor} which payments it shows a seller.`,
  "D18.24": `${harbor} how it shows a returned payment.`,
  "D18.25": `${harbor} what its pages say about a payment or an ended connection.`,
  "D19.1": `${start} that our command runs the API, pages, and database in one process, and its port.`,
  "D19.2": `${start} our command's messages for a wrong option, a taken port, or a foreign folder.`,
  "D19.3": `${start} our command's default client. This suite creates its own clients.`,
  "D19.4": `${start} the command's client without customers or webhook URLs. The suite's clients have both.`,
  "D19.5": `${start} what a data folder persists, and that only one process uses it.`,
  "D19.6": `${start} what our command writes to its output.`,
  "D19.7": `${start} that a production process refuses the database of our command.`,
  "D19.8": `${start} the function that starts and stops it in another program's tests.`,
  "D19.9": "About the npm package: its contents, and that it runs in an empty project.",
  "D20.8": "The timeline runs in the browser; its events are those of D20.1 to D20.6.",
  "D21.6": "About our command's output and exit code; D21.1 covers its report.",
  "D22.1": `${suite} that it only uses HTTP, and judges each clause once.`,
  "D22.2": `${suite} what counts as different, and its exit code.`,
  "D22.3": `${suite} what counts as no answer.`,
  "D22.4": `${suite} that its report contains no secrets.`,
  "D23.1": `${operator} what can be changed, and with which token.`,
  "D23.2": `${operator} that a change is recorded with who made it.`,
  "D23.3": `${operator} what a wrong change is answered.`,
  "D23.4": `${operator} that secrets are shown once.`,
  "D23.5": `${operator} the accounts from which money comes.`,
  "D23.6": `${operator} that people are decided about by hand; what follows is D7.`,
  "D23.7": `${operator} which webhooks are sent again.`,
  "D23.8": `${operator} that a client can be disabled.`,
};

/** Why a clause has no check; undefined if it needs one. */
export function whyUnreachable(clause: string): string | undefined {
  return unreachable[clause];
}
