/** Where the bar has room for the inspector's button. Only whoever is signed in at Harbor has an inspector. */
export const inspectorSlotId = "sandbox-inspector";
