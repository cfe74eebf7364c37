import type { FieldProblem } from "#lib/contract/errors.ts";

const labels: Record<string, string> = {
  first_name: "First name",
  last_name: "Last name",
  email: "E-mail",
  phone: "Mobile phone",
  password: "Password",
  date_of_birth: "Date of birth",
  ssn: "Social security number",
  address1: "Street address",
  address2: "Apartment or suite",
  city: "City",
  state: "State",
  postal_code: "ZIP code",
  source_id: "From",
  seller_user_id: "Seller",
  amount: "Amount in US dollars",
  name: "What it is for",
};

/** The same problems as a summary tells them, away from their fields: each begins with its field's label. */
export function labelledProblems(problems: FieldProblem[]): FieldProblem[] {
  return problems.map(({ field, message }) => ({
    field,
    message: labels[field] ? `${labels[field]}: ${message}` : message,
  }));
}
