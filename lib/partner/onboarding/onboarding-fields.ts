import * as z from "zod/mini";
import { limits } from "../../contract/limits.ts";
import { problemOfMetadataKey, problemOfMetadataValue } from "../../contract/metadata.ts";
import { holdsText, userIntentFields } from "../../contract/user-intent.ts";

/** The pair that Harbor adds to every intent: whose it is. */
export const customerIdKey = "harbor_customer_id";
/** One of the published 25 is Harbor's own. */
export const ownPairsMax = limits.metadataPairsMax - 1;

const metadataPair = z.object({
  key: z.string().check(
    problemCheck(problemOfMetadataKey),
    z.refine((key) => key !== customerIdKey, "Harbor sets this key itself."),
  ),
  value: z.string().check(problemCheck(problemOfMetadataValue)),
});

const answers = z.object({
  first_name: userIntentFields.first_name,
  last_name: userIntentFields.last_name,
  date_of_birth: userIntentFields.date_of_birth,
  // People write it with dashes; the service wants digits only.
  ssn: z.pipe(
    z.pipe(
      z.string(),
      z.transform((typed: string) => typed.replaceAll(/[\s-]/g, "")),
    ),
    userIntentFields.ssn,
  ),
  address1: userIntentFields.address1,
  address2: z.union([z.literal(""), userIntentFields.address1]),
  city: userIntentFields.city,
  state: userIntentFields.state,
  postal_code: userIntentFields.postal_code,
  metadata: z
    .array(metadataPair)
    .check(z.maxLength(ownPairsMax, `Up to ${ownPairsMax} pairs; Harbor adds one.`), (context) => {
      const keys = context.value.map(({ key }) => key);
      keys.forEach((key, index) => {
        if (keys.indexOf(key) === index) return;
        const message = "This key is there already.";
        context.issues.push({ code: "custom", input: context.value, message, path: [index, "key"] });
      });
    }),
});

/**
 * What the onboarding form asks, by the same rules in the browser, on our server and at the service. E-mail address and
 * phone are not asked: they are the account's, and the phone is proven.
 */
export const onboardingFields = answers.check(noSsnInMetadata);

/** What its server action takes: the answers, and a key that is one for each set of them. */
export const onboardingForm = z
  .object({ ...answers.shape, idempotency_key: z.guid("This page is out of date. Please load it again.") })
  .check(noSsnInMetadata);

/** The form's values as typed, and as sent. */
export type OnboardingInput = z.input<typeof onboardingFields>;
export type OnboardingValues = z.output<typeof onboardingFields>;

function noSsnInMetadata(context: z.core.ParsePayload<z.output<typeof answers>>): void {
  const { metadata, ssn } = context.value;
  if (!holdsText(Object.fromEntries(metadata.map(({ key, value }) => [key, value])), ssn)) return;
  const message = "Metadata must not hold the person's social security number.";
  context.issues.push({ code: "custom", input: metadata, message, path: ["metadata"] });
}

function problemCheck(problemOf: (text: string) => string | undefined): z.core.CheckFn<string> {
  return (context) => {
    const message = problemOf(context.value);
    if (message) context.issues.push({ code: "custom", input: context.value, message });
  };
}
