import * as z from "zod/mini";
import { limits } from "./limits.ts";

const { webAddressCharactersMax, redirectUrisMax, providerCharactersMax } = limits;

export const webAddress = z
  .url({ protocol: /^https?$/, error: "Must be an address like https://partner.example/path." })
  .check(
    z.maxLength(webAddressCharactersMax, `Must have at most ${webAddressCharactersMax} characters.`),
    // A call to the address wouldn't send them.
    z.refine((address) => !/^[^/?#]*\/\/[^/?#]*@/.test(address), "Must not have a user name or password."),
  );

/** `/v1/customers/{customer_id}` is appended to it. */
export const customersUrl = webAddress.check(
  z.refine((address) => !/[?#]/.test(address), "Must not have a query or fragment."),
);

export const redirectUri = webAddress.check(
  z.refine((uri) => !uri.includes("#"), "Must not have a fragment."),
  // Neither a `location` header nor a redirect from a server action of Next carries them unchanged.
  z.refine((uri) => !uri.includes(";"), "Must not have a semicolon."),
  z.refine((uri) => /^[ -~]*$/.test(uri), "Must have only ASCII characters: percent-encode others."),
);

export const redirectUris = z
  .array(redirectUri)
  .check(z.maxLength(redirectUrisMax, `Must have at most ${redirectUrisMax} addresses.`));

/** The operator's name for a client's customer system. Decision D11 */
export const provider = z.string().check(z.minLength(1), z.maxLength(providerCharactersMax));
