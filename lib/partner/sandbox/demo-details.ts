import type { OnboardingValues } from "../onboarding/onboarding-fields.ts";
import type { Person } from "../storage/people.ts";

/** What a demo seller would fill in at `/onboarding`. Decision D8: the sandbox approves an ssn with such an end. */
export function demoDetailsOf({ firstName, lastName, phone }: Person): OnboardingValues {
  return {
    first_name: firstName,
    last_name: lastName,
    date_of_birth: "1987-04-19",
    ssn: `5190${phone.slice(-4)}5`,
    address1: "48 Lighthouse Way",
    address2: "",
    city: "Portland",
    state: "ME",
    postal_code: "04101",
    shop: "",
    metadata: [],
  };
}
