/** A phone number masked except for its last four digits, as in `••• ••• 0123`. */
export function maskPhone(phone: string): string {
  return `••• ••• ${phone.slice(-4)}`;
}

/** An email address masked except for its first letter and domain, as in `a•••@example.com`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  const [first = ""] = email;
  return `${at > 0 ? first : ""}•••${email.slice(at)}`;
}
