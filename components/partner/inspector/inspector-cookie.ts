/** Remembers in this browser that the inspector is open. The server reads it, so that a page leaves it room from the start. */
export const inspectorCookie = "harbor_inspector";
