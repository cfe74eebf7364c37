import * as z from "zod/mini";
import { words } from "#words";
import { limits } from "../../contract/limits.ts";
import {
  holdsText,
  looksLikeCardNumber,
  looksLikeSsn,
  problemOfMetadataKey,
  problemOfMetadataValue,
  userIntentFields,
} from "../../contract/people.ts";
import { readDate, ssnDigits } from "../../kit/us-formats.ts";
import { nameFields } from "../people/sign-in-fields.ts";
import { answerField, optionalAnswerField, outOfDate, textProblem } from "../requests/form-fields.ts";
import { customerIdKey, type MetadataPair, ownPairsMax, shopKey } from "./metadata-pairs.ts";

// Email and phone come from the account, the IP address from the connection.
const formFields = z.omit(z.object(userIntentFields), { email: true, phone: true, ip_address: true });

export type QuestionName = keyof z.output<typeof formFields>;

const say = () => words("onboarding.problems");
const valueMax = limits.metadataValueCharactersMax;

const shopField = optionalAnswerField(z.string().check(refuse((value) => problemOfMetadataValue(value))), {
  wrong: (value) => problemOfValue(value, say()("yourShop")),
});

const metadataPairs = z
  .array(
    z.object({
      key: z.string().check(
        refuse((key) => problemOfMetadataKey(key) && problemOfKey(key)),
        refuse(problemOfOwnKey),
      ),
      value: z
        .string()
        .check(refuse((value) => problemOfMetadataValue(value) && problemOfValue(value, say()("aValue")))),
    }),
    { error: outOfDate },
  )
  .check((context) => {
    const keys = context.value.map(({ key }) => key);
    keys.forEach((key, index) => {
      if (key === "" || keys.indexOf(key) === index) return;
      const message = say()("keyUsed");
      context.issues.push({ code: "custom", input: context.value, message, path: [index, "key"] });
    });
  });

const answers = z.extend(formFields, {
  ...nameFields,
  date_of_birth: answerField(userIntentFields.date_of_birth, {
    missing: () => say()("noBirthday"),
    normalize: (typed) => {
      const read = readDate(typed);
      return read.kind === "date" ? read.iso : read.kind === "empty" ? "" : typed;
    },
    wrong: problemOfBirthday,
  }),
  ssn: answerField(userIntentFields.ssn, {
    missing: () => say()("noSsn"),
    normalize: ssnDigits,
    wrong: problemOfSsn,
  }),
  address1: answerField(userIntentFields.address1, {
    missing: () => say()("noAddress"),
    wrong: textProblem(() => say()("yourAddress"), limits.addressCharactersMax),
  }),
  address2: optionalAnswerField(userIntentFields.address1, {
    wrong: textProblem(() => say()("yourApartment"), limits.addressCharactersMax),
  }),
  city: answerField(userIntentFields.city, {
    missing: () => say()("noCity"),
    wrong: textProblem(() => say()("yourCity"), limits.nameCharactersMax),
  }),
  state: answerField(userIntentFields.state, {
    missing: () => say()("noState"),
    wrong: () => say()("state"),
  }),
  postal_code: answerField(userIntentFields.postal_code, {
    missing: () => say()("noZip"),
    // The service rejects ZIP+4.
    normalize: (typed) => typed.replace(/^(\d{5})[-‐‑–\s]?\d{4}$/, "$1"),
    wrong: () => say()("zip"),
  }),
  shop: shopField,
  metadata: metadataPairs,
});

/** The onboarding form's rules, the same in the browser, on our server and at the service. */
export const onboardingFields = answers.check(keepMetadataInOrder);

/** The server action's input: the answers, with an idempotency key for them. */
export const onboardingForm = z
  .object({ ...answers.shape, idempotency_key: z.guid({ error: outOfDate }) })
  .check(keepMetadataInOrder);

export type OnboardingInput = z.input<typeof onboardingFields>;
export type OnboardingValues = z.output<typeof onboardingFields>;

/** The person's own metadata pairs: the shop number, if given, and the pair editor's. */
export function ownPairsOf({ shop, metadata }: Pick<OnboardingValues, "shop" | "metadata">): MetadataPair[] {
  return shop === "" ? metadata : [{ key: shopKey, value: shop }, ...metadata];
}

function problemOfSsn(digits: string): string {
  if (!/^\d+$/.test(digits)) return say()("ssnLetters");
  return digits.length === 9 || digits.length === 4
    ? say()("ssnImpossible")
    : say()("ssnLength", { count: String(digits.length) });
}

function problemOfBirthday(typed: string): string {
  const read = readDate(typed);
  switch (read.kind) {
    case "incomplete":
      return say()("birthdayMissing", { missing: read.missing.map((part) => say()(part)).join(say()("and")) });
    case "short_year":
      return say()("birthdayShortYear");
    case "date":
      return problemOfAge(read.iso);
    default:
      return say()("birthdayImpossible");
  }
}

function problemOfAge(iso: string): string {
  const today = new Date().toISOString().slice(0, 10);
  if (iso > today) return say()("birthdayFuture");
  const years = Number(today.slice(0, 4)) - Number(iso.slice(0, 4));
  return years > limits.ageYearsMax
    ? say()("birthdayTooOld", { years: String(limits.ageYearsMax) })
    : say()("birthdayTooYoung", { years: String(limits.ageYearsMin) });
}

function keepMetadataInOrder(context: z.core.ParsePayload<z.output<typeof answers>>): void {
  const { shop, metadata, ssn } = context.value;
  const refuse = (path: (string | number)[], message: string) =>
    context.issues.push({ code: "custom", input: metadata, message, path });
  const pairs = ownPairsOf(context.value);
  if (pairs.length > ownPairsMax) refuse(["metadata"], say()("tooManyNotes", { max: String(ownPairsMax) }));
  if (shop !== "") {
    const twin = metadata.findIndex(({ key }) => key === shopKey);
    if (twin >= 0) refuse(["metadata", twin, "key"], say()("keyOfShop", { key: shopKey }));
  }
  if (holdsText(Object.fromEntries(metadata.map(({ key, value }) => [key, value])), ssn)) {
    refuse(["metadata"], say()("ssnInNotes"));
  }
  if (holdsText({ [shopKey]: shop }, ssn)) refuse(["shop"], say()("ssnAsShop"));
}

function problemOfOwnKey(key: string): string | undefined {
  return key === customerIdKey ? say()("ownKey") : undefined;
}

function problemOfKey(key: string): string {
  if (key === "") return say()("noKey");
  if ([...key].length > limits.metadataKeyCharactersMax)
    return say()("keyLong", { max: String(limits.metadataKeyCharactersMax) });
  return sensitiveProblem(key) ?? say()("key");
}

function problemOfValue(value: string, what: string): string {
  if (value === "") return say()("noValue");
  if ([...value].length > valueMax) return words("person.problems")("long", { what, max: String(valueMax) });
  return sensitiveProblem(value) ?? words("person.problems")("characters", { what });
}

function sensitiveProblem(text: string): string | undefined {
  if (looksLikeSsn(text)) return say()("likeSsn");
  if (looksLikeCardNumber(text)) return say()("likeCard");
  return undefined;
}

function refuse(problemOf: (text: string) => string | undefined): z.core.CheckFn<string> {
  return (context) => {
    const message = problemOf(context.value);
    if (message) context.issues.push({ code: "custom", input: context.value, message });
  };
}
