/** The bar's slot for the phone, used only by pages that ask for a code. */
export const phoneSlotId = "sandbox-phone";
