const clientsRule = "It is a rule for the client, not for the service.";
const start = "It is about how the service is started, which no request shows:";
const harbor = "It is about Harbor, our own client, which this suite does not ask:";
const operator = "It is about the operator's own command and listener, which this suite does not ask:";
const suite = "It is about this suite:";

/** The clauses that no check asks about, and why. */
export const unreachable: Record<string, string> = {
  "I.metadata.2": "Every key of a JSON object is a text.",
  "I.metadata.9": clientsRule,
  "I.authentication.12": clientsRule,
  "I.authentication.13": clientsRule,
  "I.authentication.14": clientsRule,
  "D1.3":
    "That both sides meet over HTTP alone is how our processes are built; from outside there is HTTP alone anyhow.",
  "D1.4": `${start} in which mode, and that the demo's secrets are refused in production.`,
  "D1.5": `${start} that it refuses a database that has served a sandbox, and the keys of the example settings.`,
  "D13.11": "Only another transaction in the service's own database can keep an account locked for 2 seconds.",
  "D13.12":
    "An account that contradicts its holds, or stays locked while a transfer falls due, is made inside the database only.",
  "D14.4":
    "The moment of the commit is not visible: what arrives here comes later by the network and by what this machine does.",
  "D14.6": "Only who can write to the service's database makes a secret that the service cannot decrypt.",
  "D17.1":
    "The limits are settings, 1,000 token requests a second by default, which is more than a run sends. What 429 says is D5.11, the limit of texts D9.8.",
  "D17.2": `${harbor} how often a password or a code may be tried there, from one address and from all.`,
  "D18.1": `${harbor} its addresses, whose token pair it keeps, and which iss it refuses.`,
  "D18.2": `${harbor} when it counts a payment without an answer as not made.`,
  "D18.3": `${harbor} how long an event about a routine that it does not know waits.`,
  "D18.4": `${harbor} that its pages show as unknown what it could not read.`,
  "D18.5": `${harbor} when an onboarding keeps its reservation.`,
  "D18.6": `${harbor} which of its jobs run beside each other.`,
  "D18.7": `${harbor} which fields of an answer it can do without.`,
  "D18.8": `${harbor} what it takes a refusal's status to mean, and when it forgets tokens.`,
  "D18.9": `${harbor} how long a person waits there for a decision.`,
  "D18.10": `${harbor} with which settings it does without state, a challenge or the customer endpoint's secret.`,
  "D18.11": `${harbor} whom it does not pay, and when it reads accounts again.`,
  "D18.12": `${harbor} when it sends a payment again by itself.`,
  "D18.13": `${harbor} that it never resends an answered payment, and what an operator may enter.`,
  "D18.14": `${harbor} how often it reads a payment again that has not ended.`,
  "D18.15": `${harbor} which words it takes for the end of a payment.`,
  "D18.16": `${harbor} the stream that announces changes to its open pages.`,
  "D18.17": `${harbor} which balances and webhooks its page of a payment shows.`,
  "D18.18": `${harbor} what its inspector keeps of a person's calls.`,
  "D18.19": `${harbor} which payments it holds back, and how long a form keeps its key.`,
  "D18.20": `${harbor} what it shows of a payment that the service does not recognize.`,
  "D18.21": `${harbor} how it compares its payments with the service's list.`,
  "D18.22": `${harbor} which onboardings it brings back.`,
  "D19.1": `${start} that our command runs the API, the pages and the database in one process, and on which port.`,
  "D19.2": `${start} in which words our command refuses an option, a taken port or a foreign folder.`,
  "D19.3": `${start} which client our command makes by default. This suite makes clients of its own.`,
  "D19.4": `${start} what the command's own client has without an address for customers or webhooks. Clients of the suite have both.`,
  "D19.5": `${start} what a data folder keeps from one start to the next, and that it is of one process.`,
  "D19.6": `${start} what our command writes to its output.`,
  "D19.7": `${start} that a production process refuses the database of our command.`,
  "D19.8": `${start} the function with which another program's tests start it and stop it.`,
  "D19.9": "It is about the package: what npm packs, and that this runs in an empty project.",
  "D20.8": "The timeline is drawn by a script in a person's browser; what it draws are the events of D20.1 to D20.6.",
  "D21.6": "It is about a command of ours, its output and how it ends; the report that it prints is D21.1.",
  "D22.1": `${suite} that it asks over HTTP alone, and judges each clause once.`,
  "D22.2": `${suite} what it calls different, and how it ends.`,
  "D22.3": `${suite} what it takes for no answer.`,
  "D22.4": `${suite} that its report shows nothing secret.`,
  "D23.1": `${operator} what can be changed, and with which token.`,
  "D23.2": `${operator} that a change is recorded with who made it.`,
  "D23.3": `${operator} what a wrong change is answered.`,
  "D23.4": `${operator} that secrets are shown once.`,
  "D23.5": `${operator} the accounts from which money comes.`,
  "D23.6": `${operator} that people are decided about by hand; what follows is D7.`,
  "D23.7": `${operator} which webhooks are sent again.`,
  "D23.8": `${operator} that a client can be disabled.`,
};

/** Why this clause is asked about by no check; undefined when one has to. */
export function whyUnreachable(clause: string): string | undefined {
  return unreachable[clause];
}
