import { describe, expect, test } from "vitest";
import type * as z from "zod/mini";
import { onboardingForm } from "../onboarding/onboarding-fields.ts";
import { codeFields, registrationFields, signInFields } from "../people/sign-in-fields.ts";
import { paymentForm } from "../routines/payment-fields.ts";
import { acknowledgeSecondForm, arrivedForm, notCreatedForm } from "../routines/submit-resolution.ts";
import { problemsOf } from "./form-state.ts";

const forms = {
  registrationFields,
  signInFields,
  codeFields,
  onboardingForm,
  paymentForm,
  arrivedForm,
  notCreatedForm,
  acknowledgeSecondForm,
};

// Anything that a rule may reject: missing, too short, too long, of another type, or not offered by the page.
const invalidAnswers: unknown[] = [
  undefined,
  null,
  7,
  {},
  "",
  "   ",
  "x",
  "x".repeat(300),
  "a\u0007b",
  "\u202eabc",
  "12",
  "-1",
  "0",
  "12,50",
  "1.234",
  "99999999999",
  "marta@",
  "+44 20 7946 0000",
  "555-0123",
  "0155550123",
  "12345678",
  "02/30/1990",
  "5/14/90",
  "5//1990",
  "01/01/1850",
  "01/01/2999",
  "01/01/2020",
  "CAL",
  [{ key: "", value: "" }],
  [{ key: "no spaces", value: "123-45-6789" }],
  [{ key: "k".repeat(65), value: "v".repeat(257) }],
  [{ key: "4111111111111111", value: "4111 1111 1111 1111" }],
  [{ key: "harbor_customer_id", value: "\0" }],
  [
    { key: "a", value: "1" },
    { key: "a", value: "1" },
  ],
  Array.from({ length: 26 }, (_, index) => ({ key: `k${index}`, value: "v" })),
];

/** The error messages for these answers. */
function errorsOf(form: z.ZodMiniType, answers: Record<string, unknown>): { field: string; message: string }[] {
  const parsed = form.safeParse(answers);
  return parsed.success ? [] : problemsOf(parsed.error);
}

const validAnswers: Record<string, unknown> = {
  first_name: "Marta",
  last_name: "Quay",
  email: "marta@example.com",
  phone: "(415) 555-0123",
  password: "a long harbor password",
  date_of_birth: "05/14/1990",
  ssn: "123-45-6789",
  address1: "12 Wharf Street",
  address2: "",
  city: "San Francisco",
  state: "CA",
  postal_code: "94107",
  shop: "",
  metadata: [],
  idempotency_key: "0198c0de-0000-7000-8000-000000000000",
  source_id: "one",
  seller_user_id: "two",
  amount: "50.5",
  name: "Sales of June",
  confirmed: "yes",
  routine_id: "0198c0de-0000-7000-8000-000000000000",
  service_id: "three",
};

// Fields that accept anything.
const unrestricted = new Set(["code", "return_to"]);

describe.each(Object.entries(forms))("every refusal of %s", (_name, form) => {
  test("is empty for a valid form", () => {
    expect(errorsOf(form, validAnswers)).toEqual([]);
  });

  test.each(Object.keys(form.shape).filter((field) => !unrestricted.has(field)))(
    "of %s is one of our sentences",
    (field) => {
      const problems = invalidAnswers.flatMap((answer) => errorsOf(form, { ...validAnswers, [field]: answer }));
      const fieldProblems = problems.filter(
        (problem) => problem.field === field || problem.field.startsWith(`${field}.`),
      );
      expect(fieldProblems.length).toBeGreaterThan(0);
      for (const { message } of problems) {
        // A full sentence without developer words.
        expect(message).toMatch(/^[A-Z].*\.$/);
        expect(message).not.toMatch(
          /^Must|invalid|expected|string|uuid|iso\b|e\.164|ipv|nul\b|two-letter|schema|characters long|metadata/i,
        );
      }
    },
  );
});

describe("accepts what people in the US type", () => {
  const registration = (changes: object) => registrationFields.parse({ ...validAnswers, ...changes });
  const onboarding = (changes: object) => onboardingForm.parse({ ...validAnswers, ...changes });

  test.each([
    "O'Brien",
    "O’Brien-Smith",
    "Martínez",
    "Nguyễn",
    "de la Cruz",
    "King Jr.",
    "St. John",
    "Smith III",
    "Ng",
  ])("the last name %s", (name) => {
    expect(registration({ last_name: ` ${name} ` }).last_name).toBe(name);
    expect(onboarding({ last_name: name }).last_name).toBe(name);
  });

  test.each([
    "123 St. Mary's St.",
    "12 Wharf St Apt 4B",
    "PO Box 1234",
    "P.O. Box 12",
    "100 1/2 Main St #4",
    "Rt. 2, Box 7",
  ])("the address %s", (address) =>
    expect(onboarding({ address1: address, address2: "Apt 4B" })).toMatchObject({
      address1: address,
      address2: "Apt 4B",
    }),
  );

  test.each([
    ["94107", "94107"],
    [" 94107 ", "94107"],
    ["94107-1234", "94107"],
    ["94107 1234", "94107"],
    ["941071234", "94107"],
  ])("the ZIP code %j as %s", (typed, sent) => expect(onboarding({ postal_code: typed }).postal_code).toBe(sent));

  test.each(["123-45-6789", "123 45 6789", "123456789", " 123\u201145\u20116789 "])("the ssn %j", (typed) =>
    expect(onboarding({ ssn: typed }).ssn).toBe("123456789"),
  );

  test.each(["05/14/1990", "5/14/1990", "1990-05-14", "May 14, 1990"])(
    "the date of birth %j, sent as before",
    (typed) => expect(onboarding({ date_of_birth: typed }).date_of_birth).toBe("1990-05-14"),
  );

  test.each(["(415) 555-0123", "+1 415.555.0123", "1-415-555-0123", "415 555 0123"])("the phone %j", (typed) =>
    expect(registration({ phone: typed }).phone).toBe("+14155550123"),
  );

  test.each([
    ["1,250.00", 125_000],
    ["1250", 125_000],
    ["$50", 5_000],
    ["$ 50.00", 5_000],
    ["US$50", 5_000],
    ["50 USD", 5_000],
    ["50.5", 5_050],
    ["50.", 5_000],
    [".50", 50],
    ["0.01", 1],
    ["1,000,000", 100_000_000],
  ])("the amount %j", (typed, cents) =>
    expect(paymentForm.parse({ ...validAnswers, amount: typed }).amount).toBe(cents),
  );
});

test.each([
  ["phone", registrationFields, "555-0123", "Enter your mobile phone number with its area code, like (415) 555-0123."],
  [
    "phone",
    registrationFields,
    "+44 20 7946 0000",
    "Enter a US mobile phone number. We can send texts to US numbers only.",
  ],
  [
    "phone",
    registrationFields,
    "(115) 555-0123",
    "Check the area code of your mobile phone number. US area codes don't start with 0 or 1.",
  ],
  ["phone", registrationFields, "1-800-FLOWERS", "Enter your mobile phone number in digits only, like (415) 555-0123."],
  ["email", registrationFields, "marta at example", "Enter your email address in full, like name@example.com."],
  ["email", registrationFields, "x".repeat(254), "Enter your email address in full, like name@example.com."],
  ["email", registrationFields, "x".repeat(255), "Your email address can have at most 254 characters."],
  ["first_name", registrationFields, "x".repeat(101), "Your first name can have at most 100 characters."],
  [
    "ssn",
    onboardingForm,
    "12345678",
    "Enter all nine digits of your Social Security number, or the last four. You entered 8.",
  ],
  ["ssn", onboardingForm, "900-12-3456", "This can't be a Social Security number. Please check each digit."],
  ["ssn", onboardingForm, "xxx-xx-6789", "Enter your Social Security number in digits only, like 123-45-6789."],
  ["date_of_birth", onboardingForm, "05/14/", "Enter the year of your date of birth too."],
  ["date_of_birth", onboardingForm, "05/14/90", "Enter your birth year with four digits, like 1990."],
  [
    "date_of_birth",
    onboardingForm,
    "31/01/1990",
    "That date doesn't exist. Enter the month first, then the day, like 05 / 14 / 1990.",
  ],
  ["date_of_birth", onboardingForm, "01/01/2020", "You must be at least 18 years old to get paid here."],
  ["date_of_birth", onboardingForm, "01/01/2999", "This date of birth is in the future. Check the year."],
  ["date_of_birth", onboardingForm, "01/01/1850", "This date of birth is more than 120 years ago. Check the year."],
  ["postal_code", onboardingForm, "9410", "Enter a five-digit ZIP code, like 94107."],
  ["state", onboardingForm, "", "Choose your state."],
  ["amount", paymentForm, "12,50", "Use a period before the cents, like 120.50."],
  ["amount", paymentForm, "1.250,00", "Use a period before the cents, like 120.50."],
  ["amount", paymentForm, "1.234", "Enter cents with two digits, like 120.50."],
  ["amount", paymentForm, "0", "Enter an amount greater than zero."],
  ["amount", paymentForm, "-5", "Enter an amount greater than zero."],
  ["amount", paymentForm, "fifty", "Enter an amount in dollars and cents, like 120.50."],
  ["amount", paymentForm, "$", "Enter an amount."],
])("%s, case %#, gets a specific message", (field, form, typed, sentence) => {
  expect(errorsOf(form, { ...validAnswers, [field]: typed })).toEqual([{ field, message: sentence }]);
});
