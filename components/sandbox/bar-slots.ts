/** The bar's slot for the phone, used only by pages that ask for a code. */
export const phoneSlotId = "sandbox-phone";

/** The bar's slot for the inspector button, used only while signed in to Harbor. */
export const inspectorSlotId = "sandbox-inspector";
