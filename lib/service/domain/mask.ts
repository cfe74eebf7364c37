/** A phone number of which only the last four digits can be read, as in `••• ••• 0123`. */
export function maskPhone(phone: string): string {
  return `••• ••• ${phone.slice(-4)}`;
}

/** An email address of which only the first letter and the domain can be read, as in `a•••@example.com`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  const [first = ""] = email;
  return `${at > 0 ? first : ""}•••${email.slice(at)}`;
}
