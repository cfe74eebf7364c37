import * as z from "zod/mini";
import { brandName } from "../../../brand/name.ts";
import { limits } from "../../contract/limits.ts";
import {
  looksLikeCardNumber,
  looksLikeSsn,
  problemOfMetadataKey,
  problemOfMetadataValue,
} from "../../contract/metadata.ts";
import { holdsText, userIntentFields } from "../../contract/people.ts";
import { readDate } from "../../kit/us-date.ts";
import { ssnDigits } from "../../kit/us-ssn.ts";
import { nameFields } from "../people/sign-in-fields.ts";
import { answerField, optionalAnswerField, textProblem } from "../requests/form-fields.ts";
import { customerIdKey, type MetadataPair, ownPairsMax, shopKey } from "./metadata-pairs.ts";

// Email and phone come from the account, and the IP address from the connection.
const asked = z.omit(z.object(userIntentFields), { email: true, phone: true, ip_address: true });

export type QuestionName = keyof z.output<typeof asked>;

const valueMax = limits.metadataValueCharactersMax;

const shopField = optionalAnswerField(z.string().check(refuse((value) => problemOfMetadataValue(value))), {
  wrong: (value) => problemOfValue(value, "Your shop number"),
});

const metadataPairs = z
  .array(
    z.object({
      key: z.string().check(
        refuse((key) => problemOfMetadataKey(key) && problemOfKey(key)),
        refuse(problemOfOwnKey),
      ),
      value: z.string().check(refuse((value) => problemOfMetadataValue(value) && problemOfValue(value, "A value"))),
    }),
    "This page is out of date. Please reload it.",
  )
  .check((context) => {
    const keys = context.value.map(({ key }) => key);
    keys.forEach((key, index) => {
      if (key === "" || keys.indexOf(key) === index) return;
      const message = "This key is already used. Use another key.";
      context.issues.push({ code: "custom", input: context.value, message, path: [index, "key"] });
    });
  });

const answers = z.extend(asked, {
  ...nameFields,
  date_of_birth: answerField(userIntentFields.date_of_birth, {
    missing: "Enter your date of birth.",
    normalize: (typed) => {
      const read = readDate(typed);
      return read.kind === "date" ? read.iso : read.kind === "empty" ? "" : typed;
    },
    wrong: problemOfBirthday,
  }),
  ssn: answerField(userIntentFields.ssn, {
    missing: "Enter your Social Security number.",
    normalize: ssnDigits,
    wrong: (digits) =>
      /^\d+$/.test(digits)
        ? `Enter all nine digits of your Social Security number, or the last four. You entered ${digits.length}.`
        : "Enter your Social Security number in digits only, like 123-45-6789.",
  }),
  address1: answerField(userIntentFields.address1, {
    missing: "Enter your street address.",
    wrong: textProblem("Your street address", limits.addressCharactersMax),
  }),
  address2: optionalAnswerField(userIntentFields.address1, {
    wrong: textProblem("Your apartment or suite", limits.addressCharactersMax),
  }),
  city: answerField(userIntentFields.city, {
    missing: "Enter your city.",
    wrong: textProblem("Your city", limits.nameCharactersMax),
  }),
  state: answerField(userIntentFields.state, {
    missing: "Choose your state.",
    wrong: () => "Choose your state from the list.",
  }),
  postal_code: answerField(userIntentFields.postal_code, {
    missing: "Enter your ZIP code.",
    // The service rejects ZIP+4.
    normalize: (typed) => typed.replace(/^(\d{5})[-‐‑–\s]?\d{4}$/, "$1"),
    wrong: () => "Enter your ZIP code in five digits, like 94107.",
  }),
  shop: shopField,
  metadata: metadataPairs,
});

/** The onboarding form's rules, the same in the browser, on our server and at the service. */
export const onboardingFields = answers.check(keepMetadataInOrder);

/** What its server action takes: the answers, and an idempotency key for this set of answers. */
export const onboardingForm = z
  .object({ ...answers.shape, idempotency_key: z.guid("This page is out of date. Please reload it.") })
  .check(keepMetadataInOrder);

export type OnboardingInput = z.input<typeof onboardingFields>;
export type OnboardingValues = z.output<typeof onboardingFields>;

/** The person's own metadata pairs: the shop number, if given, and those of the pair editor. */
export function ownPairsOf({ shop, metadata }: Pick<OnboardingValues, "shop" | "metadata">): MetadataPair[] {
  return shop === "" ? metadata : [{ key: shopKey, value: shop }, ...metadata];
}

function problemOfBirthday(typed: string): string {
  const read = readDate(typed);
  switch (read.kind) {
    case "incomplete":
      return `Enter the ${read.missing.join(" and the ")} of your date of birth too.`;
    case "short_year":
      return "Enter the year of your birth with four digits, like 1990.";
    case "date":
      return problemOfAge(read.iso);
    default:
      return "That date doesn't exist. Enter the month first, then the day, like 05 / 14 / 1990.";
  }
}

function problemOfAge(iso: string): string {
  const today = new Date().toISOString().slice(0, 10);
  if (iso > today) return "This date of birth is in the future. Check the year.";
  const years = Number(today.slice(0, 4)) - Number(iso.slice(0, 4));
  return years > limits.ageYearsMax
    ? `This date of birth is more than ${limits.ageYearsMax} years ago. Check the year.`
    : `You must be at least ${limits.ageYearsMin} years old to get paid here.`;
}

function keepMetadataInOrder(context: z.core.ParsePayload<z.output<typeof answers>>): void {
  const { shop, metadata, ssn } = context.value;
  const refuse = (path: (string | number)[], message: string) =>
    context.issues.push({ code: "custom", input: metadata, message, path });
  const pairs = ownPairsOf(context.value);
  if (pairs.length > ownPairsMax) refuse(["metadata"], `Keep at most ${ownPairsMax} notes, the shop number included.`);
  if (shop !== "") {
    const twin = metadata.findIndex(({ key }) => key === shopKey);
    if (twin >= 0)
      refuse(["metadata", twin, "key"], `The shop number has the key “${shopKey}” already. Use another key.`);
  }
  if (holdsText(Object.fromEntries(metadata.map(({ key, value }) => [key, value])), ssn)) {
    refuse(["metadata"], "Your notes must not contain your Social Security number.");
  }
  if (holdsText({ [shopKey]: shop }, ssn)) refuse(["shop"], "This must not be your Social Security number.");
}

function problemOfOwnKey(key: string): string | undefined {
  return key === customerIdKey ? `${brandName} sets this key itself. Use another key.` : undefined;
}

function problemOfKey(key: string): string {
  if (key === "") return "Enter a key, or remove this pair.";
  if ([...key].length > limits.metadataKeyCharactersMax)
    return `A key can have at most ${limits.metadataKeyCharactersMax} characters.`;
  return sensitiveProblem(key) ?? "A key can have letters, digits, underscores, periods and hyphens only.";
}

function problemOfValue(value: string, what: string): string {
  if (value === "") return "Enter a value, or remove this pair.";
  if ([...value].length > valueMax) return `${what} can have at most ${valueMax} characters.`;
  return sensitiveProblem(value) ?? `${what} has a character that we can't use. Please type it again.`;
}

function sensitiveProblem(text: string): string | undefined {
  if (looksLikeSsn(text)) return "This looks like a Social Security number. Please leave it out.";
  if (looksLikeCardNumber(text)) return "This looks like a card number. Please leave it out.";
  return undefined;
}

function refuse(problemOf: (text: string) => string | undefined): z.core.CheckFn<string> {
  return (context) => {
    const message = problemOf(context.value);
    if (message) context.issues.push({ code: "custom", input: context.value, message });
  };
}
