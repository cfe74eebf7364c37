// NIST SP 800-63B: at least 8 with a second factor, and no composition rules. The maximum bounds the hashing work.
export const passwordCharactersMin = 12;
export const passwordCharactersMax = 200;
