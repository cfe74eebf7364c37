// NIST SP 800-63B: at least 8 with a second factor, and no rules about kinds of characters. The maximum limits the load.
export const passwordCharactersMin = 12;
export const passwordCharactersMax = 200;
