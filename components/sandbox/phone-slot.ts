/** Where the bar has room for the phone. The bar stays from page to page, and only pages that ask for a code have a phone. */
export const phoneSlotId = "sandbox-phone";
