import * as z from "zod/mini";
import { limits } from "../../contract/limits.ts";
import { problemOfMetadataKey, problemOfMetadataValue } from "../../contract/metadata.ts";
import { userIntentFields } from "../../contract/user-intent.ts";

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

/**
 * What the onboarding form asks, by the same rules in the browser, on our server and at the service. E-mail address and
 * phone are not asked: they are the account's, and the phone is proven.
 */
export const onboardingFields = z.object({
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

/** The form's values as typed, and as sent. */
export type OnboardingInput = z.input<typeof onboardingFields>;
export type OnboardingValues = z.output<typeof onboardingFields>;

function problemCheck(problemOf: (text: string) => string | undefined): z.core.CheckFn<string> {
  return (context) => {
    const message = problemOf(context.value);
    if (message) context.issues.push({ code: "custom", input: context.value, message });
  };
}
