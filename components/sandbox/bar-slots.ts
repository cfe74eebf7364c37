/** The bar's slot for the phone and the inbox, used only by pages that ask for a code. */
export const deviceSlotId = "sandbox-devices";

/** The bar's slot for the inspector button, used only while signed in to Harbor. */
export const inspectorSlotId = "sandbox-inspector";
