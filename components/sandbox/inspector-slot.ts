/** The bar's slot for the inspector button, used only while signed in to Harbor. */
export const inspectorSlotId = "sandbox-inspector";
